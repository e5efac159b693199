#include "conflux/dataset/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "conflux/storage/checkpoint.h"
#include "tests/columns/mixed_table.h"
#include "tests/support/error_text.h"

namespace conflux {
namespace dataset_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

/// Ten measurements each of two sites, which come in turn.
Table two_sites() {
  Table out;
  std::vector<double> weight, height;
  std::vector<std::string> site, kind;
  for (int i = 0; i < 20; ++i) {
    weight.push_back(60.25 + 1.37 * i);
    height.push_back(1.5 + 0.013 * ((7 * i) % 20));
    site.emplace_back(i % 2 == 0 ? "Paris" : "Oslo");
    kind.emplace_back(i % 5 == 0 ? "" : i % 3 == 0 ? "cat" : "dog");
  }
  out.add("weight", weight);
  out.add("height", height);
  out.add("site", site);
  out.add("kind", kind);
  return out;
}

TEST(DatasetOf, NumbersGroupsByTheirFirstRows) {
  const Dataset data = dataset_of(two_sites(), {.group = "site", .columns = {.drop = {"kind"}}});
  EXPECT_THAT(data.groups.names(), ElementsAre("Paris", "Oslo"));
  EXPECT_EQ(data.group_column, "site");
  EXPECT_THAT(data.groups.feature_names(), ElementsAre("weight", "height"));
  EXPECT_EQ(data.groups[0].rows.rows(), 10);
  EXPECT_THAT(data.positions[1], ElementsAre(1, 3, 5, 7, 9, 11, 13, 15, 17, 19));
}

TEST(DatasetOf, NumbersLabelsByTheirNamesAndLeavesEmptyOnesUnknown) {
  const Dataset data = dataset_of(two_sites(), {.group = "site", .label = "kind"});
  EXPECT_THAT(data.groups.label_names(), ElementsAre("cat", "dog"));
  EXPECT_EQ(data.groups[0].label(0), -1);  // row 0
  EXPECT_EQ(data.groups[0].label(1), 1);   // row 2
  EXPECT_EQ(data.groups[1].label(1), 0);   // row 3
  EXPECT_EQ(data.label_column, "kind");
}

// All three ways to say which group a row is of are one.
TEST(DatasetOf, IsTheSameForGroupsByColumnByNameAndByNumber) {
  Table table = two_sites();
  const Dataset by_column = dataset_of(table, {.group = "site", .columns = {.drop = {"kind"}}});
  const std::vector<std::string> names = table["site"].text;
  const DatasetOptions options{.columns = {.drop = {"kind", "site"}}};
  const Dataset by_name = dataset_of(table, names, options);
  std::vector<Index> numbers;
  for (const std::string& name : names) numbers.push_back(name == "Paris" ? 0 : 1);
  const Dataset by_number =
      dataset_of(table, {.group_names = {"Paris", "Oslo"}, .groups = numbers}, options);
  EXPECT_EQ(digest_of(by_name), digest_of(by_column));
  EXPECT_EQ(digest_of(by_number), digest_of(by_column));
}

TEST(DatasetOf, CombinesSeveralGroupColumnsAndRenames) {
  Table table = two_sites();
  for (std::size_t i = 0; i < 20; ++i) table.columns[3].text[i] = i < 10 ? "cat" : "dog";
  const Dataset data = dataset_of(table, {.group = "site,kind", .rename = {"Paris+*=fr_*"}});
  EXPECT_THAT(data.groups.names(), ElementsAre("fr_cat", "Oslo+cat", "fr_dog", "Oslo+dog"));
}

// Missing cells are drawn, so that their spread is kept, and named, so that a fit knows of them; a
// reader of the model expects them and has another digest.
TEST(DatasetOf, DrawsMissingCellsAndKnowsTheDigestOfLaterReaders) {
  const MixedTable mixed(400);
  const DatasetOptions options{.seed = 3};
  const Dataset data =
      dataset_of(mixed.table, {.group_names = {"a", "b"}, .groups = mixed.groups}, options);
  ASSERT_FALSE(data.columns.gaps.empty());
  for (Index m = 0; m < 2; ++m) {
    const auto& rows = data.groups[m].rows;
    for (Index i = 0; i < rows.rows(); ++i) {
      for (Index j = 0; j < rows.cols(); ++j) ASSERT_TRUE(std::isfinite(rows(i, j)));
    }
  }
  const Columns columns = find_columns(mixed.table, mixed.groups, 2, {.seed = 3}, Workers(1));
  const Matrix all = columns.coordinates(mixed.table, Workers(1));
  GroupSet read;
  for (Index m = 0; m < 2; ++m) {
    Matrix own = all(data.positions[static_cast<std::size_t>(m)], Eigen::all);
    columns.fill_missing(Rows(own), m);
    read.add(m == 0 ? "a" : "b", std::move(own));
  }
  read.set_feature_names(columns.feature_names());
  EXPECT_EQ(digest_of(data), data_digest(read));
  EXPECT_NE(digest_of(data), data_digest(data.groups));
}

// Sampling must not change: the same coordinates of find_columns.h as ever.
TEST(DatasetOf, HasTheCoordinatesOfItsColumns) {
  const MixedTable mixed(300);
  const Dataset data =
      dataset_of(mixed.table, {.group_names = {"a", "b"}, .groups = mixed.groups}, {.seed = 5});
  const auto expected =
      coordinates_by_group(data.columns, mixed.table, mixed.groups, 2, Workers(1));
  for (Index m = 0; m < 2; ++m) {
    for (Index i = 0; i < expected[m].rows(); ++i) {
      for (Index j = 0; j < expected[m].cols(); ++j) {
        ASSERT_EQ(data.groups[m].rows(i, j), expected[m](i, j));
      }
    }
  }
}

TEST(DatasetOf, LeavesIncompleteRowsOutIfAsked) {
  Table table = two_sites();
  table.columns[0].numbers[3] = kGap;
  std::vector<std::string> told;
  const Dataset data = dataset_of(
      table, {.group = "site", .columns = {.drop = {"kind"}, .missing = MissingRule::kDrop}},
      {.on_message = [&](const Message& message) { told.push_back(message.text); }});
  EXPECT_EQ(data.dropped_rows, 1);
  EXPECT_THAT(data.positions[1], ElementsAre(1, 5, 7, 9, 11, 13, 15, 17, 19));
  EXPECT_THAT(told, testing::Contains(HasSubstr("1 of 20 rows have missing cells")));
  EXPECT_THAT(data.digest_when_read, IsEmpty());
}

TEST(DatasetOf, RefusesAGroupWhoseRowsAreAllIncomplete) {
  Table table = two_sites();
  for (std::size_t i = 1; i < 20; i += 2) table.columns[0].numbers[i] = kGap;
  EXPECT_THAT(error_text([&] {
                dataset_of(table, {.group = "site",
                                   .columns = {.drop = {"kind"}, .missing = MissingRule::kDrop}});
              }),
              HasSubstr("every row of group \"Oslo\" has a missing cell"));
}

TEST(DatasetOf, ExpandsPatternsOfNames) {
  Table table = two_sites();
  const Dataset data = dataset_of(table, {.group = "site", .columns = {.features = {"?eight"}}});
  EXPECT_THAT(data.groups.feature_names(), ElementsAre("weight", "height"));
}

TEST(DatasetOf, KnowsSubjectsThatAreMeasuredAgain) {
  MixedTable mixed(600);
  std::vector<double> patients;
  for (Index i = 0; i < mixed.table.num_rows(); ++i) {
    patients.push_back(static_cast<double>(1000 + i / 3));
  }
  mixed.table.add("patient_id", patients);
  const Dataset data = dataset_of(mixed.table, {.group_names = {"a", "b"}, .groups = mixed.groups});
  ASSERT_TRUE(data.subjects.has_value());
  EXPECT_EQ(data.subjects->column, "patient_id");
  EXPECT_EQ(static_cast<Index>(data.subjects->subject_of[0].size()), data.groups[0].rows.rows());
}

TEST(DatasetOf, KeepsMassesBesideTheirRows) {
  Table table = two_sites();
  std::vector<double> masses;
  std::vector<Index> groups;
  for (int i = 0; i < 20; ++i) {
    masses.push_back(i);
    groups.push_back(i % 2);
  }
  const Dataset data =
      dataset_of(table, {.group_names = {"Paris", "Oslo"}, .groups = groups, .masses = masses},
                 {.columns = {.drop = {"kind", "site"}}});
  EXPECT_EQ(mass_of(data.groups[1], 2), 5);
}

TEST(DatasetOf, WarnsOfGroupsThatDifferByCaseOnly) {
  Table table = two_sites();
  for (std::string& site : table.columns[2].text) site = site == "Paris" ? "m" : "M";
  std::vector<std::string> warnings;
  dataset_of(table, {.group = "site", .columns = {.drop = {"kind"}}},
             {.on_message = [&](const Message& message) {
               if (message.kind == MessageKind::kWarning) warnings.push_back(message.text);
             }});
  EXPECT_THAT(warnings, testing::Contains(HasSubstr("differ by case or spaces only")));
}

// The column of the condition is a number, and no feature all the same.
TEST(DatasetOf, TakesRowsThatSatisfyTheCondition) {
  const Dataset data = dataset_of(
      two_sites(), {.group = "site", .where = "height<1.6", .columns = {.drop = {"kind"}}});
  EXPECT_THAT(data.groups.feature_names(), ElementsAre("weight"));
  // 7 i modulo 20 is below 8.
  EXPECT_THAT(data.positions[0], ElementsAre(0, 6, 12, 18));
  EXPECT_THAT(data.positions[1], ElementsAre(1, 3, 9, 15));
}

TEST(DatasetOf, RefusesToJoinAFile) {
  EXPECT_THAT(error_text([&] { dataset_of(two_sites(), {.group = "site", .meta = "m.csv"}); }),
              HasSubstr("m.csv is to be joined"));
}

TEST(DatasetOf, RefusesWhatIsNotThereBySentences) {
  const Table table = two_sites();
  EXPECT_THAT(error_text([&] { dataset_of(table, DatasetOptions()); }),
              HasSubstr("no column tells the groups"));
  EXPECT_THAT(error_text([&] { dataset_of(table, {.group = "sites"}); }), HasSubstr("\"site\""));
  EXPECT_THAT(error_text([&] { dataset_of(table, {.group = "site", .label = "site"}); }),
              HasSubstr("cannot be the label"));
  const std::vector<Index> few(3, 0);
  EXPECT_THAT(error_text([&] { dataset_of(table, {.group_names = {"a"}, .groups = few}); }),
              HasSubstr("20 rows, but 3 groups of rows"));
  const std::vector<Index> wrong(20, 2);
  EXPECT_THAT(error_text([&] {
                dataset_of(table, {.group_names = {"a", "b"}, .groups = wrong});
              }),
              HasSubstr("the group of row 0 is 2, but there are 2 names"));
  EXPECT_THAT(error_text([&] { dataset_of(table, {.group = "site", .rename = {"Paris"}}); }),
              HasSubstr("write OLD=NEW"));
}

}  // namespace dataset_test
}  // namespace conflux
