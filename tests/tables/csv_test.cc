#include "tables/csv.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "conflux/core/error.h"
#include "tables/number_text.h"
#include "tests/tables/files.h"

namespace conflux {
namespace csv_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Table read_text(const std::string& text, const TableOptions& options = {},
                const std::string& name = "t.csv") {
  return read_table(TemporaryFolder().with(name, text), options);
}

std::vector<std::string> text_cells(const std::string& text) {
  return read_text(fmt::format("t\n{}", text), {.text = {"t"}})["t"].text;
}

TEST(Csv, ReadsEveryLocaleFreeSpellingOfANumber) {
  const Table table = read_text(
      "x\n1\n-1.5\n+2\n1e-3\n1E+3\n.5\n5.\n-.25\n007\ninf\n-Inf\nINFINITY\n\" 3 \"\n  4\t\n"
      "0.1000000000000000055511151231257827021181583404541015625\n1e-999\n-0\n");
  EXPECT_THAT(table["x"].numbers, ElementsAre(1, -1.5, 2, 1e-3, 1e3, .5, 5, -.25, 7, kInfinity,
                                              -kInfinity, kInfinity, 3, 4, 0.1, 0, -0.0));
}

TEST(Csv, DoesNotTakeOtherTextForANumber) {
  for (const std::string cell : {"0x10", "1,5", "1.2.3", "1e", "e5", "--1", "+-1", "1_000", "1 2",
                                 "nan(1)", "-nan", "infinit", "1f", "1e999", "٣", ".", "+"}) {
    double value = 0;
    EXPECT_FALSE(parse_number(cell, value)) << cell;
    EXPECT_FALSE(read_text(fmt::format("x\n\"{}\"\n", cell))["x"].numeric()) << cell;
  }
}

TEST(Csv, RecognizesSemicolonsAndDecimalCommasAndSaysSo) {
  const TemporaryFolder folder;
  const auto path = folder.with("t.csv", "\xEF\xBB\xBFx;y;who\n1,5;2;a\n-0,25;1e3;b,c\n;3;\n");
  const auto reader = open_table(path);
  const Table table = reader->read_rest();
  EXPECT_THAT(table.names(), ElementsAre("x", "y", "who"));
  ASSERT_TRUE(table["x"].numeric());
  EXPECT_EQ(table["x"].numbers[0], 1.5);
  EXPECT_EQ(table["x"].numbers[1], -0.25);
  EXPECT_EQ(table["y"].numbers[1], 1000);
  EXPECT_EQ(table["who"].text[1], "b,c");
  EXPECT_THAT(reader->notes(), ElementsAre(path.string() + ": cells are separated by semicolons.",
                                           path.string() + ": numbers have decimal commas."));
}

// 1.234 may be a thousand in such a file; it is not read as 1.234 without a word.
TEST(Csv, DecimalCommasAndPointsDoNotMix) {
  std::string text = "x;y\n";
  for (int i = 0; i < 2000; ++i) text += "1,5;2\n";
  EXPECT_FALSE(read_text(text + "1.234;2\n")["x"].numeric());
  EXPECT_FALSE(read_text("x;y\n1,5;2\n1.5;3\n")["x"].numeric());
  EXPECT_TRUE(read_text("x;y\n1.5;2\n")["x"].numeric());
}

TEST(Csv, CommasInTheFirstLineSeparate) {
  const TemporaryFolder folder;
  EXPECT_THAT(read_text("a;b,c\n1,2\n").names(), ElementsAre("a;b", "c"));
  // A name with a semicolon is quoted, so that it comes back.
  Table table;
  table.add("a;b", std::vector<double>{1});
  write_table(folder / "t.csv", table);
  EXPECT_TRUE(same_table(read_table(folder / "t.csv"), table));
}

TEST(Csv, MissingCellsAreNanInNumericColumns) {
  const Table table = read_text("x,y\n1,a\n,b\nNA,c\nNaN,d\nnan,e\nnull,-\n?,?\n NA ,h\n\"\",i\n");
  EXPECT_TRUE(table["x"].numeric());
  EXPECT_EQ(count_missing(table["x"]), 8);
  EXPECT_EQ(count_missing(table["y"]), 2);
  EXPECT_EQ(table["y"].text[6], "?");
}

TEST(Csv, AColumnIsNumericIffEachCellIsANumberOrMissing) {
  const Table table = read_text("a,b,c,d\n1,1,x,\n2,x,x,NA\n,3,3,\n");
  EXPECT_TRUE(table["a"].numeric());
  EXPECT_FALSE(table["b"].numeric());
  EXPECT_FALSE(table["c"].numeric());
  EXPECT_TRUE(table["d"].numeric());
  EXPECT_THAT(table["b"].text, ElementsAre("1", "x", "3"));
}

// The first rows suggest a type; a cell far behind them must still be able to refute it.
TEST(Csv, TheLastCellMayMakeAColumnText) {
  std::string text = "x,y\n";
  for (int i = 0; i < 5000; ++i) text += "007,1\n";
  text += "end,1\n";
  const TemporaryFolder folder;
  const auto path = folder.with("t.csv", text);
  for (const Table& table : {read_table(path), open_table(path)->read_rest()}) {
    EXPECT_FALSE(table["x"].numeric());
    EXPECT_TRUE(table["y"].numeric());
    EXPECT_EQ(table["x"].text.front(), "007");
  }
  EXPECT_EQ(open_table(path)->schema()[0].type, ColumnType::kText);
}

TEST(Csv, NamedNumericColumnsLeaveEveryOtherSpellingAlone) {
  const Table table = read_text("id,x,z\n007,1,1.50\n1e2,2,NA\n", {.numeric = {{"x"}}});
  EXPECT_THAT(table["id"].text, ElementsAre("007", "1e2"));
  EXPECT_THAT(table["z"].text, ElementsAre("1.50", "NA"));
  EXPECT_THAT(table["x"].numbers, ElementsAre(1, 2));
}

TEST(Csv, QuotesHoldSeparatorsLineEndsAndQuotes) {
  EXPECT_THAT(text_cells("\"a,b\"\n\"c\nd\"\n\"e\"\"f\"\n\"\"\"\"\n\"\"\n\"g\r\nh\"\r\n"),
              ElementsAre("a,b", "c\nd", "e\"f", "\"", "", "g\r\nh"));
}

TEST(Csv, AQuoteInsideAPlainCellIsALetter) {
  EXPECT_THAT(text_cells("5\" pipe\na\"\"b\n"), ElementsAre("5\" pipe", "a\"\"b"));
}

TEST(Csv, LineEndsByteOrderMarksAndAMissingLastNewlineDoNotMatter) {
  const Table plain = read_text("x,t\n1,a\n2,b\n");
  for (const std::string text :
       {"x,t\r\n1,a\r\n2,b\r\n", "\xEF\xBB\xBFx,t\n1,a\n2,b\n", "x,t\n1,a\n2,b", "x,t\n1,a\n2,b\r",
        "x,t\n1,a\n2,b\n\n\r\n\n", "\xEF\xBB\xBF\"x\",\"t\"\r\n\"1\",\"a\"\r\n\"2\",\"b\""}) {
    EXPECT_TRUE(same_table(read_text(text), plain)) << text;
  }
}

TEST(Csv, ColumnsWithoutAHeaderAreNumbered) {
  const Table table = read_text("1,a\n2,b\n", {.header = false});
  EXPECT_THAT(table.names(), ElementsAre("c0", "c1"));
  EXPECT_EQ(table.num_rows(), 2);
  const TemporaryFolder folder;
  write_table(folder / "out.csv", table, {.header = false});
  EXPECT_EQ(bytes_of(folder / "out.csv"), "1,a\n2,b\n");
}

TEST(Csv, TextFilesTellTheirSeparatorByTheFirstLine) {
  for (const std::string separator : {"\t", ",", ";"}) {
    const std::string text = fmt::format("x{0}\"a,;\t,;\tb\"\n1{0}2\n", separator);
    EXPECT_EQ(read_text(text, {}, "t.txt").num_columns(), 2) << separator;
  }
  EXPECT_EQ(read_text("a|b\n1|2\n", {.delimiter = '|'}).num_columns(), 2);
}

TEST(Csv, QuotesOnlyWhereTheyAreNeeded) {
  Table table;
  table.add("a b",
            std::vector<std::string>{"plain", "two words", "a,b", "q\"q", "l\nl", "", "tab\t"});
  table.add("x", std::vector<double>{1, 0.1, 1e100, -0.0, NAN, kInfinity, 123456789});
  const TemporaryFolder folder;
  write_table(folder / "out.csv", table);
  EXPECT_EQ(bytes_of(folder / "out.csv"),
            "a b,x\nplain,1\ntwo words,0.1\n\"a,b\",1e+100\n\"q\"\"q\",-0\n\"l\nl\",\n,inf\n"
            "tab\t,123456789\n");
}

rc::Gen<std::string> nasty_text() {
  return rc::gen::container<std::string>(rc::gen::oneOf(
      rc::gen::element('"', ',', '\n', '\r', ';', '\t', ' ', 'a', '1', '?', '\xEF', '\xFF'),
      rc::gen::arbitrary<char>()));
}

// Cells of any bytes, in any place, next to each other, in one column or several.
RC_GTEST_PROP(Csv, NastyTextSurvives, ()) {
  const auto cols = *rc::gen::inRange<std::size_t>(1, 4);
  const auto rows = *rc::gen::inRange<std::size_t>(1, 8);
  const bool header = *rc::gen::arbitrary<bool>();
  Table table;
  for (std::size_t j = 0; j < cols; ++j) {
    std::string name = header ? *nasty_text() : fmt::format("c{}", j);
    // A name holds no carriage return and is its own.
    std::erase(name, '\r');
    if (header) name += std::to_string(j);
    table.add(name, *rc::gen::container<std::vector<std::string>>(rows, nasty_text()));
  }
  table.add("last", *rc::gen::container<std::vector<double>>(rows, rc::gen::arbitrary<double>()));
  if (!header) table.columns.back().name = fmt::format("c{}", cols);
  if (*rc::gen::arbitrary<bool>()) table.columns.pop_back();
  const std::string ending = *rc::gen::element<std::string>("csv", "tsv", "txt", "csv.gz");
  TableOptions options{.header = header, .numeric = std::vector<std::string>()};
  if (table.columns.back().numeric()) options.numeric->push_back(table.columns.back().name);
  const TemporaryFolder folder;
  write_table(folder / fmt::format("t.{}", ending), table, options);
  RC_ASSERT(same_table(read_table(folder / fmt::format("t.{}", ending), options), table));
  const auto reader = open_table(folder / fmt::format("t.{}", ending), options);
  Table back;
  reader->read(back, 1);
  for (Table block; reader->read(block, 2);) back.append(block);
  RC_ASSERT(same_table(back, table));
}

RC_GTEST_PROP(Csv, EveryDoubleComesBackWithItsBits, (std::uint64_t bits)) {
  const double value = std::bit_cast<double>(bits);
  RC_PRE(!std::isnan(value));
  std::string text;
  append_number(text, value);
  double back = 0;
  RC_ASSERT(parse_number(text, back));
  RC_ASSERT(std::bit_cast<std::uint64_t>(back) == bits);
}

TEST(Csv, TwoThreadsGiveTheTableOfOne) {
  std::string text = "x,t,y\n";
  for (int i = 0; i < 20000; ++i) {
    text +=
        std::to_string(i * 0.37) + (i % 7 == 0 ? ",\"a\nb\"," : ",c,") + std::to_string(-i) + "\n";
  }
  const Table one = read_text(text, {.threads = 1});
  EXPECT_TRUE(same_table(read_text(text, {.threads = 2}), one));
  const TemporaryFolder folder;
  write_table(folder / "one.csv", one, {.threads = 1});
  write_table(folder / "two.csv", one, {.threads = 2});
  EXPECT_EQ(bytes_of(folder / "one.csv"), bytes_of(folder / "two.csv"));
}

// Rows longer than the pieces in which a file is read, and quotes at their borders.
TEST(Csv, RowsMayBeLongerThanAPiece) {
  const std::string a(9'000'000, 'a');
  std::string b;
  for (int i = 0; i < 5'000'000; ++i) b += "\"\"";
  const Table table =
      read_text(fmt::format("t,u\n\"{}\",1\n\"{}\",2\n", a, b), {.numeric = {{"u"}}});
  EXPECT_EQ(table["t"].text[0], a);
  EXPECT_EQ(table["t"].text[1], std::string(5'000'000, '"'));
  EXPECT_THAT(table["u"].numbers, ElementsAre(1, 2));
}

TEST(Csv, EveryRefusalNamesThePlaceAndTheRemedy) {
  struct Case {
    std::string text;
    TableOptions options;
    std::string message;
  };
  const TableOptions x{.numeric = {{"x"}}};
  const std::vector<Case> cases = {
      {"", {}, "t.csv is empty; a table needs at least a line with the names of its columns."},
      {"\n\n", {.header = false}, "t.csv is empty; a table needs at least one row."},
      {std::string(3'000'000, ','), {}, "t.csv, line 1: the line has more than 1048576 cells"},
      {"x,y\n1,2\nzwei,3\n", x,
       "t.csv, line 3, column 1 (\"x\"): \"zwei\" is not a number; correct the cell, or do not use "
       "the column as a number."},
      {"x,y\n1,\"a\nb\"\n1e999,3\n", x,
       "t.csv, line 4, column 1 (\"x\"): \"1e999\" is not a number"},
      {"y,x\n1,2\n3\n",
       {},
       "t.csv, line 3, column 2: the line has 1 cell but the header 2; complete the line, or quote "
       "cells that hold separators."},
      {"x,y\n1,2\n3,4,5\n",
       {},
       "t.csv, line 3, column 3: the line has 3 cells but the header 2; name every column, row "
       "names "
       "included, or quote cells that hold separators."},
      {"1,2\n3,4,5,6\n",
       {.header = false},
       "t.csv, line 2, column 3: the line has 4 cells but the first line 2; complete the line"},
      {"x\n1,2,3\n", {}, "the header 1; name the delimiter, or quote cells that hold separators."},
      {"x,y\n1,2\n\n3,4\n", {}, "t.csv, line 3 is empty but rows follow; remove the line."},
      {"x,y\n1,\"2\n3,4\n",
       {},
       "t.csv, line 2, column 2: a quote is opened here and never closed; close it, or remove it."},
      {"x,y\n1,\"a\"b\n",
       {},
       "t.csv, line 2, column 2: text follows a closing quote; write quotes inside a cell twice."},
      {"x,y\n1,\"a\"\rb\n", {}, "line 2, column 2: text follows a closing quote"},
      {"x,y,x\n1,2,3\n", {}, "t.csv, line 1: columns 1 and 3 are both called \"x\"; rename one."},
      {"x,y\r1,2\r",
       {},
       "t.csv, line 1, column 2: the name \"y\" holds a carriage return; end lines with LF or "
       "CRLF."},
      {"\xFF\xFEx", {}, "t.csv is UTF-16 text; convert it to UTF-8."},
      {fmt::format("x\n\xFF{}\n", std::string(100, 'q')), x,
       fmt::format("{}...\" is not a number", std::string(39, 'q'))},
  };
  for (const Case& c : cases) {
    EXPECT_THAT([&] { read_text(c.text, c.options); },
                ThrowsMessage<InvalidData>(HasSubstr(c.message)));
  }
}

// The first mistake of a file is the one that is told, however many cores look at it.
TEST(Csv, TellsTheFirstOfManyMistakes) {
  std::string text = "x\n";
  for (int i = 0; i < 3000; ++i) text += i >= 1000 ? "bad\n" : "1\n";
  EXPECT_THAT([&] { read_text(text, {.numeric = {{"x"}}}); },
              ThrowsMessage<InvalidData>(HasSubstr("line 1002")));
}

class PandasFile : public testing::TestWithParam<std::string> {};

TEST_P(PandasFile, ReadsAsItWasWritten) {
  TableOptions options;
  const bool header = GetParam() != "pandas_no_header.csv";
  options.header = header;
  options.text = {header ? "id" : "c3"};
  const Table table = read_table(kTables / GetParam(), options);
  ASSERT_EQ(table.num_rows(), 5);
  EXPECT_THAT(table.columns[0].numbers,
              ElementsAre(0.1, -1e300, testing::IsNan(), kInfinity, 5e-324));
  EXPECT_THAT(table.columns[1].numbers, ElementsAre(1, -2, 3, 4, 5));
  EXPECT_THAT(table.columns[2].text,
              ElementsAre("say \"hi\"", "two\nlines", "comma, here", " blanks ", "tab\there"));
  EXPECT_THAT(table.columns[3].text, ElementsAre("007", "008", "009", "010", "011"));
}

INSTANTIATE_TEST_SUITE_P(Csv, PandasFile,
                         testing::Values("pandas.csv", "pandas_crlf_bom.csv", "pandas.tsv.gz",
                                         "pandas_no_header.csv"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace csv_test
}  // namespace conflux
