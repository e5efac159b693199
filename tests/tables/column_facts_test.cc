#include "tables/column_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "conflux/core/error.h"
#include "tests/tables/files.h"

namespace conflux {
namespace column_facts_test {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Pair;

std::vector<ColumnFacts> facts_of(const std::vector<std::filesystem::path>& paths,
                                  Index rows_per_block, int threads = 1) {
  FactsCollector collector(threads);
  for (const auto& path : paths) {
    const auto reader = open_table(path);
    for (Table block; reader->read(block, rows_per_block);) collector.add(block);
  }
  return collector.facts();
}

TEST(ColumnFacts, CountEveryCellOnce) {
  const TemporaryFolder folder;
  const auto path = folder.with("t.csv",
                                "age,rain,sex\n"
                                "41,0,f\n"
                                "?,0.5,m\n"
                                "-3,inf,\n"
                                "41,-0,f\n");
  for (const Index rows : {1, 2, 100}) {
    const auto facts = facts_of({path}, rows);
    ASSERT_EQ(facts.size(), 3U);
    const ColumnFacts& age = facts[0];
    EXPECT_EQ(age.name, "age");
    EXPECT_EQ(age.numbers, 3);
    EXPECT_EQ(age.missing, 1);
    EXPECT_EQ(age.texts, 0);
    EXPECT_EQ(age.rows(), 4);
    EXPECT_TRUE(age.whole);
    EXPECT_EQ(age.least, -3);
    EXPECT_EQ(age.greatest, 41);
    EXPECT_THAT(age.values, ElementsAre(Pair(-3, 1), Pair(41, 2)));
    EXPECT_THAT(age.first_missing->place, EndsWith("t.csv, line 3"));
    const ColumnFacts& rain = facts[1];
    EXPECT_FALSE(rain.whole);
    EXPECT_EQ(rain.infinite, 1);
    EXPECT_EQ(rain.greatest, 0.5);
    EXPECT_THAT(rain.first_infinite->place, EndsWith("t.csv, line 4"));
    // Zero and minus zero are one value.
    EXPECT_THAT(rain.values, ElementsAre(Pair(0, 2), Pair(0.5, 1)));
    const ColumnFacts& sex = facts[2];
    EXPECT_EQ(sex.texts, 3);
    EXPECT_EQ(sex.missing, 1);
    EXPECT_TRUE(std::isnan(sex.least));
    EXPECT_FALSE(sex.whole);
    EXPECT_THAT(sex.spellings, ElementsAre(Pair("f", 2), Pair("m", 1)));
  }
}

// Lines, unlike rows, go on inside of quotes, and a block does not know those before it.
TEST(ColumnFacts, FindTheFirstCellThatIsNoNumberByItsLine) {
  const TemporaryFolder folder;
  std::string text = "note,x\n\"two\nlines\",1\n";
  for (int i = 0; i < 3000; ++i) text += "a,1\n";
  text += "\"three\n\nlines\",2\nb,4o\nb,5o\n";
  const auto path = folder.with("t.csv", text);
  for (const Index rows : {1, 7, 100000}) {
    const ColumnFacts x = facts_of({path}, rows)[1];
    EXPECT_EQ(x.numbers, 3002);
    EXPECT_EQ(x.texts, 2);
    EXPECT_EQ(x.first_text->value, "4o");
    EXPECT_THAT(x.first_text->place, EndsWith("t.csv, line 3007"));
    EXPECT_TRUE(has_stray_text(x));
    EXPECT_THAT(stray_text_message(x),
                HasSubstr("line 3007, column \"x\": \"4o\" is not a number, but 3002 of 3004 cells "
                          "are; correct the cell, leave it empty"));
  }
}

TEST(ColumnFacts, StrayTextIsATenthOfTheCellsAtMost) {
  ColumnFacts column;
  column.numbers = 9;
  column.texts = 1;
  column.missing = 1000;
  EXPECT_TRUE(has_stray_text(column));
  column.texts = 2;
  EXPECT_FALSE(has_stray_text(column));
  column.texts = 0;
  EXPECT_FALSE(has_stray_text(column));
}

TEST(ColumnFacts, NameBothFilesOfAColumnThatIsTextInOneOnly) {
  const TemporaryFolder folder;
  const auto a = folder.with("a.csv", "x\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  const auto b = folder.with("b.csv", "x\n1\nnone\n");
  const ColumnFacts x = facts_of({a, b}, 100)[0];
  EXPECT_EQ(x.numbers, 10);
  EXPECT_THAT(stray_text_message(x), HasSubstr("b.csv, line 3, column \"x\": \"none\""));
  EXPECT_THAT(stray_text_message(x), HasSubstr("a.csv, line 2: \"1\""));
}

TEST(ColumnFacts, RememberTheFirstValuesAndCountThemToTheEnd) {
  Table table;
  std::vector<double> numbers;
  std::vector<std::string> text;
  for (Index i = 0; i < 3 * kMostDistinct; ++i) {
    numbers.push_back(static_cast<double>(i) + 0.5);
    numbers.push_back(0);
    text.push_back(std::to_string(i) + "x");
    text.emplace_back("a");
  }
  text.front() = std::string(kLongestDistinct + 1, 'z');
  table.add("x", numbers);
  table.add("t", text);
  FactsCollector collector;
  collector.add(table);
  const auto facts = collector.facts();
  EXPECT_EQ(facts[0].values.size(), static_cast<std::size_t>(kMostDistinct));
  EXPECT_TRUE(facts[0].more_values);
  EXPECT_THAT(facts[0].values.front(), Pair(0, 3 * kMostDistinct));
  EXPECT_EQ(facts[1].spellings.size(), static_cast<std::size_t>(kMostDistinct));
  EXPECT_TRUE(facts[1].more_spellings);
  EXPECT_THAT(facts[1].spellings.back(), Pair("a", 3 * kMostDistinct));
}

TEST(ColumnFacts, AreTheSameForAnyThreadsAndFormat) {
  const TemporaryFolder folder;
  Table table;
  for (int j = 0; j < 20; ++j) {
    std::vector<double> numbers;
    for (int i = 0; i < 500; ++i) numbers.push_back(std::floor(std::sin(i * (j + 1)) * 20));
    table.add("c" + std::to_string(j), numbers);
  }
  write_table(folder / "t.csv", table);
  write_table(folder / "t.npy", table);
  const auto one = facts_of({folder / "t.csv"}, 64, 1);
  const auto three = facts_of({folder / "t.npy"}, 1000, 3);
  for (std::size_t j = 0; j < one.size(); ++j) {
    EXPECT_EQ(one[j].values, three[j].values);
    EXPECT_TRUE(three[j].whole);
  }
  EXPECT_THAT(three[0].first_number->place, EndsWith("t.npy, row 1"));
}

TEST(ColumnFacts, RefuseOtherColumns) {
  Table a;
  a.add("x", std::vector<double>{1});
  Table b;
  b.source = "b.csv";
  b.add("y", std::vector<double>{1});
  FactsCollector collector;
  collector.add(a);
  EXPECT_THAT([&] { collector.add(b); },
              ::testing::ThrowsMessage<InvalidData>(
                  HasSubstr("b.csv: column 1 is \"y\" but was \"x\" before; all files need")));
}

}  // namespace column_facts_test
}  // namespace conflux
