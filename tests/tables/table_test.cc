#include "conflux/tables/table.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "conflux/core/error.h"
#include "tests/tables/files.h"

namespace conflux {
namespace table_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Table numbers() {
  Table table;
  std::vector<double> first = {0.1, -0.0, 5e-324, kNan, 1e22, -1.0 / 3};
  std::vector<double> second = {1, 2, 3, 1.7976931348623157e308, INFINITY, -INFINITY};
  for (int i = 0; i < 3000; ++i) {
    first.push_back(std::sin(i) * std::exp(i % 200));
    second.push_back(i);
  }
  table.add("c0", first);
  table.add("c1", second);
  return table;
}

Table with_groups() {
  Table table = numbers();
  std::vector<std::string> groups;
  for (Index i = 0; i < table.num_rows(); ++i) groups.push_back(i % 3 == 0 ? "α, \"β\"" : "b");
  table.add("group", groups);
  return table;
}

Table read_in_blocks(const std::filesystem::path& path, const TableOptions& options, Index rows) {
  const auto reader = open_table(path, options);
  Table whole;
  reader->read(whole, rows);
  for (Table block; reader->read(block, rows);) {
    EXPECT_EQ(block.first_row, whole.num_rows());
    whole.append(block);
  }
  return whole;
}

class EveryFormat : public testing::TestWithParam<std::string> {
 protected:
  static Table table() {
    return GetParam().find("npz") == std::string::npos ? numbers() : with_groups();
  }
};

TEST_P(EveryFormat, GivesBackTheBitsThatWereWritten) {
  const TemporaryFolder folder;
  const auto path = folder / ("table." + GetParam());
  write_table(path, table());
  EXPECT_TRUE(same_table(read_table(path), table()));
}

// Block borders must not show: neither in what is read nor in the bytes that are written.
TEST_P(EveryFormat, BlocksOfAnySizeGiveTheSameTable) {
  const TemporaryFolder folder;
  const Table whole = table();
  write_table(folder / ("whole." + GetParam()), whole);
  const std::string bytes = bytes_of(folder / ("whole." + GetParam()));
  for (const Index rows : {1, 2, 7, 1000}) {
    const auto path = folder / ("blocks." + GetParam());
    const auto reader = open_table(folder / ("whole." + GetParam()));
    const auto writer = create_table(path);
    EXPECT_EQ(reader->schema(), whole.schema());
    Table back;
    for (Table block; reader->read(block, rows);) {
      EXPECT_LE(block.num_rows(), rows);
      writer->write(block);
    }
    writer->close();
    EXPECT_EQ(bytes_of(path), bytes) << rows;
    EXPECT_TRUE(same_table(read_in_blocks(path, {}, rows), whole)) << rows;
  }
}

TEST_P(EveryFormat, KeepsAnOlderFileUntilTheNewOneIsComplete) {
  const TemporaryFolder folder;
  const auto path = folder.with("table." + GetParam(), "old");
  {
    const auto writer = create_table(path);
    writer->write(table());
  }
  EXPECT_EQ(bytes_of(path), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  write_table(path, table());
  EXPECT_NE(bytes_of(path), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST_P(EveryFormat, TablesWithoutRowsKeepTheirColumns) {
  const TemporaryFolder folder;
  const auto path = folder / ("table." + GetParam());
  Table empty = table();
  for (Column& column : empty.columns) {
    column.numbers.clear();
    column.text.clear();
  }
  write_table(path, empty);
  const Table back = read_table(path, {.text = {}});
  EXPECT_EQ(back.names(), empty.names());
  EXPECT_EQ(back.num_rows(), 0);
}

TEST_P(EveryFormat, TruncationIsNeverSilent) {
  const TemporaryFolder folder;
  const auto path = folder / ("table." + GetParam());
  write_table(path, table());
  const std::string bytes = bytes_of(path);
  const bool plain_text = GetParam().find('.') == std::string::npos && GetParam().size() == 3 &&
                          (GetParam() == "csv" || GetParam() == "tsv" || GetParam() == "txt");
  for (const std::size_t size : {bytes.size() - 1, bytes.size() / 2, bytes.size() / 3}) {
    if (plain_text) continue;  // Text has no length of its own.
    folder.with("table." + GetParam(), bytes.substr(0, size));
    EXPECT_THROW(read_table(path), InvalidData) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, EveryFormat,
                         testing::Values("csv", "tsv", "txt", "npy", "npz", "idx", "csv.gz",
                                         "csv.zst", "tsv.gz", "txt.zst", "npy.gz", "npy.zst",
                                         "npz.gz", "npz.zst", "idx.gz", "idx.zst", "fcs", "fcs.gz"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST(Table, ExplicitFormatOverridesTheName) {
  const TemporaryFolder folder;
  write_table(folder / "table.data", numbers(), {.format = "npy.gz"});
  EXPECT_TRUE(bytes_of(folder / "table.data").starts_with("\x1f\x8b"));
  EXPECT_TRUE(same_table(read_table(folder / "table.data", {.format = "npy"}), numbers()));
}

TEST(Table, UpperCaseEndingsCount) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_table(folder.with("A.CSV", "x\n1\n")).num_rows(), 1);
}

TEST(Table, WritesThroughALinkAndKeepsTheRightsOfAFile) {
  const TemporaryFolder folder;
  const auto target = folder.with("target.csv", "old");
  std::filesystem::permissions(
      target, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::create_symlink(target, folder / "link.csv");
  write_table(folder / "link.csv", numbers());
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.csv"));
  EXPECT_TRUE(same_table(read_table(target), numbers()));
  EXPECT_EQ(std::filesystem::status(target).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

// Replaces standard input or output by a file for as long as it lives.
class Redirected {
 public:
  Redirected(int stream, const std::filesystem::path& path, int flags)
      : stream_(stream), kept_(dup(stream)) {
    const int file = open(path.c_str(), flags, 0600);
    dup2(file, stream_);
    close(file);
  }
  ~Redirected() {
    dup2(kept_, stream_);
    close(kept_);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  int stream_;
  int kept_;
};

// Pipes cannot be rewound: types are found out, and columns read first, from memory.
TEST(Table, ADashIsStandardInputAndOutput) {
  const TemporaryFolder folder;
  for (const std::string format : {"csv", "npy", "idx", "npy.gz", "csv.zst"}) {
    const auto path = folder / "stream";
    {
      const Redirected output(STDOUT_FILENO, path, O_WRONLY | O_CREAT | O_TRUNC);
      write_table("-", numbers(), {.format = format});
    }
    {
      const Redirected input(STDIN_FILENO, path, O_RDONLY);
      EXPECT_TRUE(same_table(read_table("-", {.format = format}), numbers())) << format;
    }
    const Redirected input(STDIN_FILENO, path, O_RDONLY);
    EXPECT_TRUE(same_table(read_in_blocks("-", {.format = format}, 7), numbers())) << format;
  }
  const auto path = folder.with("stream", "x,y\n1,a\nb,2\n");
  const Redirected input(STDIN_FILENO, path, O_RDONLY);
  EXPECT_THAT(
      [] { read_table("-", {.numeric = {{"x"}}}); },
      ThrowsMessage<InvalidData>(HasSubstr("standard input, line 3, column 1 (\"x\"): \"b\"")));
}

TEST(Table, CountsMissingCells) {
  Column column;
  column.numbers = {1, kNan, kNan};
  EXPECT_EQ(count_missing(column), 2);
  column = {"t", ColumnType::kText, {}, {"", "NA", "NaN", "nan", "null", "?", " ", "none", "0"}};
  EXPECT_EQ(count_missing(column), 7);
}

// One table of every refusal that does not belong to a single format.
TEST(Table, EveryRefusalNamesThePlaceAndTheRemedy) {
  const TemporaryFolder folder;
  folder.with("table.csv", "height\n1\n");
  std::filesystem::create_directory(folder / "sub.csv");
  const std::string cut = bytes_of(kTables / "pandas.tsv.gz");
  folder.with("cut.csv.gz", cut.substr(0, cut.size() / 2));
  std::string flipped = cut;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x55);
  folder.with("flipped.csv.gz", flipped);
  write_table(folder / "whole.csv.zst", numbers());
  const std::string zst = bytes_of(folder / "whole.csv.zst");
  folder.with("cut.csv.zst", zst.substr(0, zst.size() / 2));
  Table text;
  text.add("t", std::vector<std::string>{"a"});
  Table uneven = numbers();
  uneven.columns[1].numbers.pop_back();
  struct Case {
    std::function<void()> call;
    std::string what;
  };
  const std::vector<Case> cases = {
      {[&] { open_table(folder / "absent.csv"); },
       "absent.csv cannot be opened: No such file or directory; check the path."},
      {[&] { open_table(folder / "sub.csv"); },
       "sub.csv is a folder; name a file in it, or a folder with one matrix.mtx."},
      {[&] { open_table(folder / "table.dat"); },
       "table.dat does not tell its format by its name; end it in .csv, .tsv, .txt, .npy, .npz, "
       ".idx, .fcs, .mtx, .mat, .ppm, .png (.gz or .zst may follow), .h5ad or .nc, or name the "
       "format."},
      {[&] { open_table(folder / "table.parquet"); },
       "table.parquet: conflux does not read or write .parquet files; read it with pandas and "
       "give"},
      {[&] { open_table(folder / "table.csv", {.format = "scv"}); },
       "no table format \"scv\"; did you mean \"csv\"?"},
      {[&] { open_table(folder / "table.csv", {.numeric = {{"Hieght"}}}); },
       "table.csv: no column \"Hieght\"; did you mean \"height\"?"},
      {[&] { open_table(folder / "table.csv", {.text = {"batch"}}); },
       "table.csv: no column \"batch\"; the columns are \"height\"."},
      {[&] { open_table(folder / "table.csv", {.delimiter = '1'}); },
       "the delimiter is \"1\"; choose a comma, tab, semicolon or another sign"},
      {[&] {
         Table block;
         open_table(folder / "table.csv")->read(block, 0);
       },
       "max_rows is 0; choose at least 1."},
      {[&] { read_table(folder / "cut.csv.gz"); },
       "cut.csv.gz: the compressed data end too early; copy or make the file again."},
      {[&] { read_table(folder / "flipped.csv.gz"); }, "the compressed data are damaged"},
      {[&] { read_table(folder / "cut.csv.zst"); },
       "cut.csv.zst: the compressed data end too early; copy or make the file again."},
      {[&] { create_table("/nowhere/at/all.csv"); },
       "/nowhere/at/all.csv cannot be written: No such file or directory; check the folder"},
      {[&] { create_table(folder / "sub.csv"); }, "sub.csv is a folder; name a file in it."},
      {[&] { write_table(folder / "out.csv", Table()); },
       "a table without columns cannot be written; add a column."},
      {[&] { write_table(folder / "out.npy", text); },
       "column \"t\" is text, which NPY does not hold; drop it, or write a text table."},
      {[&] { write_table(folder / "out.npz", text); }, "column \"t\" is text, which NPZ"},
      {[&] { write_table(folder / "out.idx", text); }, "column \"t\" is text, which IDX"},
      {[&] { write_table(folder / "out.csv", uneven); },
       "column \"c1\" has 3005 rows but \"c0\" has 3006; all need the same."},
      {[&] {
         const auto writer = create_table(folder / "out.csv");
         writer->write(numbers());
         writer->write(with_groups());
       },
       "a block has 3 columns but the first had 2; all need the same."},
      {[&] {
         Table renamed = numbers();
         renamed.columns[1].name = "d";
         numbers().append(renamed);
       },
       "column 2 of a block is \"d\" (numeric) but was \"c1\" (numeric); all blocks need the "
       "same."},
      {[&] { static_cast<void>(numbers()["c2"]); }, "no column \"c2\"; did you mean \"c0\"?"},
  };
  for (const Case& c : cases) EXPECT_THAT(c.call, ThrowsMessage<Error>(HasSubstr(c.what)));
  EXPECT_FALSE(std::filesystem::exists(folder / "out.csv"));
}

}  // namespace table_test
}  // namespace conflux
