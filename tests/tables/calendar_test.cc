#include "tables/calendar.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace conflux {
namespace calendar_test {

struct Case {
  std::string units, calendar;
  double time;
  int year, month;
};

// As cftime.num2date() says.
TEST(Calendar, KnowsYearAndMonthInEveryCalendar) {
  const std::vector<Case> cases = {
      {"days since 1970-01-01", "", 0, 1970, 1},
      {"days since 1970-01-01", "standard", -1, 1969, 12},
      {"days since 1970-01-01 00:00:00", "gregorian", 11016, 2000, 2},
      {"days since 1970-01-01", "proleptic_gregorian", 11017, 2000, 3},
      {"hours since 1900-01-01 00:00:0.0", "standard", 24.0 * 59, 1900, 3},
      {"hours since 1999-12-31T18:00", "", 6, 2000, 1},
      {"seconds since 1980-1-1", "", 86400.0 * 366 - 1, 1980, 12},
      {"minutes since 1980-01-01", "", 1440.0 * 366, 1981, 1},
      {"days since 1979-12-31", "noleap", 1 + 59, 1980, 3},
      {"days since 1980-01-01", "365_day", 365, 1981, 1},
      {"days since 1980-01-01", "366_day", 365, 1980, 12},
      {"days since 1980-01-30", "360_day", 1, 1980, 2},
      {"days since 1980-01-01", "360_day", 359.5, 1980, 12},
      {"days since 1900-02-28", "julian", 1, 1900, 2},
  };
  for (const Case& each : cases) {
    const auto calendar = Calendar::of(each.units, each.calendar);
    ASSERT_TRUE(calendar) << each.units;
    const YearAndMonth date = calendar->at(each.time);
    EXPECT_EQ(date.year, each.year) << each.units << " " << each.calendar << " " << each.time;
    EXPECT_EQ(date.month, each.month) << each.units << " " << each.calendar << " " << each.time;
  }
}

TEST(Calendar, IsNothingWhereThereIsNoTime) {
  EXPECT_FALSE(Calendar::of("degrees_north", ""));
  EXPECT_FALSE(Calendar::of("months since 1980-01-01", ""));
  EXPECT_FALSE(Calendar::of("days since the flood", ""));
  EXPECT_FALSE(Calendar::of("days since 1980-01-01", "mayan"));
}

}  // namespace calendar_test
}  // namespace conflux
