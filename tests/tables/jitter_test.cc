#include "conflux/tables/jitter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "conflux/core/error.h"

namespace conflux {
namespace {

Table counts() {
  Table table;
  table.columns.push_back({"children", ColumnType::kNumeric, {0, 1, 0, 2, 1, 0, 2, 0}, {}});
  table.columns.push_back({"height", ColumnType::kNumeric, {1, 2, 3, 4, 5, 6, 7, 8}, {}});
  table.columns.push_back(
      {"name", ColumnType::kText, {}, {"a", "b", "c", "d", "e", "f", "g", "h"}});
  return table;
}

TEST(Jitter, IsNarrowerThanTheGapsOfRepeatedValues) {
  EXPECT_EQ(jitter_width(std::vector<double>{0, 0, 5, 5, 7, 7, 7.5}), 2);
  EXPECT_EQ(jitter_width(std::vector<double>{1, 2, 3}), 0);
  EXPECT_EQ(jitter_width(std::vector<double>{1, 1, 1}), 0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(jitter_width(std::vector<double>{nan, nan, 4, 4, 1, 1}), 3);
}

TEST(Jitter, SpreadsValuesAndRoundingTakesItOff) {
  Table table = counts();
  const std::vector<std::string> columns = {"children", "height"};
  const auto widths = add_jitter(table, columns, 3);
  EXPECT_EQ(widths[0].width, 1);
  EXPECT_EQ(widths[1].width, 0);
  const std::vector<double>& moved = table.columns[0].numbers;
  EXPECT_EQ(std::set<double>(moved.begin(), moved.end()).size(), moved.size());
  for (std::size_t i = 0; i < moved.size(); ++i) {
    EXPECT_EQ(std::round(moved[i]), counts().columns[0].numbers[i]);
  }
  EXPECT_EQ(table.columns[1].numbers, counts().columns[1].numbers);
}

TEST(Jitter, DependsOnTheSeedAlone) {
  Table one = counts(), two = counts(), other = counts();
  const std::vector<std::string> columns = {"children"};
  add_jitter(one, columns, 3);
  add_jitter(two, columns, 3);
  add_jitter(other, columns, 4);
  EXPECT_EQ(one.columns[0].numbers, two.columns[0].numbers);
  EXPECT_NE(one.columns[0].numbers, other.columns[0].numbers);
}

TEST(Jitter, RefusesWhatIsNoNumber) {
  Table table = counts();
  EXPECT_THROW(add_jitter(table, std::vector<std::string>{"childern"}, 0), InvalidOption);
  EXPECT_THROW(add_jitter(table, std::vector<std::string>{"name"}, 0), InvalidOption);
}

}  // namespace
}  // namespace conflux
