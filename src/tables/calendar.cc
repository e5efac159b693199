#include "tables/calendar.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace conflux {

namespace {

constexpr std::array<int, 12> kMonths = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

// Days of a unit; 0 if it is none.
double days_of(const std::string& unit) {
  const auto is = [&](const char* name) { return unit == name || unit == std::string(name) + "s"; };
  if (is("day") || unit == "d") return 1;
  if (is("hour") || is("hr") || unit == "h") return 1.0 / 24;
  if (is("minute") || is("min")) return 1.0 / 1440;
  if (is("second") || is("sec") || unit == "s") return 1.0 / 86400;
  return 0;
}

}  // namespace

std::optional<Calendar> Calendar::of(const std::string& units, const std::string& calendar) {
  const std::size_t since = units.find(" since ");
  if (since == units.npos) return std::nullopt;
  Calendar out;
  out.days_per_unit_ = days_of(units.substr(0, since));
  int year = 0, month = 1, day = 1, hour = 0, minute = 0;
  const int parts = std::sscanf(units.c_str() + since + 7, "%d-%d-%d%*[ T]%d:%d", &year, &month,
                                &day, &hour, &minute);
  const bool date = parts >= 3 && std::abs(year) < 1'000'000 && month >= 1 && month <= 12 &&
                    day >= 1 && day <= 31;
  if (out.days_per_unit_ == 0 || !date) return std::nullopt;
  if (calendar.empty() || calendar == "standard" || calendar == "gregorian" ||
      calendar == "proleptic_gregorian") {
    out.kind_ = Kind::kGregorian;
  } else if (calendar == "noleap" || calendar == "365_day") {
    out.kind_ = Kind::kNoLeap;
  } else if (calendar == "all_leap" || calendar == "366_day") {
    out.kind_ = Kind::kAllLeap;
  } else if (calendar == "360_day") {
    out.kind_ = Kind::k360Days;
  } else if (calendar == "julian") {
    out.kind_ = Kind::kJulian;
  } else {
    return std::nullopt;
  }
  out.origin_ = out.day_of(year, month, day);
  if (parts == 5) out.origin_ += (hour + minute / 60.0) / 24;
  return out;
}

bool Calendar::leap(int year) const {
  switch (kind_) {
    case Kind::kGregorian:
      return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    case Kind::kJulian:
      return year % 4 == 0;
    case Kind::kAllLeap:
      return true;
    default:
      return false;
  }
}

double Calendar::year_begin(int year) const {
  const double before = year - 1;
  switch (kind_) {
    case Kind::kGregorian:
      return 365.0 * year + std::floor(before / 4) - std::floor(before / 100) +
             std::floor(before / 400);
    case Kind::kJulian:
      return 365.0 * year + std::floor(before / 4);
    case Kind::kAllLeap:
      return 366.0 * year;
    case Kind::k360Days:
      return 360.0 * year;
    default:
      return 365.0 * year;
  }
}

double Calendar::day_of(int year, int month, int day) const {
  double out = year_begin(year) + day - 1;
  for (int m = 1; m < month; ++m) {
    out += kind_ == Kind::k360Days ? 30 : kMonths[m - 1] + (m == 2 && leap(year) ? 1 : 0);
  }
  return out;
}

YearAndMonth Calendar::at(double time) const {
  // Rounding must not put midnight of the first of January into the year before.
  const double day = std::floor(origin_ + time * days_per_unit_ + 1e-6);
  if (!(std::abs(day) < 1e8)) return {};
  YearAndMonth out;
  out.year = static_cast<int>(std::floor(day / 365.2425));
  while (year_begin(out.year) > day) --out.year;
  while (year_begin(out.year + 1) <= day) ++out.year;
  while (out.month < 12 && day_of(out.year, out.month + 1, 1) <= day) ++out.month;
  return out;
}

}  // namespace conflux
