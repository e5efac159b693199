#include "tables/netcdf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "conflux/core/error.h"
#include "tests/tables/files.h"

namespace conflux {
namespace netcdf_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// tools/make_table_fixtures.py wrote the file by netCDF4 of Python, in two formats.
class Climate : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    try {
      open_table(path());
    } catch (const InvalidOption& error) {
      GTEST_SKIP() << error.what();
    }
  }
  static std::filesystem::path path() { return kTables / GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Netcdf, Climate, testing::Values("climate.nc", "climate_classic.nc"),
                         [](const auto& instance) {
                           return instance.param == "climate.nc" ? "Hdf5" : "Classic";
                         });

TEST_P(Climate, RowsArePointsOfTheGridWithTheirCoordinates) {
  const auto reader = open_table(path());
  EXPECT_THAT(reader->notes(), ElementsAre(HasSubstr("variable \"height\" is left out")));
  const Table table = reader->read_rest();
  EXPECT_THAT(table.names(), ElementsAre("tas", "pr", "time", "year", "month", "lat", "lon"));
  ASSERT_EQ(table.num_rows(), 8);
  for (Index i = 0; i < 8; ++i) {
    if (i == 3) {
      EXPECT_TRUE(std::isnan(table["tas"].numbers[i]));
    } else {
      EXPECT_EQ(table["tas"].numbers[i], 270 + static_cast<double>(i));
    }
    EXPECT_EQ(table["pr"].numbers[i], 1 + 0.5 * static_cast<double>(i));
  }
  EXPECT_THAT(table["year"].numbers, ElementsAre(1980, 1980, 1980, 1980, 1981, 1981, 1981, 1981));
  EXPECT_THAT(table["month"].numbers, ElementsAre(12, 12, 12, 12, 1, 1, 1, 1));
  EXPECT_THAT(table["lat"].numbers, ElementsAre(40, 50, 40, 50, 40, 50, 40, 50));
  EXPECT_EQ(table.extras->carried.size(), 5u);
}

TEST_P(Climate, BlocksOfAnySizeGiveTheSameTable) {
  const Table whole = read_table(path());
  for (const Index rows : {1, 3, 5}) {
    const auto reader = open_table(path());
    Table blocks, block;
    reader->read(blocks, rows);
    while (reader->read(block, rows)) blocks.append(block);
    EXPECT_TRUE(same_table(whole, blocks)) << rows;
  }
}

// Attributes, packing, and what was missing stay; numbers are those that were written.
TEST_P(Climate, WritesACopyWithOtherNumbers) {
  const TemporaryFolder folder;
  Table table = read_table(path());
  for (double& value : table.columns[table.find("tas")].numbers) value += 1;
  for (double& value : table.columns[table.find("pr")].numbers) value *= 2;
  write_table(folder / "out.nc", table);
  EXPECT_TRUE(same_table(read_table(folder / "out.nc"), table));
  EXPECT_THAT(bytes_of(folder / "out.nc"), HasSubstr("made for tests"));
}

TEST_P(Climate, RefusalsNameTheRemedy) {
  const TemporaryFolder folder;
  const Table table = read_table(path());
  EXPECT_THAT(
      [&] {
        write_table(folder / "part.nc", table.rows(std::vector<Index>{0, 1}));
      },
      ThrowsMessage<InvalidData>(HasSubstr("needs all of them")));
  Table other;
  other.add("tas", std::vector<double>{1});
  EXPECT_THAT([&] { write_table(folder / "other.nc", other); },
              ThrowsMessage<InvalidOption>(HasSubstr("come from elsewhere")));
  EXPECT_THAT([&] { read_table(folder.with("text.nc", "x,y\n1,2\n")); },
              ThrowsMessage<InvalidData>(HasSubstr("cannot be read as netCDF")));
  const std::string bytes = bytes_of(path());
  EXPECT_THROW(read_table(folder.with("cut.nc", bytes.substr(0, bytes.size() / 2))), InvalidData);
}

// The library would make room for what the head tells of.
TEST(NetcdfHead, IsNotBelieved) {
  const TemporaryFolder folder;
  const std::string bytes = bytes_of(kTables / "climate_classic.nc");
  const std::string dimensions("\0\0\0\x0a", 4), attributes("\0\0\0\x0c", 4),
      variables("\0\0\0\x0b", 4);
  for (const std::string& tag : {dimensions, attributes, variables}) {
    std::string spoiled = bytes;
    spoiled.replace(bytes.find(tag, 4) + 4, 4, "\x7f\xff\xff\xf0");
    EXPECT_THAT([&] { read_table(folder.with("bad.nc", spoiled)); },
                ThrowsMessage<Error>(testing::AnyOf(HasSubstr("more than its 776 bytes can hold"),
                                                    HasSubstr("without the netCDF library"))));
  }
}

// The library would divide by the size of a type that has none: a fuzzer found it.
TEST(NetcdfHead, TypesHaveASize) {
  const TemporaryFolder folder;
  std::string bytes = bytes_of(kTables / "climate_classic.nc");
  // The first variable ends with its type (6, doubles), the bytes it takes (32) and their place.
  const std::size_t at = bytes.find(std::string("\0\0\0\x06\0\0\0\x20", 8));
  ASSERT_NE(at, std::string::npos);
  bytes[at + 3] = 12;
  const auto file = folder.with("type.nc", bytes);
  EXPECT_THAT([&] { read_table(file); },
              ThrowsMessage<Error>(testing::AnyOf(HasSubstr("values of type 12"),
                                                  HasSubstr("without the netCDF library"))));
}

// The library would copy 300 bytes into a buffer of 257: a fuzzer found that this overran the
// stack.
TEST(NetcdfHead, NamesAreNotLongerThanAllowed) {
  const TemporaryFolder folder;
  std::string bytes = bytes_of(kTables / "climate_classic.nc");
  // Behind the tag of the dimensions and their number stands the first name: its length, its text.
  const std::size_t at = bytes.find(std::string("\0\0\0\x0a", 4), 4) + 8;
  const std::size_t padded = (static_cast<unsigned char>(bytes[at + 3]) + 3) / 4 * 4;
  bytes.replace(at, 4 + padded, std::string("\0\0\x01\x2c", 4) + std::string(300, 'a'));
  const auto file = folder.with("long.nc", bytes);
  EXPECT_THAT([&] { read_table(file); },
              ThrowsMessage<Error>(testing::AnyOf(HasSubstr("a name of 300 bytes"),
                                                  HasSubstr("without the netCDF library"))));
}

}  // namespace netcdf_test
}  // namespace conflux
