#include "conflux/columns/feature.h"

#include <algorithm>
#include <cmath>

namespace conflux {

namespace {

// Powers of ten up to here are exact.
double units_per_one(int decimals) {
  double out = 1;
  for (int k = 0; k < decimals; ++k) out *= 10;
  return out;
}

// Division by a power of ten rounds to the very number that the decimal text is read as.
double nearest_multiple(double x, int decimals) {
  const double units = units_per_one(decimals);
  const double out = std::round(x * units) / units;
  return out == 0 ? 0.0 : out;  // never -0
}

double on_line(const std::vector<double>& from, const std::vector<double>& to, double x) {
  if (from.empty()) return x;
  const auto after = std::upper_bound(from.begin() + 1, from.end() - 1, x);
  const auto k = static_cast<std::size_t>(after - from.begin());
  const double slope = (to[k] - to[k - 1]) / (from[k] - from[k - 1]);
  // From the nearer knot, so that knots have their images exactly.
  return x - from[k - 1] <= from[k] - x ? to[k - 1] + slope * (x - from[k - 1])
                                        : to[k] - slope * (from[k] - x);
}

double nearest_of(const std::vector<double>& values, double x) {
  const auto above = std::lower_bound(values.begin(), values.end(), x);
  if (above == values.begin()) return values.front();
  if (above == values.end()) return values.back();
  return *above - x < x - *(above - 1) ? *above : *(above - 1);
}

// Noise keeps this far from the edges of a cell, as a fraction of it: rounding on the way there and
// back stays far below.
constexpr double kEdge = 0.02;

const Atom* atom_of(const std::vector<Atom>& atoms, double value) {
  const auto found = std::lower_bound(atoms.begin(), atoms.end(), value,
                                      [](const Atom& atom, double x) { return atom.value < x; });
  return found != atoms.end() && found->value == value ? &*found : nullptr;
}

}  // namespace

bool Feature::as_it_is() const {
  return kind == FeatureKind::kNumber && spread_knots.empty() && support == Interval{};
}

bool Feature::has_cell(double value) const {
  return decimals >= 0 || atom_of(atoms, value) != nullptr;
}

double Feature::spread(double value, double place) const {
  const double inside = kEdge + (1 - 2 * kEdge) * place;
  if (const Atom* atom = atom_of(atoms, value)) {
    return atom->cell.low + (atom->cell.high - atom->cell.low) * inside;
  }
  // New values may have more decimals than those of the fit; they stay where they are.
  if (decimals < 0 || nearest_multiple(value, decimals) != value) return value;
  return value + (inside - 0.5) / units_per_one(decimals);
}

double Feature::gathered(double point) const {
  const auto above =
      std::lower_bound(atoms.begin(), atoms.end(), point,
                       [](const Atom& atom, double x) { return atom.cell.high < x; });
  if (above != atoms.end() && above->cell.contains(point)) return above->value;
  return decimals < 0 ? point : nearest_multiple(point, decimals);
}

double Feature::fitted_to_group(double point, Index group) const {
  const HeldValues& own = held[static_cast<std::size_t>(group)];
  double value = gathered(point);
  if (!own.values.empty()) return nearest_of(own.values, value);
  const Interval& range = own.range;
  if (range.low > range.high) return std::clamp(value, support.low, support.high);
  // Beyond the values of the group, towards the bound but never across it.
  if (value < range.low && support.low > -std::numeric_limits<double>::infinity()) {
    const double room = range.low - support.low;
    value = room > 0 ? support.low + room * std::exp((value - range.low) / room) : support.low;
    if (decimals >= 0) value = std::max(support.low, nearest_multiple(value, decimals));
  }
  if (value > range.high && support.high < std::numeric_limits<double>::infinity()) {
    const double room = support.high - range.high;
    value = room > 0 ? support.high - room * std::exp((range.high - value) / room) : support.high;
    if (decimals >= 0) value = std::min(support.high, nearest_multiple(value, decimals));
  }
  return value;
}

double Feature::coordinate(double point) const {
  return on_line(spread_knots, coordinate_knots, point);
}

double Feature::point(double coordinate) const {
  return on_line(coordinate_knots, spread_knots, coordinate);
}

Index Feature::category_of(const std::string& text) const {
  const auto found = std::find(categories.begin(), categories.end(), text);
  return found == categories.end() ? -1 : found - categories.begin();
}

}  // namespace conflux
