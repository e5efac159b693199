#include "columns/missing_codes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "conflux/columns/find_columns.h"
#include "conflux/core/error.h"

namespace conflux {
namespace missing_codes_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Temperatures from 5 to 25, then some other numbers.
std::vector<double> temperatures(const std::vector<double>& others) {
  std::vector<double> out;
  for (int i = 0; i <= 80; ++i) out.push_back(5 + 0.25 * ((i * 37) % 81));
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

TEST(MissingCodes, AreNumbersThatPeopleUseAndThatLieFarFromAllOthers) {
  EXPECT_THAT(find_missing_codes(temperatures({-999, -999, -999})), ElementsAre(-999));
  EXPECT_THAT(find_missing_codes(temperatures({999.9, 999.9})), ElementsAre(999.9));
  EXPECT_THAT(find_missing_codes(temperatures({-9999, 1e20, -9999})), ElementsAre(-9999, 1e20));
  EXPECT_THAT(find_missing_codes(temperatures({-32768, -32768})), ElementsAre(-32768));
  EXPECT_THAT(find_missing_codes(std::vector<double>{1, 2, 1, 2, -9, 1, 2, -9}), ElementsAre(-9));
}

// Each of these would be a number lost.
TEST(MissingCodes, AreNotFoundAmongMeasurements) {
  EXPECT_THAT(find_missing_codes(temperatures({})), IsEmpty());
  // Nobody uses it; once is no rule; too near, as the largest gains of a census are.
  EXPECT_THAT(find_missing_codes(temperatures({-1000, -1000})), IsEmpty());
  EXPECT_THAT(find_missing_codes(temperatures({-999})), IsEmpty());
  EXPECT_THAT(find_missing_codes(temperatures({60, 99, 99})), IsEmpty());
  EXPECT_THAT(find_missing_codes(std::vector<double>{0, 5000, 41310, 99999, 99999}), IsEmpty());
  // Most rows have it: customers who were never called.
  EXPECT_THAT(find_missing_codes(std::vector<double>{3, 6, 999, 999, 999, 999}), IsEmpty());
  // Nothing to compare with.
  EXPECT_THAT(find_missing_codes(std::vector<double>{-999, -999, 1, 1, 1}), IsEmpty());
  EXPECT_THAT(find_missing_codes(std::vector<double>{}), IsEmpty());
  EXPECT_THAT(find_missing_codes(std::vector<double>{std::nan(""), std::nan("")}), IsEmpty());
}

// A number that is no code widens what codes must be far from.
TEST(MissingCodes, AreFarFromNumbersThatOnlyLookLikeThem) {
  EXPECT_THAT(find_missing_codes(temperatures({60, 99, 99, -999, -999, -999})), ElementsAre(-999));
  EXPECT_THAT(find_missing_codes(temperatures({60, 99, 99, 999, 999, 300})), IsEmpty());
}

struct Sensors {
  Sensors() {
    table.source = "sensors.csv";
    table.add("temperature", temperatures({-999, -999, std::nan("")}));
    groups.resize(static_cast<std::size_t>(table.num_rows()));
    for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = static_cast<Index>(i % 2);
  }
  Columns found(MissingRule rule) const {
    ColumnOptions options;
    options.missing = rule;
    return find_columns(table, groups, 2, options, Workers(1));
  }

  Table table;
  std::vector<Index> groups;
};

TEST(MissingCodes, StayInTheirCellsThereAndBack) {
  const Sensors sensors;
  const Columns columns = sensors.found(MissingRule::kAuto);
  EXPECT_THAT(columns.describe().front(), HasSubstr("-999 is taken for a missing cell"));
  EXPECT_THAT(columns.gaps, ElementsAre(0));
  EXPECT_EQ(columns.features[0].held[0].range.low, 5);

  const Matrix rows = columns.coordinates(sensors.table, Workers(1));
  EXPECT_TRUE(std::isnan(rows(81, 0)) && std::isnan(rows(83, 0)) && !std::isnan(rows(80, 0)));
  Table shared = sensors.table;
  columns.put_shared(shared, ConstRows(rows), Workers(1));
  EXPECT_EQ(shared["temperature"].numbers[81], -999);
  EXPECT_TRUE(std::isnan(shared["temperature"].numbers[83]));
  const Matrix again = columns.shared_coordinates(shared, Workers(1));
  EXPECT_TRUE(std::isnan(again(81, 0)));
  columns.put_values(shared, ConstRows(again), sensors.groups, sensors.groups, Workers(1));
  for (std::size_t i = 0; i < 83; ++i) {
    EXPECT_EQ(shared["temperature"].numbers[i], sensors.table["temperature"].numbers[i]) << i;
  }
}

TEST(MissingCodes, FollowTheRuleForMissingCells) {
  const Sensors sensors;
  const Columns with_numbers = sensors.found(MissingRule::kEmpty);
  EXPECT_THAT(with_numbers.features[0].missing_codes, IsEmpty());
  EXPECT_EQ(complete_rows(sensors.table, with_numbers).size(), 83u);
  const Columns columns = sensors.found(MissingRule::kDrop);
  EXPECT_EQ(complete_rows(sensors.table, columns).size(), 81u);
  try {
    sensors.found(MissingRule::kRefuse);
    FAIL() << "a code was not refused";
  } catch (const InvalidData& error) {
    EXPECT_THAT(error.what(), HasSubstr("-999, which stands for a missing cell"));
  }
}

// Rows that come later have the code, although no fitted row has it.
TEST(MissingCodes, AreKnownAfterRowsThatHaveThemWereLeftOut) {
  const Sensors sensors;
  const Columns all = sensors.found(MissingRule::kDrop);
  const std::vector<Index> kept = complete_rows(sensors.table, all);
  std::vector<Index> groups;
  for (const Index i : kept) groups.push_back(sensors.groups[static_cast<std::size_t>(i)]);
  Columns columns = find_columns(sensors.table.rows(kept), groups, 2, {}, Workers(1));
  EXPECT_THAT(columns.features[0].missing_codes, IsEmpty());
  take_missing_codes(columns, all);
  EXPECT_THAT(columns.features[0].missing_codes, ElementsAre(-999));
}

// The fit has seen no code; new rows have one, and a number that is only large.
TEST(MissingCodes, OfNewRowsStayInTheirCells) {
  Sensors sensors;
  sensors.table = {};
  sensors.table.add("temperature", temperatures({}));
  sensors.groups.resize(81);
  Table later;
  later.add("temperature", {-999, 300, 20});
  for (const MissingRule rule : {MissingRule::kAuto, MissingRule::kEmpty}) {
    const Columns columns = sensors.found(rule);
    const Matrix rows = columns.coordinates(later, Workers(1));
    EXPECT_EQ(std::isnan(rows(0, 0)), rule == MissingRule::kAuto);
    EXPECT_FALSE(std::isnan(rows(1, 0)) || std::isnan(rows(2, 0)));
    Table shared = later;
    columns.put_shared(shared, ConstRows(rows), Workers(1));
    const Matrix again = columns.shared_coordinates(shared, Workers(1));
    EXPECT_EQ(std::isnan(again(0, 0)), rule == MissingRule::kAuto);
    EXPECT_TRUE(rule == MissingRule::kEmpty || shared["temperature"].numbers[0] == -999);
  }
}

}  // namespace missing_codes_test
}  // namespace conflux
