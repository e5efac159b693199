#include "tables/npz.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "conflux/core/error.h"
#include "tests/tables/files.h"

namespace conflux {
namespace npz_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Npz, ReadsStoredArraysWithUnicodeGroups) {
  const Table table = read_table(kTables / "unicode.npz");
  expect_quarters(table);
  EXPECT_THAT(table.names(), ElementsAre("c0", "c1", "c2", "group"));
  EXPECT_THAT(table["group"].text, ElementsAre("a", "béta", "a", "", "γ,δ"));
}

TEST(Npz, ReadsDeflatedArraysInColumnsWithByteGroups) {
  const Table table = read_table(kTables / "bytes.npz");
  expect_quarters(table);
  EXPECT_THAT(table["group"].text, ElementsAre("a", "bb", "a", "", "c"));
}

TEST(Npz, TakesTheOnlyArrayOfTwoDimensionsAndTheNamedGroups) {
  const Table table = read_table(kTables / "numbers.npz", {.group = "batch"});
  expect_quarters(table);
  EXPECT_THAT(table["batch"].numbers, ElementsAre(0, 3, 6, 9, 12));
  // Unnamed, it is a column like any other list of one value per row.
  EXPECT_THAT(read_table(kTables / "numbers.npz").names(), ElementsAre("c0", "c1", "c2", "batch"));
  expect_quarters(read_table(kTables / "two.npz", {.array = "b"}));
}

TEST(Npz, NumericAndNamedGroupsComeBack) {
  Table table;
  table.add("batch", std::vector<double>{2, 1});
  table.add("x", std::vector<double>{0.5, -0.5});
  const TemporaryFolder folder;
  write_table(folder / "t.npz", table, {.group = "batch"});
  const Table back = read_table(folder / "t.npz", {.group = "batch"});
  EXPECT_THAT(back["batch"].numbers, ElementsAre(2, 1));
  EXPECT_THAT(back["c0"].numbers, ElementsAre(0.5, -0.5));
}

// Archives hold dates; ours are always the same, and do not depend on the time zone.
TEST(Npz, EqualTablesGiveEqualBytesWhereverTheyGo) {
  Table table;
  table.add("x", std::vector<double>{0.5, -0.5});
  table.add("group", std::vector<std::string>{"a", "b\u00e9ta"});
  const TemporaryFolder folder;
  write_table(folder / "a.npz", table);
  ::setenv("TZ", "Asia/Tokyo", 1);
  ::tzset();
  write_table(folder / "b.npz", table);
  ::unsetenv("TZ");
  ::tzset();
  EXPECT_EQ(bytes_of(folder / "a.npz"), bytes_of(folder / "b.npz"));
  // Compressed output cannot be patched and takes another way.
  write_table(folder / "c.npz.gz", table);
  EXPECT_TRUE(same_table(read_table(folder / "c.npz.gz"), read_table(folder / "a.npz")));
}

TEST(Npz, EveryRefusalNamesThePlaceAndTheRemedy) {
  const TemporaryFolder folder;
  const std::string whole = bytes_of(kTables / "unicode.npz");
  const auto read = [&](const std::string& bytes, const TableOptions& options = {}) {
    return [&folder, bytes, options] { read_table(folder.with("t.npz", bytes), options); };
  };
  std::string flipped = whole;
  flipped[150] = static_cast<char>(flipped[150] ^ 1);
  Table bad;
  bad.add("x", std::vector<double>{1});
  bad.add("group", std::vector<std::string>{"\xff"});
  struct Case {
    std::function<void()> call;
    std::string what;
  };
  const std::vector<Case> cases = {
      {read("hello"), "t.npz: it is not a zip archive; save the arrays again with numpy.savez."},
      {read(""), "it is not a zip archive"},
      {read(flipped), "the checksum is wrong, so that the data are damaged; save the arrays again"},
      {read(whole.substr(100)), "t.npz"},
      {read(whole, {.array = "Y"}), "t.npz: no array \"Y\"; the arrays are \"X\", \"group\"."},
      {read(whole, {.group = "gruop"}), "t.npz: no array \"gruop\"; did you mean \"group\"?"},
      {read(whole, {.group = "X"}),
       "t.npz, array \"X\" is 5 x 3 but array \"X\" has 5 rows; give one group per row."},
      {[] { read_table(kTables / "numbers.npz", {.group = "other"}); },
       "numbers.npz, array \"other\" is 9 x 1 but array \"values\" has 5 rows"},
      {[] { read_table(kTables / "two.npz"); },
       "two.npz has no array \"X\" and 2 of two dimensions; name the array that holds the rows."},
      {[&] { write_table(folder / "out.npz", bad); }, "is not UTF-8 text, which NPZ needs"},
  };
  for (const Case& c : cases) EXPECT_THAT(c.call, ThrowsMessage<Error>(HasSubstr(c.what)));
}

// Whatever byte is wrong, the answer is an error or a table, never a crash.
TEST(Npz, SurvivesEveryFlippedByte) {
  const std::string whole = bytes_of(kTables / "bytes.npz");
  const TemporaryFolder folder;
  for (std::size_t k = 0; k < whole.size(); ++k) {
    std::string bytes = whole;
    bytes[k] = static_cast<char>(bytes[k] ^ 0xFF);
    try {
      read_table(folder.with("t.npz", bytes));
    } catch (const Error&) {
    }
  }
}

}  // namespace npz_test
}  // namespace conflux
