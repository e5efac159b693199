#include "conflux/columns/columns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "conflux/columns/find_columns.h"
#include "conflux/core/error.h"
#include "tests/columns/mixed_table.h"

namespace conflux {
namespace columns_test {

class ColumnsTest : public testing::Test {
 protected:
  ColumnsTest() : mixed(1500), columns(find_columns(mixed.table, mixed.groups, 2, {}, workers)) {}

  Workers workers{1};
  MixedTable mixed;
  Columns columns;
};

void expect_equal_features(const Columns& columns, const Table& a, const Table& b) {
  for (const Feature& feature : columns.features) {
    for (Index i = 0; i < a.num_rows(); ++i) {
      if (feature.category()) {
        ASSERT_EQ(a[feature.name].text[i], b[feature.name].text[i]) << feature.name;
        continue;
      }
      const double x = a[feature.name].numbers[i], y = b[feature.name].numbers[i];
      if (std::isnan(x)) {
        ASSERT_TRUE(std::isnan(y));
      } else if (feature.has_cell(x)) {
        ASSERT_EQ(x, y) << feature.name;
      } else {
        ASSERT_NEAR(x, y, 1e-9) << feature.name;
      }
    }
  }
}

TEST_F(ColumnsTest, ReturnWhatTheyTook) {
  Table table = mixed.table;
  const Matrix rows = columns.coordinates(table, workers);
  for (const char* name : {"age", "rain", "pressure"}) {
    for (double& number : table.columns[table.find(name)].numbers) number = -1;
  }
  columns.put_values(table, rows, mixed.groups, mixed.groups, workers);
  expect_equal_features(columns, mixed.table, table);
}

TEST_F(ColumnsTest, PassThroughTheSharedSpace) {
  Table table = mixed.table;
  const Matrix rows = columns.coordinates(table, workers);
  columns.put_shared(table, rows, workers);
  EXPECT_TRUE(table["color"].numeric());
  const Matrix again = columns.shared_coordinates(table, workers);
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) {
      if (std::isnan(rows(i, j))) {
        EXPECT_TRUE(std::isnan(again(i, j)));
      } else {
        EXPECT_NEAR(rows(i, j), again(i, j), 1e-9);
      }
    }
  }
}

// A row must have the same coordinates in any block and on any number of threads.
TEST_F(ColumnsTest, GiveTheSameBitsForBlocksAndThreads) {
  const Matrix whole = columns.coordinates(mixed.table, workers);
  EXPECT_TRUE((columns.coordinates(mixed.table, Workers(3)).array() == whole.array() ||
               whole.array().isNaN())
                  .all());
  std::vector<Index> some;
  for (Index i = 700; i < 731; ++i) some.push_back(i);
  Table block = mixed.table.rows(some);
  block.first_row = 700;
  const Matrix part = columns.coordinates(block, workers);
  const Matrix expected = whole.middleRows(700, 31);
  EXPECT_TRUE((part.array() == expected.array() || expected.array().isNaN()).all());
}

TEST_F(ColumnsTest, LeaveNoRepeatedValue) {
  const Matrix rows = columns.coordinates(mixed.table, workers);
  for (Index j = 0; j < rows.cols(); ++j) {
    std::set<double> values;
    Index there = 0;
    for (const double x : rows.col(j)) {
      if (std::isnan(x)) continue;
      values.insert(x);
      ++there;
    }
    EXPECT_EQ(static_cast<Index>(values.size()), there) << columns.features[j].name;
  }
}

TEST_F(ColumnsTest, TakeANewCategoryForMissingAndKeepIt) {
  Table table = mixed.table;
  table.columns[table.find("color")].text[5] = "violet";
  const Matrix rows = columns.coordinates(table, workers);
  columns.put_values(table, rows, mixed.groups, mixed.groups, workers);
  EXPECT_EQ(table["color"].text[5], "violet");
}

// In the shared space a color is a number, and a new one must not get lost among them, not even one
// that looks like a number.
TEST_F(ColumnsTest, CarryANewCategoryThroughTheSharedSpace) {
  Table table = mixed.table;
  std::vector<std::string>& colors = table.columns[table.find("color")].text;
  colors[5] = "violet";
  colors[8] = "7";
  colors[9] = "new:red";
  const std::vector<std::string> before = colors;
  columns.put_shared(table, columns.coordinates(table, workers), workers);
  EXPECT_EQ(table["color"].text[5], "new:violet");
  const Matrix rows = columns.shared_coordinates(table, workers);
  columns.unmark_new_categories(table);
  columns.put_values(table, rows, mixed.groups, mixed.groups, workers);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(table["color"].text[i], before[i] == "?" ? "" : before[i]);
  }
}

TEST_F(ColumnsTest, GiveTheSameBitsInAnyOrderWithAKey) {
  const Columns keyed = find_columns(mixed.table, mixed.groups, 2, {.key = "name"}, workers);
  std::vector<Index> backwards;
  for (Index i = mixed.table.num_rows(); i-- > 0;) backwards.push_back(i);
  const Matrix rows = keyed.coordinates(mixed.table, workers);
  const Matrix turned = keyed.coordinates(mixed.table.rows(backwards), workers);
  const Matrix expected = rows.colwise().reverse();
  EXPECT_TRUE((turned.array() == expected.array() || expected.array().isNaN()).all());
  EXPECT_THROW(find_columns(mixed.table, mixed.groups, 2, {.key = "age"}, workers), InvalidData);
  EXPECT_THROW(find_columns(mixed.table, mixed.groups, 2, {.key = "nmae"}, workers), InvalidOption);
}

TEST_F(ColumnsTest, RefuseInfinitiesAndMissingCellsIfAsked) {
  Table table = mixed.table;
  table.columns[table.find("age")].numbers[3] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(columns.coordinates(table, workers), InvalidData);
  columns.missing = MissingRule::kRefuse;
  EXPECT_THROW(columns.coordinates(mixed.table, workers), InvalidData);
}

// "gaps" follows "rain": a row of heavy rain must be expected to have more of it.
TEST_F(ColumnsTest, ExpectMissingValuesFromTheRest) {
  Matrix rows = columns.coordinates(mixed.table, workers);
  std::vector<std::string> names = columns.feature_names();
  const auto rain = std::find(names.begin(), names.end(), "rain") - names.begin();
  const auto gaps = std::find(names.begin(), names.end(), "gaps") - names.begin();
  Matrix two = rows.topRows(2);
  two.col(gaps).setConstant(std::numeric_limits<double>::quiet_NaN());
  two.row(1) = two.row(0);
  two(0, rain) = -1;
  two(1, rain) = 2;
  columns.fill_missing(Rows(two), 0);
  EXPECT_GT(two(1, gaps), two(0, gaps) + 1);
}

}  // namespace columns_test
}  // namespace conflux
