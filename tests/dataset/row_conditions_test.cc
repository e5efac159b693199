#include "dataset/row_conditions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/error_text.h"

namespace conflux {
namespace row_conditions_test {

using testing::ElementsAre;
using testing::HasSubstr;

Table people() {
  Table out;
  out.source = "people.csv";
  out.add("arm", std::vector<std::string>{"control", "drug", "control", "drug"});
  out.add("age", {30, 41, 52, std::numeric_limits<double>::quiet_NaN()});
  return out;
}

TEST(RowConditions, CompareTextsBySpellingAndNumbersBySize) {
  EXPECT_THAT(rows_where(people(), "arm=control"), ElementsAre(0, 2));
  EXPECT_THAT(rows_where(people(), "arm != control"), ElementsAre(1, 3));
  EXPECT_THAT(rows_where(people(), "age>=41"), ElementsAre(1, 2));  // a missing age is not
  EXPECT_THAT(rows_where(people(), "age<52 and arm=drug"), ElementsAre(1));
}

TEST(RowConditions, NameTheirColumnsAndThoseThatKeepTheirSpelling) {
  EXPECT_THAT(condition_columns("age<52 and arm=drug"), ElementsAre("age", "arm"));
  EXPECT_THAT(spelled_in("age<52 and arm=drug"), ElementsAre("arm"));
  EXPECT_THAT(condition_columns(""), testing::IsEmpty());
}

TEST(RowConditions, AreRefusedWithWhatThereIs) {
  const Table table = people();
  EXPECT_THAT(error_text([&] { rows_where(table, "arm=controls"); }), HasSubstr("\"control\""));
  EXPECT_THAT(error_text([&] { rows_where(table, "age>60"); }), HasSubstr("goes from 30 to 52"));
  EXPECT_THAT(error_text([&] { rows_where(table, "age<old"); }), HasSubstr("is no number"));
  EXPECT_THAT(error_text([&] { rows_where(table, "arm>3"); }),
              HasSubstr("is no number, so it is neither above nor below 3"));
  EXPECT_THAT(error_text([&] { rows_where(table, "!arm"); }), HasSubstr("write COLUMN=VALUE"));
}

}  // namespace row_conditions_test
}  // namespace conflux
