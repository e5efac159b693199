#include "conflux/model/table_mover.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "conflux/columns/find_columns.h"
#include "core/rng.h"
#include "tests/columns/mixed_table.h"

namespace conflux {
namespace table_mover_test {

class TableMoverTest : public testing::Test {
 protected:
  // Made once for all tests, also for those of RapidCheck, which have a suite of their own.
  TableMoverTest() {
    if (model != nullptr) return;
    mixed = new MixedTable(1200);
    model = new Model;
    model->columns = find_columns(mixed->table, mixed->groups, 2, {}, workers);
    std::vector<Matrix> rows =
        coordinates_by_group(model->columns, mixed->table, mixed->groups, 2, workers);
    GroupSet groups;
    groups.add("a", std::move(rows[0]));
    groups.add("b", std::move(rows[1]));
    SelfCommunicator comm;
    Fit fit = fit_flow(std::move(groups), {.layers = 20, .threads = 1}, comm, {},
                       {.gaps = model->columns.gaps});
    model->flow = std::move(fit.flow);
    model->record = std::move(fit.record);
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
    const std::string& color = mixed->table["color"].text[i];
    if (color != "?") {
      ASSERT_EQ(table["color"].text[i], color) << i;
    }
    for (const char* name : {"rain", "pressure", "gaps"}) {
      const double before = mixed->table[name].numbers[i], after = table[name].numbers[i];
      ASSERT_EQ(std::isnan(before), std::isnan(after)) << name << i;
      if (std::isnan(before)) continue;
      ASSERT_NEAR(after, before, before == 0 ? 0 : 1e-7 * (1 + std::abs(before))) << name;
    }
  }
}

// Trees jump by the cells that are missing, yet all rows return, from whatever layers a method has.
TEST_F(TableMoverTest, ReturnsRowsWithGapsFromLayersThatJump) {
  for (const Method method : {Method::kTree, Method::kConditional, Method::kNb}) {
    Model jumps = *model;
    std::vector<Matrix> rows =
        coordinates_by_group(jumps.columns, mixed->table, mixed->groups, 2, workers);
    GroupSet groups;
    groups.add("a", std::move(rows[0]));
    groups.add("b", std::move(rows[1]));
    Fit fit = fit_flow(std::move(groups), {.method = method});
    jumps.flow = std::move(fit.flow);
    jumps.record = std::move(fit.record);
    ASSERT_TRUE(jumps.flow.takes_gaps());
    ASSERT_GT(jumps.flow.num_layers(), 0);
    const TableMover mover(jumps, workers);
    Table table = mixed->table;
    mover.transform(table, mixed->groups);
    mover.inverse(table, mixed->groups, mixed->groups);
    EXPECT_TRUE(mover.inexact_rows().empty());
    EXPECT_EQ(table["age"].numbers, mixed->table["age"].numbers);
    Index missing = 0;
    for (Index i = 0; i < table.num_rows(); ++i) {
      const double before = mixed->table["gaps"].numbers[i], after = table["gaps"].numbers[i];
      ASSERT_EQ(std::isnan(before), std::isnan(after)) << i;
      missing += std::isnan(before) ? 1 : 0;
      if (!std::isnan(before)) {
        ASSERT_NEAR(after, before, 1e-9 * (1 + std::abs(before))) << i;
      }
    }
    EXPECT_GT(missing, 50);
  }
}

// Ages are whole but for those of some babies, so that whole ones repeat among other numbers: new
// ages between them lie where the fit had no rows.
TEST(TableMoverOfAges, ReturnsNumbersBetweenThoseThatRepeat) {
  Stream random(3, Purpose::kTest);
  std::vector<double> age, fare;
  std::vector<Index> groups;
  for (Index i = 0; i < 900; ++i) {
    groups.push_back(i % 2);
    const double years = 20 + 8 * random.normal() + 4 * static_cast<double>(i % 2);
    age.push_back(i % 7 == 0 ? std::abs(years) : std::round(std::abs(years)));
    fare.push_back(std::exp(random.normal() + 0.02 * years));
  }
  Table table;
  table.add("age", age);
  table.add("fare", fare);
  const Workers workers(1);
  Model model;
  model.columns = find_columns(table, groups, 2, {}, workers);
  ASSERT_EQ(model.columns.features[0].kind, FeatureKind::kRepeated);
  std::vector<Matrix> rows = coordinates_by_group(model.columns, table, groups, 2, workers);
  GroupSet set;
  set.add("a", std::move(rows[0]));
  set.add("b", std::move(rows[1]));
  Fit fit = fit_flow(std::move(set), {.method = Method::kInb, .layers = 20});
  model.flow = std::move(fit.flow);
  model.record = std::move(fit.record);

  Table fresh;
  std::vector<double> new_ages, new_fares;
  std::vector<Index> of_group;
  for (Index i = 0; i < 200; ++i) {
    new_ages.push_back(5.5 + static_cast<double>(i / 4) + 0.1 * static_cast<double>(i % 4));
    new_fares.push_back(1 + static_cast<double>(i % 13));
    of_group.push_back(i % 2);
  }
  fresh.add("age", new_ages);
  fresh.add("fare", new_fares);
  const TableMover mover(model, workers);
  mover.transform(fresh, of_group);
  mover.inverse(fresh, of_group, of_group);
  for (Index i = 0; i < 200; ++i) {
    ASSERT_NEAR(fresh["age"].numbers[i], new_ages[i], 8e-9) << i;
    ASSERT_NEAR(fresh["fare"].numbers[i], new_fares[i], 1e-9) << i;
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

// Every kind of column, missing cells and values that the fit has not seen: more decimals, far
// outside, beyond the support, new categories.
RC_GTEST_FIXTURE_PROP(TableMoverTest, ReturnsRowsThatTheFitHasNotSeen, ()) {
  const auto number = [](double low, double high, int decimals) {
    const double units = std::pow(10.0, decimals);
    return static_cast<double>(*rc::gen::inRange<std::int64_t>(
               static_cast<std::int64_t>(low * units), static_cast<std::int64_t>(high * units))) /
           units;
  };
  const auto maybe = [](double value) {
    return *rc::gen::inRange(0, 5) == 0 ? std::numeric_limits<double>::quiet_NaN() : value;
  };
  Table table;
  std::vector<Index> groups;
  std::vector<double> age, rain, pressure, humidity, gaps;
  std::vector<std::string> color;
  for (int i = 0; i < 20; ++i) {
    groups.push_back(*rc::gen::inRange(0, 2));
    age.push_back(maybe(number(0, 120, *rc::gen::inRange(0, 2))));
    rain.push_back(maybe(std::max(-1.0, number(-8, 12, 4))));
    pressure.push_back(maybe(number(9e4, 1.2e5, 2)));
    humidity.push_back(maybe(number(-0.1, 1.1, 3)));
    gaps.push_back(maybe(number(-9, 9, 5)));
    color.push_back(*rc::gen::element<std::string>("red", "green", "blue", "", "violet", "3"));
  }
  table.add("age", age);
  table.add("rain", rain);
  table.add("pressure", pressure);
  table.add("humidity", humidity);
  table.add("gaps", gaps);
  table.add("color", color);
  const Table before = table;
  const TableMover mover(*model, workers);
  mover.transform(table, groups);
  RC_ASSERT(mover.inexact_rows().empty());
  mover.inverse(table, groups, groups);
  RC_ASSERT(table["color"].text == before["color"].text);
  for (const std::string name : {"age", "rain", "pressure", "humidity", "gaps"}) {
    const double unit = name == "pressure" ? 800 : name == "age" ? 12 : name == "rain" ? 1 : 0.2;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const double was = before[name].numbers[i], is = table[name].numbers[i];
      RC_ASSERT(std::isnan(was) == std::isnan(is));
      if (std::isnan(was)) continue;
      if (feature(name).has_cell(was)) RC_ASSERT(is == was);
      // Rounding grows with the distance from the data.
      RC_ASSERT(std::abs(is - was) <= 1e-9 * std::max(unit, std::abs(was)));
    }
  }
}

// A row of the group itself is not touched by being translated to it.
TEST_F(TableMoverTest, TranslatesAGroupToItself) {
  const TableMover mover(*model, workers);
  Table table = mixed->table;
  mover.translate(table, mixed->groups, mixed->groups);
  EXPECT_EQ(table["age"].numbers, mixed->table["age"].numbers);
  EXPECT_EQ(table["color"].text, mixed->table["color"].text);
}

}  // namespace table_mover_test
}  // namespace conflux
