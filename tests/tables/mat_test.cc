#include "tables/mat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conflux/core/error.h"
#include "tests/tables/files.h"

namespace conflux {
namespace mat_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Structs, cubes and complex numbers stand in the same file and are no columns.
TEST(Mat, ReadsAMatrixWithItsTextsAndNumbers) {
  const Table table = read_table(kTables / "plain.mat");
  expect_quarters(table);
  EXPECT_THAT(table.names(), ElementsAre("c0", "c1", "c2", "batch", "count"));
  EXPECT_THAT(table["batch"].text, ElementsAre("a", "béta", "a", "", "γ,δ"));
  EXPECT_THAT(table["count"].numbers, ElementsAre(0, 3, 6, 9, 12));
}

// Many toolboxes keep samples as columns; the list of labels has as many values.
TEST(Mat, FindsSamplesThatAreColumnsByTheListBesideThem) {
  const auto reader = open_table(kTables / "packed.mat");
  EXPECT_THAT(reader->notes(), ElementsAre(HasSubstr("the columns of values are samples")));
  const Table table = reader->read_rest();
  expect_quarters(table);
  EXPECT_THAT(table["who"].text, ElementsAre("ab", "c", "ab", "c", "d"));
}

// MATLAB 7.3 is HDF5 and lies on its side: rows of the dataset are columns of the matrix.
TEST(Mat, ReadsVersion73) {
  try {
    const Table table = read_table(kTables / "new.mat");
    expect_quarters(table);
    EXPECT_THAT(table["Ys"].numbers, ElementsAre(0, 0, 0, 0, 0));
  } catch (const InvalidOption& error) {
    EXPECT_THAT(error.what(), HasSubstr("save it in MATLAB by save -v7"));
    GTEST_SKIP() << "built without HDF5";
  }
}

// A file of another kind of processor: the same words with their bytes in the other order.
TEST(Mat, ReadsBytesInTheOtherOrder) {
  std::string bytes(124, ' ');
  bytes += std::string("\x01\x00MI", 4);
  const auto word = [&](std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  };
  word(14), word(56);                                              // a matrix of 56 bytes
  word(6), word(8), word(6), word(0);                              // flags: doubles
  word(5), word(8), word(2), word(2);                              // 2 x 2
  word(1 << 16 | 1), bytes += "X", bytes += std::string(3, '\0');  // its name, beside its type
  word(4), word(8);                                                // numbers, kept as uint16
  bytes += std::string("\x00\x01\x00\x02\x00\x03\x01\x00", 8);
  const TemporaryFolder folder;
  const Table table = read_table(folder.with("big.mat", bytes));
  EXPECT_THAT(table["c0"].numbers, ElementsAre(1, 2));
  EXPECT_THAT(table["c1"].numbers, ElementsAre(3, 256));
}

TEST(Mat, RefusesWithTheReason) {
  const TemporaryFolder folder;
  const std::string plain = bytes_of(kTables / "plain.mat");
  std::string packed = bytes_of(kTables / "packed.mat");
  packed[150] = static_cast<char>(packed[150] ^ 0x55);
  std::string long_element = plain;
  long_element.replace(132, 4, "\xff\xff\xff\x7f");
  std::string float_sizes = plain;
  float_sizes[152] = 7;
  struct Case {
    std::string name;
    std::string bytes;
    TableOptions options;
    std::string what;
  };
  const std::vector<Case> cases = {
      {"text.mat", "a,b\n1,2\n", {}, "is no MATLAB file of version 5 to 7.3; save it in MATLAB"},
      {"cut.mat", plain.substr(0, 200), {}, "is damaged (an element tells of"},
      {"long.mat", long_element, {}, "an element tells of 2147483647 bytes but there are"},
      {"sizes.mat", float_sizes, {}, "sizes of an array are no whole numbers"},
      {"flipped.mat", packed, {}, "a packed array cannot be unpacked"},
      {"array.mat", plain, {.array = "XX"}, "no array \"XX\"; the arrays are \"X\", \"count\"."},
      {"two.mat", bytes_of(kTables / "two.mat"), {}, "2 of two dimensions (A, B); name the array"},
      {"new.mat.gz", bytes_of(kTables / "new.mat").substr(0, 300), {}, "HDF5"},
  };
  for (const Case& c : cases) {
    const auto path = folder.with(c.name, c.bytes);
    EXPECT_THAT([&] { read_table(path, c.options); }, ThrowsMessage<Error>(HasSubstr(c.what)))
        << c.name;
  }
  EXPECT_THAT([&] { create_table(folder / "out.mat"); },
              ThrowsMessage<Error>(HasSubstr("MATLAB files are read, not written")));
}

TEST(Mat, OpensDigitsOfMatlab) {
  const auto path = real_data("mnist_usps/MNIST_vs_USPS.mat");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  const Table table = read_table(path, {.array = "Xs"});
  EXPECT_EQ(table.num_rows(), 2000);
  EXPECT_EQ(table.num_columns(), 257);
  EXPECT_TRUE(table.has("Ys"));
}

}  // namespace mat_test
}  // namespace conflux
