#include "tables/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "conflux/core/error.h"
#include "tests/tables/files.h"

namespace conflux {
namespace idx_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Idx, ImagesAreRowsAndLabelsOneColumn) {
  const Table images = read_table(kTables / "images-idx3-ubyte");
  ASSERT_EQ(images.num_columns(), 3);
  EXPECT_THAT(images["c1"].numbers, ElementsAre(1, 4, 7, 10, 13));
  EXPECT_THAT(read_table(kTables / "labels-idx1-ubyte.gz")["c0"].numbers,
              ElementsAre(0, 3, 6, 9, 12));
}

TEST(Idx, ReadsEveryType) {
  for (const std::string name : {"i1.idx", "i2.idx", "i4.idx"}) {
    EXPECT_THAT(read_table(kTables / name)["c2"].numbers, ElementsAre(2, 5, 8, 11, 14)) << name;
  }
  for (const std::string name : {"f4.idx", "f8.idx"}) {
    EXPECT_THAT(read_table(kTables / name)["c0"].numbers, ElementsAre(-1, -0.25, 0.5, 1.25, 2))
        << name;
  }
}

TEST(Idx, NamesThatEndInUbyteAreWrittenAsBytes) {
  const TemporaryFolder folder;
  Table table;
  table.add("x", std::vector<double>{0, 255});
  write_table(folder / "images-idx2-ubyte", table);
  EXPECT_EQ(bytes_of(folder / "images-idx2-ubyte"),
            std::string("\0\0\x08\x02\0\0\0\x02\0\0\0\x01\0\xff", 14));
  EXPECT_THAT(read_table(folder / "images-idx2-ubyte")["c0"].numbers, ElementsAre(0, 255));
}

TEST(Idx, EveryRefusalNamesThePlaceAndTheRemedy) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& bytes) {
    return [&folder, bytes] { read_table(folder.with("t.idx", bytes)); };
  };
  const auto write = [&](double value) {
    return [&folder, value] {
      Table table;
      table.add("x", std::vector<double>{1, value});
      write_table(folder / "t-ubyte", table);
    };
  };
  struct Case {
    std::function<void()> call;
    std::string what;
  };
  const std::vector<Case> cases = {
      {read("x,y"), "t.idx is not an IDX file, which begins with two zeros, a type and the number"},
      {read(std::string("\0\0\x08\0", 4)), "is not an IDX file"},
      {read(std::string("\0\0\x0a\x01\0\0\0\0", 8)),
       "t.idx: the IDX header tells of elements of type 0x0a; the types are 0x08, 0x09"},
      {read(std::string("\0\0\x08\x03\0\0", 6)), "t.idx: the IDX header ends too early"},
      {read(std::string("\0\0\x08\x02\xff\xff\xff\xff\0\0\0\x10", 12)),
       "the header tells of 68719476720 bytes of data but there are 0; copy or make the file "
       "again"},
      {read(std::string("\0\0\x08\x03\0\0\0\x01\xff\xff\xff\xff\xff\xff\xff\xff", 16)),
       "more than any file holds"},
      {write(256),
       "row 2, column \"x\" is 256, which is no byte; choose a name that does not end in "
       "\"ubyte\""},
      {write(0.5), "which is no byte"},
  };
  for (const Case& c : cases) EXPECT_THAT(c.call, ThrowsMessage<InvalidData>(HasSubstr(c.what)));
}

}  // namespace idx_test
}  // namespace conflux
