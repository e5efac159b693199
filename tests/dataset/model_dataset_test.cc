// Rows read for a model: with the columns and groups that it knows.

#include "dataset/model_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "dataset/row_sample.h"
#include "tests/support/error_text.h"

namespace conflux {
namespace model_dataset_test {

using testing::ElementsAre;
using testing::HasSubstr;

// A cell of the first row is empty if `gap`.
std::string write_rows(const std::string& name, bool gap, const std::string& last_group = "two") {
  std::string text = "x,kind,y,site\n";
  for (int i = 0; i < 40; ++i) {
    text += (gap && i == 0 ? "" : std::to_string(0.37 * i + 0.013)) + (i % 3 == 0 ? ",a," : ",b,") +
            std::to_string(1.3 * ((7 * i) % 40) + 0.017) +
            (i % 2 == 0 ? ",one\n"
             : i == 39  ? "," + last_group + "\n"
                        : ",two\n");
  }
  const std::string path =
      (std::filesystem::path(testing::TempDir()) / ("model_dataset_" + name + ".csv")).string();
  std::ofstream(path) << text;
  return path;
}

/// A model that moves nothing, of the rows of a file.
Model model_of(const std::string& path) {
  const Dataset data = read_dataset({.paths = {path}, .group = "site", .label = "kind", .seed = 1});
  Model out;
  out.flow = Flow(data.groups.names(), data.groups.dim());
  out.feature_names = data.groups.feature_names();
  out.group_column = data.group_column;
  out.label_column = data.label_column;
  out.columns = data.columns;
  return out;
}

// The digest that a fit stores must be found by a later reader: by this a report recognizes the
// rows of the fit, also those whose missing cells the fit has filled.
TEST(ReadDatasetFor, FindsTheRowsOfTheFitAgain) {
  for (const bool gap : {false, true}) {
    const std::string path = write_rows(gap ? "gap" : "whole", gap);
    const Dataset fitted =
        read_dataset({.paths = {path}, .group = "site", .label = "kind", .seed = 1});
    const Dataset read = read_dataset_for(model_of(path), {.paths = {path}});
    EXPECT_EQ(digest_of(read), digest_of(fitted)) << gap;
    EXPECT_EQ(fitted.digest_when_read.empty(), !gap);
    EXPECT_EQ(read.label_column, "kind");
  }
}

TEST(ReadDatasetFor, TakesOtherNamesForGroupsAndRefusesUnknownOnes) {
  const Model model = model_of(write_rows("known", false));
  const std::string path = write_rows("new", false, "three");
  EXPECT_THAT(error_text([&] { read_dataset_for(model, {.paths = {path}}); }),
              HasSubstr("A group that the model has not seen is added by conflux add-group."));
  const Dataset data = read_dataset_for(model, {.paths = {path}, .rename = {"three=two"}});
  EXPECT_THAT(data.groups.names(), ElementsAre("one", "two"));
  EXPECT_EQ(data.groups[1].rows.rows(), 20);
}

TEST(ReadDatasetFor, RefusesATableWithoutAFeature) {
  const Model model = model_of(write_rows("features", false));
  const std::string path = (std::filesystem::path(testing::TempDir()) / "less.csv").string();
  std::ofstream(path) << "x,kind,site\n1.5,a,one\n2.5,b,two\n";
  EXPECT_THAT(error_text([&] { read_dataset_for(model, {.paths = {path}}); }), HasSubstr("\"y\""));
}

// A sample that is as large as the table is the table, whatever the blocks.
TEST(SampleGroups, KeepAllRowsOfShortTablesAndCountThoseOfLongOnes) {
  const std::string path = write_rows("sample", false);
  const Model model = model_of(path);
  const DatasetOptions options = options_for(model, {.paths = {path}});
  ASSERT_TRUE(can_be_sampled(model, options));
  const SampledGroups all = sample_groups(model, options, 1000, 1, {});
  const Dataset read = read_dataset_for(model, {.paths = {path}});
  ASSERT_EQ(all.groups[0].rows.rows(), read.groups[0].rows.rows());
  for (Index i = 0; i < 20; ++i) {
    EXPECT_EQ(all.groups[0].rows(i, 0), read.groups[0].rows(i, 0));
    EXPECT_EQ(all.groups[0].label(i), read.groups[0].label(i));
  }
  const SampledGroups some = sample_groups(model, options, 10, 1, {});
  EXPECT_THAT(some.sizes, ElementsAre(20, 20));
  EXPECT_LE(some.groups.num_samples(), 12);
}

}  // namespace model_dataset_test
}  // namespace conflux
