// Datasets from files: the ways to tell groups, labels and rows, and what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <mutex>

#include "conflux/dataset/dataset.h"
#include "conflux/tables/table.h"
#include "tests/support/error_text.h"
#include "tests/support/thread_communicator.h"
#include "tests/tables/files.h"

namespace conflux {
namespace read_dataset_test {

using testing::ElementsAre;
using testing::HasSubstr;

class ReadDataset : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    return folder_.with(name, text).string();
  }
  /// Twenty plants of two sites.
  std::string plants(const std::string& name = "plants.csv") const {
    std::string text = "id,leaf,stem,site,kind,year\n";
    for (int i = 0; i < 20; ++i) {
      text += std::to_string(100 + i) + "," + std::to_string(1.37 * i + 0.013) + "," +
              std::to_string(0.21 * ((7 * i) % 20) + 0.017) + "," +
              (i % 2 == 0 ? "wood" : "shore") + "," +
              (i % 5 == 0   ? "NA"
               : i % 3 == 0 ? "fern"
                            : "moss") +
              "," + std::to_string(1990 + i / 4) + "\n";
    }
    return write(name, text);
  }
  std::string numbers(const std::string& name, const std::vector<double>& values) const {
    Table table;
    table.add("a", values);
    std::vector<double> second;
    for (const double value : values) second.push_back(2 - value * value);
    table.add("b", second);
    write_table(path(name), table);
    return path(name);
  }

  TemporaryFolder folder_;
};

const ColumnOptions kLeafAndStem{.features = {"leaf", "stem"}};

// The promise of dataset.h: a table gives the same rows from a file and from memory.
TEST_F(ReadDataset, GivesTheRowsOfTheSameTableInMemory) {
  const std::string file = plants();
  const DatasetOptions options{
      .paths = {file}, .group = "site", .label = "kind", .columns = kLeafAndStem, .seed = 4};
  const Dataset read = read_dataset(options);
  const Dataset given = dataset_of(read_table(file), options);
  EXPECT_EQ(digest_of(read), digest_of(given));
  EXPECT_EQ(read.groups.label_names(), given.groups.label_names());
  EXPECT_EQ(read.group_column, "site");
  EXPECT_THAT(read.groups.names(), ElementsAre("wood", "shore"));
}

TEST_F(ReadDataset, CallsGroupsByTheirFilesWithoutAColumn) {
  const Dataset data = read_dataset({.paths = {plants("monday.csv"), plants("tuesday.csv")},
                                     .rename = {"tues*=*"},
                                     .columns = kLeafAndStem});
  EXPECT_THAT(data.groups.names(), ElementsAre("monday", "day"));
  EXPECT_EQ(data.group_column, "");
}

TEST_F(ReadDataset, TakesAColumnCalledGroupWhereNoneIsNamed) {
  std::string text = "x,group\n";
  for (int i = 0; i < 12; ++i) {
    text += std::to_string(0.7 * i) + (i % 2 == 0 ? ",one\n" : ",two\n");
  }
  const Dataset data = read_dataset({.paths = {write("t.csv", text)}});
  EXPECT_THAT(data.groups.names(), ElementsAre("one", "two"));
  EXPECT_THAT(error_text([&] { read_dataset({.paths = {plants()}}); }),
              HasSubstr("which column tells the groups?"));
}

TEST_F(ReadDataset, TakesRowsThatSatisfyTheCondition) {
  const Dataset data = read_dataset({.paths = {plants()},
                                     .group = "site",
                                     .where = "year>=1992 and id!=109",
                                     .columns = kLeafAndStem});
  EXPECT_EQ(data.groups.num_samples(), 11);  // rows 8 to 19 but one
  EXPECT_THAT(
      error_text([&] {
        read_dataset(
            {.paths = {plants()}, .group = "site", .where = "year>2020", .columns = kLeafAndStem});
      }),
      HasSubstr("is true of no row (\"year\" goes from 1990 to 1994)"));
  EXPECT_THAT(
      error_text([&] { read_dataset({.paths = {plants()}, .group = "site", .where = "kind"}); }),
      HasSubstr("write COLUMN=VALUE"));
}

// Columns that tell groups, labels and conditions are no features, though years are numbers.
TEST_F(ReadDataset, TakesNoFeatureThatTellsSomethingElse) {
  const Dataset data = read_dataset({.paths = {plants()},
                                     .group = "site",
                                     .label = "kind",
                                     .where = "year<1995",
                                     .columns = {.drop = {"id"}}});
  EXPECT_THAT(data.groups.feature_names(), ElementsAre("leaf", "stem"));
}

TEST_F(ReadDataset, ReadsGroupsOfArraysFromATableBesideThem) {
  std::vector<double> values;
  std::string meta = "cell,batch,type\n";
  for (int i = 0; i < 12; ++i) {
    values.push_back(0.3 * i);
    meta += "c" + std::to_string(i) + "," + (i % 3 == 0 ? "x" : "y") + "," +
            (i % 2 == 0 ? "T" : "B") + "\n";
  }
  const std::string array = numbers("cells.npy", values);
  const Dataset data = read_dataset(
      {.paths = {array}, .group = "batch", .label = "type", .meta = write("m.csv", meta)});
  EXPECT_THAT(data.groups.names(), ElementsAre("x", "y"));
  EXPECT_EQ(data.groups[0].rows.rows(), 4);
  EXPECT_EQ(data.groups[0].rows(1, 0), 0.3 * 3);
  EXPECT_THAT(data.groups.label_names(), ElementsAre("B", "T"));
  EXPECT_EQ(data.groups[0].label(1), 0);
  EXPECT_TRUE(data.columns.empty());
  EXPECT_THAT(
      error_text([&] {
        read_dataset(
            {.paths = {array}, .group = "batch", .meta = write("short.csv", "batch\nx\ny\n")});
      }),
      HasSubstr("has 2 rows"));
}

// Rows of the table come in another order, and are found by their names.
TEST_F(ReadDataset, JoinsATableByKey) {
  std::string cells = "cell,a,b\n", meta = "id,batch\n";
  for (int i = 0; i < 12; ++i) {
    cells += "c" + std::to_string(i) + "," + std::to_string(0.31 * i + 0.007) + "," +
             std::to_string(1.17 * ((5 * i) % 12) + 0.003) + "\n";
    const int j = 11 - i;
    meta += "c" + std::to_string(j) + (j < 6 ? ",early\n" : ",late\n");
  }
  const DatasetOptions options{.paths = {write("cells.csv", cells)},
                               .group = "batch",
                               .meta = write("meta.csv", meta),
                               .meta_key = "cell=id"};
  const Dataset data = read_dataset(options);
  EXPECT_THAT(data.groups.names(), ElementsAre("early", "late"));
  EXPECT_EQ(data.groups[0].rows.rows(), 6);
  DatasetOptions unknown = options;
  unknown.meta = write("less.csv", "id,batch\nc0,early\n");
  EXPECT_THAT(error_text([&] { read_dataset(unknown); }), HasSubstr("the key is \"c1\""));
}

TEST_F(ReadDataset, KeepsArraysInTheirFilesForWhoOnlyReads) {
  std::vector<double> values;
  for (int i = 0; i < 30; ++i) values.push_back(0.1 * i);
  const std::vector<std::string> files = {numbers("a.npy", values), numbers("b.npy", values)};
  const Dataset data = read_dataset({.paths = files, .read_only = true});
  EXPECT_EQ(data.storage, RowStorage::kMemory);
  EXPECT_FALSE(data.borrowed.empty());
  EXPECT_EQ(data.groups[1].rows(3, 0), values[3]);
  const Dataset copied = read_dataset({.paths = files});
  EXPECT_EQ(digest_of(data), digest_of(copied));
}

// The sample for a fit does not depend on whether the file was read at once or in blocks.
TEST_F(ReadDataset, DrawsAPoolOfLargeGroups) {
  std::string text = "x,y,group\n";
  for (int i = 0; i < 3000; ++i) {
    text += std::to_string(0.37 * ((i * 7919) % 3001)) + "," + std::to_string(0.11 * i) +
            (i % 3 == 0 ? ",a\n" : ",b\n");
  }
  const DatasetOptions options{
      .paths = {write("large.csv", text)}, .group = "group", .fit_rows = 500, .seed = 2};
  const Dataset whole = read_dataset(options);
  ASSERT_TRUE(whole.pool.has_value());
  EXPECT_THAT(whole.pool->sizes, ElementsAre(1000, 2000));
  EXPECT_EQ(whole.pool->fitted[0].size(), 500U);
  EXPECT_FALSE(whole.pool->next[1].empty());
  DatasetOptions in_blocks = options;
  in_blocks.max_memory = 1e9;
  EXPECT_EQ(digest_of(read_dataset(in_blocks)), digest_of(whole));
  in_blocks.max_memory = 1000;
  EXPECT_THAT(error_text([&] { read_dataset(in_blocks); }), HasSubstr("of memory"));
}

TEST_F(ReadDataset, LetsFilesDoWithoutLabelsIfOneHasThem) {
  std::string text = "leaf,stem\n", labeled = "leaf,stem,kind\n";
  for (int i = 0; i < 10; ++i) {
    const std::string row = std::to_string(0.9 * i + 0.01) + "," + std::to_string(1.3 * i + 0.02);
    text += row + "\n";
    labeled += row + (i % 2 == 0 ? ",fern\n" : ",moss\n");
  }
  const std::string with = write("with.csv", labeled);
  const std::string without = write("without.csv", text);
  const Dataset data =
      read_dataset({.paths = {with, without}, .label = "kind", .columns = kLeafAndStem});
  EXPECT_THAT(data.groups.label_names(), ElementsAre("fern", "moss"));
  EXPECT_EQ(data.groups[1].label(4), -1);
  EXPECT_THAT(error_text([&] {
                read_dataset({.paths = {without, write("other.csv", text)},
                              .label = "kind",
                              .columns = kLeafAndStem});
              }),
              HasSubstr("no file has a \"kind\""));
}

// Other numbers beside the components, such as an age of donors, are no features.
TEST_F(ReadDataset, MakesComponentsOfGenes) {
  std::string entries, cells = "batch,age\n";
  for (int i = 0; i < 30; ++i) {
    for (int j = 0; j < 6; ++j) {
      entries += std::to_string(i + 1) + " " + std::to_string(j + 1) + " " +
                 std::to_string(1 + (i * (j + 3) * 7) % 11) + "\n";
    }
    cells += std::string(i % 2 == 0 ? "x," : "y,") + std::to_string(20 + i) + "\n";
  }
  const std::string genes =
      write("genes.mtx", "%%MatrixMarket matrix coordinate real general\n30 6 180\n" + entries);
  std::vector<std::string> warnings;
  const Dataset data = read_dataset(
      {.paths = {genes}, .group = "batch", .meta = write("cells.csv", cells), .components = 2},
      {.on_message = [&](const Message& message) {
        if (message.kind != MessageKind::kWarning) return;
        warnings.push_back(message.text);
      }});
  EXPECT_EQ(data.components.count(), 2);
  EXPECT_THAT(data.groups.feature_names(), ElementsAre("PC1", "PC2"));
  EXPECT_THAT(data.groups.names(), ElementsAre("x", "y"));
  EXPECT_THAT(warnings, testing::Contains(HasSubstr("all numbers are whole, like counts")));
}

// Each process reads a part of the rows, and all get the rows of one that reads alone.
TEST_F(ReadDataset, GivesSeveralProcessesTheRowsOfOne) {
  std::vector<double> values;
  for (int i = 0; i < 101; ++i) values.push_back(0.7 * ((i * 37) % 101));
  const DatasetOptions options{
      .paths = {numbers("a.npy", values), numbers("b.npy", values)}, .fit_rows = 60, .seed = 9};
  const std::string alone = digest_of(read_dataset(options));
  std::mutex lock;
  run_ranks(3, [&](Communicator& comm) {
    const Dataset data = read_dataset(options, {.processes = &comm});
    const std::lock_guard guard(lock);
    EXPECT_EQ(digest_of(data), alone) << comm.rank();
  });
  EXPECT_THAT(error_text([&] {
                run_ranks(2, [&](Communicator& comm) {
                  read_dataset({.paths = {plants()}, .group = "site"}, {.processes = &comm});
                });
              }),
              HasSubstr("several processes read .npy files only"));
}

TEST_F(ReadDataset, RefusesRowsThatNeitherMemoryNorAWalkThroughFilesCanHold) {
  const std::vector<double> values(50, 1.5);
  DatasetOptions options{.paths = {numbers("a.npy", values), numbers("b.npy", values)},
                         .max_memory = 1e6};
  FitOptions& fit = options.fit_on_disk.emplace();
  fit.method = Method::kInb;
  fit.fit_rows = RowLimit();
  fit.gate = Gating::kNone;
  EXPECT_THAT(error_text([&] { read_dataset(options); }), HasSubstr("1.0 MB are allowed"));
  fit.gate = Gating::kClusters;
  EXPECT_THAT(error_text([&] { read_dataset(options); }),
              HasSubstr("Rows can stay on disk with --gate none"));
}

TEST_F(ReadDataset, RefusesBySentencesThatSayWhatToDo) {
  EXPECT_THAT(error_text([&] { read_dataset({}); }), HasSubstr("there is no file"));
  EXPECT_THAT(error_text([&] { read_dataset({.paths = {plants()}, .group = "id"}); }),
              HasSubstr("most groups would be a single row"));
  std::filesystem::create_directories(folder_.path() / "old");
  EXPECT_THAT(error_text([&] {
                read_dataset({.paths = {plants(), plants("old/plants.csv")}});
              }),
              HasSubstr("two files are called \"plants\""));
  EXPECT_THAT(
      error_text([&] { read_dataset({.paths = {plants()}, .group = "site", .label = "site"}); }),
      HasSubstr("cannot be the label"));
  EXPECT_THAT(error_text([&] { read_dataset({.paths = {write("none.csv", "x,group\n")}}); }),
              HasSubstr("there are no rows"));
  EXPECT_THAT(
      error_text([&] {
        read_dataset({.paths = {plants()}, .group = "site", .columns = {.features = {"leaves*"}}});
      }),
      HasSubstr("\"leaves*\""));
  EXPECT_THAT(error_text([&] {
                read_dataset({.paths = {plants()},
                              .group = "site",
                              .components = 0,
                              .normalization = Normalization::kLog1pCp10k});
              }),
              HasSubstr("leave out one of them"));
}

}  // namespace read_dataset_test
}  // namespace conflux
