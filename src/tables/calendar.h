// Times of climate models: "days since 1950-01-01" in the calendars of the CF conventions.

#pragma once

#include <optional>
#include <string>

namespace conflux {

struct YearAndMonth {
  int year = 0;
  /// From 1.
  int month = 1;
};

class Calendar {
 public:
  /// The calendar of a coordinate with these attributes; nothing if it is no time, or its calendar
  /// unknown.
  static std::optional<Calendar> of(const std::string& units, const std::string& calendar);

  YearAndMonth at(double time) const;

 private:
  enum class Kind { kGregorian, kJulian, kNoLeap, kAllLeap, k360Days };

  /// Days since the year 0 began.
  double day_of(int year, int month, int day) const;
  double year_begin(int year) const;
  bool leap(int year) const;

  Kind kind_ = Kind::kGregorian;
  double days_per_unit_ = 1;
  double origin_ = 0;
};

}  // namespace conflux
