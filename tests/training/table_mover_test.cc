#include "conflux/training/table_mover.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "conflux/columns/find_columns.h"
#include "tests/columns/mixed_table.h"

namespace conflux {
namespace table_mover_test {

class TableMoverTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    mixed = new MixedTable(1200);
    model = new Model;
    const Workers workers(1);
    model->columns = find_columns(mixed->table, mixed->groups, 2, {}, workers);
    std::vector<Matrix> rows =
        coordinates_by_group(model->columns, mixed->table, mixed->groups, 2, workers);
    GroupSet groups;
    groups.add("a", std::move(rows[0]));
    groups.add("b", std::move(rows[1]));
    Fit fit = fit_flow(std::move(groups), {.layers = 20, .threads = 1});
    model->flow = std::move(fit.flow);
    model->record = std::move(fit.record);
  }
  static void TearDownTestSuite() {
    delete mixed;
    delete model;
  }

  const Feature& feature(const std::string& name) const {
    return model->columns.features[static_cast<std::size_t>(place(name))];
  }
  Index place(const std::string& name) const {
    const std::vector<std::string> names = model->columns.feature_names();
    return std::find(names.begin(), names.end(), name) - names.begin();
  }

  static MixedTable* mixed;
  static Model* model;
  Workers workers{1};
};

MixedTable* TableMoverTest::mixed = nullptr;
Model* TableMoverTest::model = nullptr;

TEST_F(TableMoverTest, ReturnsRowsToTheBitMissingCellsIncluded) {
  const TableMover mover(*model, workers);
  Table table = mixed->table;
  mover.transform(table, mixed->groups);
  EXPECT_NE(table["age"].numbers, mixed->table["age"].numbers);
  mover.inverse(table, mixed->groups, mixed->groups);
  EXPECT_EQ(table["age"].numbers, mixed->table["age"].numbers);
  for (Index i = 0; i < table.num_rows(); ++i) {
    const std::string& colour = mixed->table["colour"].text[i];
    if (colour != "?") {
      ASSERT_EQ(table["colour"].text[i], colour) << i;
    }
    for (const char* name : {"rain", "pressure", "gaps"}) {
      const double before = mixed->table[name].numbers[i], after = table[name].numbers[i];
      ASSERT_EQ(std::isnan(before), std::isnan(after)) << name << i;
      if (std::isnan(before)) continue;
      ASSERT_NEAR(after, before, before == 0 ? 0 : 1e-7 * (1 + std::abs(before))) << name;
    }
  }
}

TEST_F(TableMoverTest, TranslatesIntoValuesThatTheOtherGroupHas) {
  const TableMover mover(*model, workers);
  Table table = mixed->table;
  const std::vector<Index> to(mixed->groups.size(), 1);
  mover.translate(table, mixed->groups, to);
  std::set<double> ages;
  Index dry_there = 0, dry_moved = 0, there = 0, moved = 0;
  for (Index i = 0; i < table.num_rows(); ++i) {
    if (mixed->groups[i] == 1) ages.insert(mixed->table["age"].numbers[i]);
  }
  for (Index i = 0; i < table.num_rows(); ++i) {
    EXPECT_TRUE(ages.contains(table["age"].numbers[i]));
    EXPECT_GE(table["rain"].numbers[i], 0);
    EXPECT_GE(table["humidity"].numbers[i], 0);
    EXPECT_LE(table["humidity"].numbers[i], 1);
    const bool own = mixed->groups[i] == 1;
    (own ? there : moved) += 1;
    if (table["rain"].numbers[i] == 0) (own ? dry_there : dry_moved) += 1;
  }
  // Zeros in the right proportion: 31 % of group b, 50 % of group a. A third of 1200 rows knows it
  // to about 0.03.
  EXPECT_NEAR(static_cast<double>(dry_moved) / static_cast<double>(moved),
              static_cast<double>(dry_there) / static_cast<double>(there), 0.06);
}

// A row of the group itself is not touched by being translated to it.
TEST_F(TableMoverTest, TranslatesAGroupToItself) {
  const TableMover mover(*model, workers);
  Table table = mixed->table;
  mover.translate(table, mixed->groups, mixed->groups);
  EXPECT_EQ(table["age"].numbers, mixed->table["age"].numbers);
  EXPECT_EQ(table["colour"].text, mixed->table["colour"].text);
}

}  // namespace table_mover_test
}  // namespace conflux
