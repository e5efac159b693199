#include "conflux/tables/table_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "conflux/core/error.h"
#include "tests/support/golden.h"
#include "tests/tables/files.h"

namespace conflux {
namespace table_groups_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const std::filesystem::path kGolden = golden_folder();

GroupSet read_text(const std::string& text) {
  return read_csv(TemporaryFolder().with("table.csv", text));
}

RC_GTEST_PROP(GroupTable, RoundTripKeepsEveryBit, (const std::vector<std::uint64_t>& patterns)) {
  std::vector<double> values = {0.1, -0.0, 5e-324, 1.7976931348623157e308, 1e22, -1.0 / 3};
  for (const std::uint64_t bits : patterns) {
    const double value = std::bit_cast<double>(bits);
    if (std::isfinite(value)) values.push_back(value);
  }
  const Index rows = static_cast<Index>(values.size());
  const Matrix column = Eigen::Map<const Matrix>(values.data(), rows, 1);
  GroupSet groups;
  groups.add("first", Matrix(column));
  groups.add("second", Matrix(-column));
  const TemporaryFolder folder;
  write_csv(folder / "table.csv", groups);
  const GroupSet back = read_csv(folder / "table.csv");
  RC_ASSERT(back.names() == groups.names());
  for (Index m = 0; m < 2; ++m) {
    RC_ASSERT(back[m].rows.rows() == rows);
    for (Index i = 0; i < rows; ++i) {
      RC_ASSERT(std::bit_cast<std::uint64_t>(back[m].rows(i, 0)) ==
                std::bit_cast<std::uint64_t>(groups[m].rows(i, 0)));
    }
  }
}

TEST(GroupTable, GroupsComeInTheOrderOfTheirFirstRows) {
  const GroupSet groups = read_text("height,weight,group\r\n1,2,b\r\n3,4,a\r\n5,-6.5e1,b\r\n");
  EXPECT_THAT(groups.names(), ElementsAre("b", "a"));
  EXPECT_THAT(groups.feature_names(), ElementsAre("height", "weight"));
  EXPECT_THAT(groups[0].rows.row_span(1), ElementsAre(5.0, -65.0));
  EXPECT_THAT(groups[1].rows.row_span(0), ElementsAre(3.0, 4.0));
}

TEST(GroupTable, WritesThroughAStrideAndNamesTheUnnamed) {
  const Matrix wide = Matrix::Constant(2, 5, 1.5);
  GroupSet groups;
  groups.add("a", ConstRows(wide.data(), 2, 2, 5));
  const TemporaryFolder folder;
  write_csv(folder / "table.csv", groups);
  EXPECT_EQ(bytes_of(folder / "table.csv"), "x0,x1,group\n1.5,1.5,a\n1.5,1.5,a\n");
}

TEST(GroupTable, GroupNamesKeepTheirSpelling) {
  EXPECT_THAT(read_text("x,group\n1,007\n2,\"a,b\"\n").names(), ElementsAre("007", "a,b"));
}

TEST(GroupTable, ReadsAndWritesCompressedFiles) {
  GroupSet groups;
  groups.add("a", Matrix(Matrix::Random(3, 2)));
  const TemporaryFolder folder;
  write_csv(folder / "table.csv.gz", groups);
  EXPECT_EQ(read_csv(folder / "table.csv.gz")[0].rows.eigen(), groups[0].rows.eigen());
  EXPECT_TRUE(bytes_of(folder / "table.csv.gz").starts_with("\x1f\x8b"));
}

TEST(GroupTable, MalformedTextIsRefused) {
  const auto expect_refusal = [](const std::string& text, const std::string& where,
                                 const std::string& what) {
    EXPECT_THAT([&] { read_text(text); },
                ThrowsMessage<Error>(AllOf(HasSubstr(where), HasSubstr(what))))
        << text;
  };
  expect_refusal("x,y,group\n1,2,a\n1,zwei,a\n", "column \"y\"", "line 3");
  expect_refusal("x,y,group\n1e999,2,a\n", "column \"x\"", "1e999");
  expect_refusal("x,y,group\n,2,a\n", "line 2, column \"x\" is missing", "\"x\" 1");
  expect_refusal("x,y,group\n1,2,a\n1,a\n", "line 3, column 3", "2 cells but the header 3");
  expect_refusal("x,y,group\n1,2,\n", "line 2 has no group", "name its group");
  expect_refusal("x,y,gruop\n1,2,a\n", "no column \"group\"", "did you mean \"gruop\"?");
  expect_refusal("group\na\n", "no features", "add a column");
  expect_refusal("", "is empty", "names of its columns");
  expect_refusal("x,y,group\n", "no rows", "table.csv");
  EXPECT_THAT([] { read_csv("/nowhere/at/all.csv"); },
              ThrowsMessage<Error>(HasSubstr("/nowhere/at/all.csv")));
}

TEST(GroupTable, WriterRefusesWhatItCouldNotReadBack) {
  const TemporaryFolder folder;
  const auto refuses = [&](const std::string& name, Matrix rows, std::vector<double> weights) {
    GroupSet groups;
    groups.add(name, std::move(rows), std::move(weights));
    EXPECT_THROW(write_csv(folder / "table.csv", groups), InvalidData) << name;
  };
  refuses("", Matrix::Zero(1, 1), {});
  refuses("NA", Matrix::Zero(1, 1), {});
  refuses("weighted", Matrix::Zero(1, 1), {2.0});
  refuses("without rows", Matrix::Zero(0, 1), {});
  GroupSet groups;
  groups.add("a", Matrix(Matrix::Zero(1, 1)));
  EXPECT_THROW(write_csv("/nowhere/at/all.csv", groups), Error);
}

Table cells() {
  Table table;
  table.source = "cells.csv";
  table.add("id", std::vector<std::string>{"p", "q", "r", "s"});
  table.add("x", std::vector<double>{1, 2, 3, 4});
  table.add("batch", std::vector<double>{2, 1, 2, 1});
  table.add("y", std::vector<double>{-1, -2, -3, -4});
  table.add("label", std::vector<double>{0, 0, 1, 1});
  return table;
}

TEST(GroupsFromTable, TakesEveryNumericColumnThatIsNotGroupOrDropped) {
  const GroupedTable found = groups_from_table(cells(), {.group = "batch", .drop = {"label"}});
  EXPECT_THAT(found.groups.feature_names(), ElementsAre("x", "y"));
  EXPECT_THAT(found.groups.names(), ElementsAre("2", "1"));
  EXPECT_THAT(found.groups[0].rows.row_span(1), ElementsAre(3.0, -3.0));
  EXPECT_THAT(found.positions, ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
}

TEST(GroupsFromTable, TakesNamedFeaturesInTheirOrder) {
  const GroupedTable found = groups_from_table(cells(), {.group = "id", .features = {"y", "x"}});
  EXPECT_EQ(found.groups.num_groups(), 4);
  EXPECT_THAT(found.groups[3].rows.row_span(0), ElementsAre(-4.0, 4.0));
}

TEST(GroupsFromTable, EveryRefusalNamesThePlaceAndTheRemedy) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Table holes = cells();
  holes.columns[1].numbers = {1, nan, nan, 4};
  holes.columns[3].numbers = {1, 2, 3, nan};
  Table ungrouped = cells();
  ungrouped.columns[0].text[2] = "NA";
  Table text_only;
  text_only.add("group", std::vector<std::string>{"a"});
  struct Case {
    Table table;
    GroupColumns columns;
    std::string message;
  };
  const std::vector<Case> cases = {
      {cells(), {.group = "bacth"}, "cells.csv: no column \"bacth\"; did you mean \"batch\"?"},
      {cells(),
       {.group = "batch", .features = {"z1"}},
       "cells.csv: no column \"z1\"; the columns are \"id\", \"x\", \"batch\", \"y\", \"label\"."},
      {cells(),
       {.group = "batch", .drop = {"labl"}},
       "cells.csv: no column \"labl\"; did you mean \"label\"?"},
      {cells(),
       {.group = "batch", .features = {"x", "id"}},
       "cells.csv: column \"id\" is text (\"p\" in cells.csv, row 1), not a feature; drop it, or "
       "turn "
       "it into "
       "numbers."},
      {cells(),
       {.group = "batch", .features = {"batch"}},
       "cells.csv: column \"batch\" is asked for as a feature and tells the groups; choose one."},
      {cells(),
       {.group = "batch", .features = {"x"}, .drop = {"x"}},
       "cells.csv: column \"x\" is asked for as a feature and dropped; choose one."},
      {cells(),
       {.group = "batch", .features = {"x", "x"}},
       "cells.csv: feature \"x\" is named twice; name it once."},
      {holes,
       {.group = "batch"},
       "cells.csv, row 2, column \"x\" is missing; missing values per column: \"x\" 2, \"y\" 1. "
       "Drop "
       "these rows or columns, or fill the cells, first."},
      {ungrouped,
       {.group = "id"},
       "cells.csv, row 3 has no group: column \"id\" is \"NA\"; name its group, or drop the row."},
      {text_only, {}, "no numeric column is left as a feature; drop fewer columns."},
  };
  for (const Case& c : cases) {
    EXPECT_THAT([&] { groups_from_table(c.table, c.columns); },
                ThrowsMessage<Error>(testing::StrEq(c.message)));
  }
}

TEST(RealTables, AdultSplitsByItsColumns) {
  const auto path = real_data("adult/adult.csv.gz");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent";
  const Table table = read_table(path);
  const GroupedTable found = groups_from_table(table, {.group = "sex"});
  EXPECT_THAT(found.groups.names(), testing::UnorderedElementsAre("Male", "Female"));
  EXPECT_THAT(found.groups.feature_names(),
              ElementsAre("age", "fnlwgt", "education-num", "capital-gain", "capital-loss",
                          "hours-per-week"));
  EXPECT_EQ(found.groups.num_samples(), table.num_rows());
}

TEST(RealTables, HeartHasNoHeaderAndMissingCells) {
  const auto path = real_data("heart4/processed.va.data");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent";
  const Table table = read_table(path, {.format = "csv", .header = false});
  EXPECT_EQ(table.num_columns(), 14);
  EXPECT_EQ(table.num_rows(), 200);
  for (const Column& column : table.columns) EXPECT_TRUE(column.numeric()) << column.name;
  EXPECT_GT(count_missing(table["c12"]), 0);
  EXPECT_THAT([&] { groups_from_table(table, {.group = "c1"}); },
              ThrowsMessage<InvalidData>(HasSubstr("missing values per column")));
}

TEST(RealTables, CompasAndClimateRead) {
  const auto compas = real_data("compas/compas-scores-two-years.csv.gz");
  if (!std::filesystem::exists(compas)) GTEST_SKIP() << compas << " is absent";
  const Table scores = read_table(compas);
  EXPECT_EQ(scores.num_rows(), 7214);
  EXPECT_TRUE(scores["age"].numeric());
  EXPECT_FALSE(scores["race"].numeric());
  const Table climate = read_table(real_data("cccma_climate/gcm_c.csv.gz"));
  EXPECT_EQ(climate.num_columns(), 8);
  EXPECT_EQ(count_missing(climate["pr"]), 0);
}

// Distances of two groups of equal size along the angle and across it, the larger first.
std::array<double, 2> frame_distances(const GroupSet& groups, double angle) {
  std::array<double, 2> out{};
  for (int k = 0; k < 2; ++k, angle += std::numbers::pi / 2) {
    const Eigen::Vector2d direction(std::cos(angle), std::sin(angle));
    Vector a = groups[0].rows.eigen() * direction;
    Vector b = groups[1].rows.eigen() * direction;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    out[k] = std::sqrt((a - b).squaredNorm() / static_cast<double>(a.size()));
  }
  if (out[0] < out[1]) std::swap(out[0], out[1]);
  return out;
}

struct Fixture {
  std::string name;
  Index train_rows, test_rows;
  std::array<double, 2> reported;
  double angle;
};

class FixtureTest : public testing::TestWithParam<Fixture> {};

TEST_P(FixtureTest, LoadsWithEqualGroups) {
  const Fixture& fixture = GetParam();
  for (const auto& [part, rows] :
       {std::pair{"_train.csv", fixture.train_rows}, std::pair{"_test.csv", fixture.test_rows}}) {
    const GroupSet groups = read_csv(kGolden / (fixture.name + part));
    groups.validate();
    EXPECT_THAT(groups.names(), ElementsAre("0", "1"));
    EXPECT_THAT(groups.feature_names(), ElementsAre("x", "y"));
    EXPECT_EQ(groups[0].rows.rows(), rows);
    EXPECT_EQ(groups[1].rows.rows(), rows);
  }
}

// The paper's runs report the distances along their first two directions with four decimals.
TEST_P(FixtureTest, HasTheReportedDistancesAlongItsFirstFrame) {
  const Fixture& fixture = GetParam();
  const GroupSet train = read_csv(kGolden / (fixture.name + "_train.csv"));
  const auto found = frame_distances(train, fixture.angle);
  EXPECT_NEAR(found[0], fixture.reported[0], 1e-4);
  EXPECT_NEAR(found[1], fixture.reported[1], 1e-4);
}

// The angle is the best one, or, on the nearly round circles, as good within 0.1 %.
TEST_P(FixtureTest, NoOtherFrameIsClearlyBetter) {
  const Fixture& fixture = GetParam();
  const GroupSet train = read_csv(kGolden / (fixture.name + "_train.csv"));
  const auto objective = [&](double angle) {
    const auto pair = frame_distances(train, angle);
    return pair[0] * pair[0] + pair[1] * pair[1];
  };
  const double at_angle = objective(fixture.angle);
  for (double angle = 0; angle < std::numbers::pi / 2; angle += 0.01) {
    EXPECT_LT(objective(angle), 1.001 * at_angle) << angle;
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, FixtureTest,
                         testing::Values(Fixture{"moons", 981, 481, {1.2953, 0.3305}, 0.7934},
                                         Fixture{"circles", 981, 481, {0.3560, 0.3437}, 0.2560},
                                         Fixture{"pattern", 992, 494, {1.5505, 1.2418}, 0.6793}),
                         [](const auto& instance) { return instance.param.name; });

TEST(Digits, LoadAsTenGroupsOfSixtyFourPixels) {
  const GroupSet digits = read_csv(kGolden / "../../examples/digits.csv");
  EXPECT_EQ(digits.dim(), 64);
  EXPECT_EQ(digits.num_samples(), 1797);
  EXPECT_THAT(digits.names(), ElementsAre("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"));
  EXPECT_EQ(digits.feature_names().front(), "p00");
  EXPECT_EQ(digits.feature_names().back(), "p77");
  for (Index m = 0; m < 10; ++m) {
    EXPECT_GE(digits[m].rows.rows(), 174);
    EXPECT_LE(digits[m].rows.rows(), 183);
    EXPECT_EQ(digits[m].rows.eigen().minCoeff(), 0);
    EXPECT_EQ(digits[m].rows.eigen().maxCoeff(), 16);
  }
}

}  // namespace table_groups_test
}  // namespace conflux
