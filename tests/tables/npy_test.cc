#include "tables/npy.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "conflux/core/error.h"
#include "tables/binary_array.h"
#include "tests/tables/files.h"

namespace conflux {
namespace npy_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// The rule of tools/make_table_fixtures.py.
double whole(Index i, Index j) { return static_cast<double>(3 * i + j); }
double quarter(Index i, Index j) { return whole(i, j) / 4 - 1; }

template <class Rule>
void expect_follows(const Table& table, Index cols, const Rule& rule) {
  ASSERT_EQ(table.num_columns(), cols);
  ASSERT_EQ(table.num_rows(), 5);
  for (Index j = 0; j < cols; ++j) {
    EXPECT_EQ(table.columns[j].name, fmt::format("c{}", j));
    for (Index i = 0; i < 5; ++i)
      EXPECT_EQ(table.columns[j].numbers[i], rule(i, j)) << i << " " << j;
  }
}

std::string npy_with(const std::string& dict, const std::string& data = "") {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  append_uint16(bytes, static_cast<std::uint16_t>(dict.size()));
  return bytes + dict + data;
}

std::string dict(const std::string& descr, const std::string& shape) {
  return fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, shape);
}

class NumpyType : public testing::TestWithParam<std::string> {};

// The big-endian files are also in Fortran order.
TEST_P(NumpyType, ReadsInBothByteAndElementOrders) {
  for (const std::string order : {"little", "big"}) {
    const auto path = kTables / fmt::format("{}_{}.npy", order, GetParam());
    for (const Index rows : {1, 2, 7}) {
      const auto reader = open_table(path);
      Table table;
      reader->read(table, rows);
      for (Table block; reader->read(block, rows);) table.append(block);
      expect_follows(table, 3, GetParam()[0] == 'f' ? quarter : whole);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Npy, NumpyType,
                         testing::Values("f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4",
                                         "u8"));

TEST(Npy, ReadsEveryVersionAndOneDimension) {
  expect_follows(read_table(kTables / "version2.npy"), 3, quarter);
  expect_follows(read_table(kTables / "version3.npy"), 3, quarter);
  expect_follows(read_table(kTables / "line.npy"), 1, quarter);
  expect_follows(read_table(kTables / "bool.npy"), 3,
                 [](Index i, Index j) { return std::fmod(whole(i, j), 2); });
}

TEST(Npy, ColumnsFirstWorksThroughCompression) {
  const TemporaryFolder folder;
  const auto path = folder / "t.npy";
  std::filesystem::copy(kTables / "big_f8.npy", path);
  const std::string command = fmt::format("gzip {}", path.string());
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "no gzip";
  expect_follows(read_table(folder / "t.npy.gz"), 3, quarter);
}

TEST(Npy, ReadsText) {
  const TemporaryFolder folder;
  std::string data;
  for (const std::uint32_t c : {0x61U, 0U, 0x3B1U, 0x1F600U, 0U, 0U}) append_uint32(data, c);
  EXPECT_THAT(read_table(folder.with("t.npy", npy_with(dict("<U2", "(3,)"), data)))["c0"].text,
              ElementsAre("a", "α😀", ""));
  EXPECT_THAT(
      read_table(folder.with("t.npy", npy_with(dict("|S2", "(2,)"), std::string("a\0bc", 4))))["c0"]
          .text,
      ElementsAre("a", "bc"));
}

TEST(Npy, SinglePrecisionRoundsAndRefusesWhatItCannotHold) {
  Table table;
  table.add("x", std::vector<double>{0.1, -1e30, NAN, INFINITY});
  const TemporaryFolder folder;
  write_table(folder / "t.npy", table, {.single_precision = true});
  EXPECT_THAT(read_table(folder / "t.npy")["c0"].numbers,
              ElementsAre(double{0.1F}, double{-1e30F}, testing::IsNan(), INFINITY));
  EXPECT_EQ(std::filesystem::file_size(folder / "t.npy"), 128 + 4 * 4);
  table.columns[0].numbers[0] = 1e39;
  EXPECT_THAT(
      [&] { write_table(folder / "t.npy", table, {.single_precision = true}); },
      ThrowsMessage<InvalidData>(HasSubstr("1e+39 is too large for float32; write float64")));
}

TEST(MapNpy, ShowsTheBytesOfTheFile) {
  const MappedNpy mapped = map_npy(kTables / "little_f8.npy");
  const MappedNpy copy = mapped;
  const MatrixView<const double> view = copy.view<double>();
  ASSERT_EQ(view.rows(), 5);
  ASSERT_EQ(view.cols(), 3);
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 3; ++j) EXPECT_EQ(view(i, j), quarter(i, j));
  }
  EXPECT_EQ(mapped.view<double>().data(), view.data());
  EXPECT_EQ(map_npy(kTables / "little_i2.npy").view<std::int16_t>()(4, 2), 14);
  EXPECT_EQ(map_npy(kTables / "bool.npy").view<std::uint8_t>()(0, 1), 1);
  EXPECT_TRUE(map_npy(kTables / "little_u8.npy").holds<std::uint64_t>());
  EXPECT_EQ(map_npy(kTables / "line.npy").cols(), 1);
}

TEST(MapNpy, MapsWhatWeWrite) {
  Table table;
  table.add("x", std::vector<double>{1, 2, 3});
  table.add("y", std::vector<double>{4, 5, 6});
  const TemporaryFolder folder;
  write_table(folder / "t.npy", table);
  EXPECT_THAT(map_npy(folder / "t.npy").view<double>().row_span(1), ElementsAre(2, 5));
}

TEST(Npy, EveryRefusalNamesThePlaceAndTheRemedy) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& bytes) {
    return [&folder, bytes] { read_table(folder.with("t.npy", bytes)); };
  };
  const auto piped = [&](const std::string& bytes) {
    return [&folder, bytes] {
      const auto plain = folder.with("t.npy", bytes);
      if (std::system(fmt::format("gzip -f {}", plain.string()).c_str()) != 0) return;
      read_table(folder / "t.npy.gz");
    };
  };
  std::string large;
  append_uint64(large, (std::uint64_t{1} << 53) + 1);
  struct Case {
    std::function<void()> call;
    std::string what;
  };
  const std::vector<Case> cases = {
      {read("x,y\n1,2\n"),
       "t.npy is not an NPY file; name its format, or save it with numpy.save."},
      {read(std::string("\x93NUMPY\x04\x00\x01\x00", 10)),
       "t.npy: the NPY header is of version 4; save the array again with numpy.save."},
      {read(std::string("\x93NUMPY\x01\x00\x50\x00{", 11)), "the NPY header ends too early"},
      {read(std::string("\x93NUMPY\x02\x00\xff\xff\xff\x7f", 12)),
       "the NPY header has 2147483647 bytes"},
      {read(npy_with("hello")), "the NPY header lacks a \"{\""},
      {read(npy_with("{'descr': '<f8'}")), "the NPY header lacks descr, fortran_order or shape"},
      {read(npy_with("{'desc': '<f8'}")), "the NPY header has the unknown key \"desc\""},
      {read(npy_with("{'fortran_order': Maybe}")), "fortran_order that is neither True nor False"},
      {read(npy_with("{'shape': (a,)}")), "has a shape that is not made of counts"},
      {read(npy_with("{'descr': '<f8")), "has an open quote"},
      {read(npy_with(dict("<f8", "(-1, 2)"))), "has a shape that is not made of counts"},
      {read(npy_with(dict("<f8", "(99999999999999999999,)"))), "not made of counts"},
      {read(npy_with(dict("<f8", "(1000, 2)"), "12345678")),
       "t.npy: the header tells of 16000 bytes of data but there are 8; copy or make the file "
       "again."},
      {read(npy_with(dict("<f8", "(4611686018427387904, 4611686018427387904)"))),
       "more than any file holds"},
      {read(npy_with(dict("<f8", "(0, 99999999)"))),
       "the header tells of 99999999 columns; at least 1 and at most 1048576 are supported."},
      {read(npy_with(dict("<f8", "(3, 0)"))), "tells of 0 columns"},
      {read(npy_with(dict("<f8", "()"), "12345678")), "of 0 dimensions; reshape it"},
      {read(npy_with(dict("<U9999999", "(3,)"))), "texts of 39999996 bytes; at most 1048576"},
      {read(npy_with(dict("<U1", "(1,)"), "\xff\xff\xff\xff")),
       "row 1 holds 0xffffffff, which is no character"},
      {read(npy_with(dict("|S0", "(9,)"))), "holds elements of type \"|S0\""},
      {read(npy_with(dict("<f2", "(1,)"), "12")),
       "t.npy holds elements of type \"<f2\"; convert them to float32, float64, integers, bool or "
       "text (S, U)."},
      {read(npy_with(dict("<u8", "(1,)"), large)),
       "t.npy: row 1, column 1 is 9007199254740993, which no double holds exactly; store it as "
       "float64."},
      {piped(npy_with(dict("<f8", "(1000000, 100)"), "12345678")),
       "t.npy.gz ends after 0 of 1000000 rows; copy or make the file again."},
      {[] { read_table(kTables / "cube.npy"); },
       "cube.npy holds numbers of 3 dimensions; reshape it to rows x features"},
      {[] { read_table(kTables / "complex.npy"); }, "holds elements of type \"<c16\""},
      {[] { read_table(kTables / "records.npy"); },
       "records.npy holds records of several fields; save each field as its own array."},
      {[] { map_npy(kTables / "little_f8.npy").view<float>(); },
       "little_f8.npy holds elements of type \"<f8\", not \"<f4\"; ask for that type, or convert"},
      {[] { map_npy(kTables / "big_f8.npy"); },
       "big_f8.npy (type \">f8\", Fortran order) cannot be mapped; save numpy.ascontiguousarray of "
       "it, or read it as a table."},
      {[] { map_npy(kTables / "labels-idx1-ubyte.gz"); }, "only plain files can be mapped"},
  };
  for (const Case& c : cases) EXPECT_THAT(c.call, ThrowsMessage<InvalidData>(HasSubstr(c.what)));
}

}  // namespace npy_test
}  // namespace conflux
