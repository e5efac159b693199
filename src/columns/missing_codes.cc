#include "columns/missing_codes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace conflux {

namespace {

// How far a code lies from the nearest value, in widths of all values. The largest gains of a
// census are written as 99999 and lie 1.4 widths from the others; they are no gaps.
constexpr double kFarInWidths = 3;
// Fill values of array files, 1e20 and 9.97e36 among them; no measurement is as large.
constexpr double kFillValue = 1e19;
// A number below kFillValue that occurs once may be a mistake, but hardly a rule.
constexpr Index kLeastRowsOfCode = 2;
// If more rows have the code than not, it is a value and no code.
constexpr double kLargestShareOfCodes = 0.5;
// People use one code, or one for each reason.
constexpr std::size_t kMostCodes = 4;

// The smallest and the largest integers of two and four bytes.
constexpr std::array<double, 4> kIntegerLimits = {-32768, 32767, -2147483648.0, 2147483647};

// -9, and two to eight nines of either sign, of which up to three may be decimals: -999, 99.99.
bool is_in_use(double value) {
  const double size = std::abs(value);
  if (size >= kFillValue || value == -9) return true;
  if (std::find(kIntegerLimits.begin(), kIntegerLimits.end(), value) != kIntegerLimits.end()) {
    return true;
  }
  if (size < 99) return false;
  for (double nines = 99; nines < 1e8; nines = 10 * nines + 9) {
    for (const double unit : {1.0, 10.0, 100.0, 1000.0}) {
      if (size == nines / unit) return true;
    }
  }
  return false;
}

struct Code {
  double value = 0;
  Index rows = 0;
};

bool is_among(const std::vector<Code>& codes, double value) {
  return std::any_of(codes.begin(), codes.end(),
                     [&](const Code& code) { return code.value == value; });
}

Interval range_without(std::span<const double> values, const std::vector<Code>& codes) {
  constexpr Interval kAll;
  Interval out{kAll.high, kAll.low};
  for (const double value : values) {
    if (std::isnan(value) || is_among(codes, value)) continue;
    out = {std::min(out.low, value), std::max(out.high, value)};
  }
  return out;
}

double distance(const Interval& range, double value) {
  return std::max({range.low - value, value - range.high, 0.0});
}

bool is_far(const Interval& range, double value) {
  return distance(range, value) >= kFarInWidths * (range.high - range.low);
}

}  // namespace

bool is_new_code(const Interval& held, double value) {
  return held.low < held.high && std::isfinite(value) && !held.contains(value) &&
         is_far(held, value) && is_in_use(value);
}

Interval held_by_all(const Feature& feature) {
  constexpr Interval kAll;
  Interval out{kAll.high, kAll.low};
  for (const HeldValues& own : feature.held) {
    out = {std::min(out.low, own.range.low), std::max(out.high, own.range.high)};
  }
  return out;
}

std::vector<double> find_missing_codes(std::span<const double> values) {
  std::vector<Code> outer;
  Interval range = range_without(values, outer);
  while (outer.size() < kMostCodes && range.low < range.high) {
    const std::size_t before = outer.size();
    for (const double end : {range.low, range.high}) {
      if (is_in_use(end)) outer.push_back({end, std::count(values.begin(), values.end(), end)});
    }
    if (outer.size() == before) break;
    range = range_without(values, outer);
  }
  if (outer.empty() || !(range.low < range.high)) return {};

  // Values that are no codes are data; candidates further out are then compared with the range of
  // these.
  std::sort(outer.begin(), outer.end(), [&](const Code& a, const Code& b) {
    return distance(range, a.value) < distance(range, b.value);
  });
  std::vector<double> out;
  Index coded = 0;
  for (const Code& code : outer) {
    const bool often = code.rows >= kLeastRowsOfCode || std::abs(code.value) >= kFillValue;
    if (often && is_far(range, code.value)) {
      out.push_back(code.value);
      coded += code.rows;
    } else {
      range = {std::min(range.low, code.value), std::max(range.high, code.value)};
    }
  }
  const auto there =
      std::count_if(values.begin(), values.end(), [](double value) { return !std::isnan(value); });
  if (static_cast<double>(coded) > kLargestShareOfCodes * static_cast<double>(there)) return {};
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace conflux
