#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "conflux/columns/columns.h"

namespace conflux {

namespace {

// Powers of ten up to here are exact.
constexpr std::array<double, 16> kPowers = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

double units_per_one(int decimals) { return kPowers[static_cast<std::size_t>(decimals)]; }

// Half away from zero, like std::round(), which is a call of the library.
double rounded(double x) {
  return std::abs(x) < 0x1p51
             ? static_cast<double>(static_cast<std::int64_t>(x + std::copysign(0.5, x)))
             : x;
}

// Division by a power of ten rounds to the very number that the decimal text is read as.
double nearest_multiple(double x, int decimals) {
  if (decimals == 0) return rounded(x) + 0.0;  // never -0
  const double units = units_per_one(decimals);
  return rounded(x * units) / units + 0.0;
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
// Between the noise of two multiples is room for the numbers between them, which new data may have:
// a slit of this half width, in units.
constexpr double kSlit = 0.005;
// Numbers between two multiples are expected to have at most so many more decimals than they, and
// return with errors below this, in units.
constexpr int kWrittenDecimals = 6;
constexpr double kNearWritten = 2e-8;
// Beyond, a double has no room for decimals of a unit.
constexpr double kMostUnits = 1e14;

bool between_multiples(double value, int decimals) {
  return std::abs(value * units_per_one(decimals)) < kMostUnits &&
         nearest_multiple(value, decimals) != value;
}

// Numbers between k and k + 1 units lie in the slit around k + 1/2.
double into_slit(double value, double units) {
  const double below = std::floor(value * units);
  return (below + 0.5 + kSlit * (2 * (value * units - below) - 1)) / units;
}

double out_of_slit(double point, double units) {
  const double below = std::floor(point * units);
  const double part = ((point * units - below - 0.5) / kSlit + 1) / 2;
  const double value = below + std::clamp(part, 0.0, 1.0);
  // A slit is narrow, so rounding on the way is magnified. People write few decimals: a number that
  // is this near to one of them is that one.
  const double written = nearest_multiple(value, kWrittenDecimals);
  return (std::abs(value - written) < kNearWritten ? written : value) / units;
}

bool in_slit(double point, double units) {
  const double from_half = point * units - std::floor(point * units) - 0.5;
  return std::abs(point * units) < kMostUnits && std::abs(from_half) <= (kSlit + kEdge) / 2;
}

const Atom* atom_of(const std::vector<Atom>& atoms, double value) {
  const auto found = std::lower_bound(atoms.begin(), atoms.end(), value,
                                      [](const Atom& atom, double x) { return atom.value < x; });
  return found != atoms.end() && found->value == value ? &*found : nullptr;
}

}  // namespace

bool Feature::as_it_is() const {
  return kind == FeatureKind::kNumber && spread_knots.empty() && support == Interval{} &&
         cofactor == 0 && missing_codes.empty();
}

bool Feature::has_cell(double value) const {
  if (!spreads) return false;
  return decimals >= 0 ? !between_multiples(value, decimals) : atom_of(atoms, value) != nullptr;
}

double Feature::spread(double value, double place) const {
  if (!spreads) return value;
  const double inside = kEdge + (1 - 2 * kEdge) * place;
  if (decimals >= 0) {
    const double units = units_per_one(decimals);
    return between_multiples(value, decimals) ? into_slit(value, units)
                                              : value + (inside - 0.5) / units;
  }
  if (const Atom* atom = atom_of(atoms, value)) {
    return atom->cell.low + (atom->cell.high - atom->cell.low) * inside;
  }
  return beside_cells(value);
}

double Feature::gathered(double point) const {
  if (!spreads) {
    if (decimals < 0) return point;
    // Rounding on the way there and back is far smaller than what people write.
    const double multiple = nearest_multiple(point, decimals);
    return std::abs(multiple - point) * units_per_one(decimals) < kNearWritten ? multiple : point;
  }
  if (decimals >= 0) {
    const double units = units_per_one(decimals);
    return in_slit(point, units) ? out_of_slit(point, units) : nearest_multiple(point, decimals);
  }
  const auto above =
      std::lower_bound(atoms.begin(), atoms.end(), point,
                       [](const Atom& atom, double x) { return atom.cell.high < x; });
  if (above != atoms.end() && above->cell.contains(point)) return above->value;
  return from_beside_cells(point);
}

// An atom at the edge of the support is spread beyond it; new data beyond the edge makes way.
double Feature::beside_cells(double value) const {
  if (atoms.empty()) return value;
  if (makes_room) {
    const auto above = std::upper_bound(atoms.begin(), atoms.end(), value,
                                        [](double x, const Atom& atom) { return x < atom.value; });
    return value + pushed_above(above - atoms.begin() - 1);
  }
  const Atom &first = atoms.front(), &last = atoms.back();
  if (value < first.value && first.cell.high == first.value) {
    return value - (first.value - first.cell.low);
  }
  if (value > last.value && last.cell.low == last.value) {
    return value + (last.cell.high - last.value);
  }
  return value;
}

double Feature::from_beside_cells(double point) const {
  if (atoms.empty()) return point;
  if (makes_room) {
    const auto above =
        std::upper_bound(atoms.begin(), atoms.end(), point,
                         [](double x, const Atom& atom) { return x < atom.cell.low; });
    return point - pushed_above(above - atoms.begin() - 1);
  }
  const Atom &first = atoms.front(), &last = atoms.back();
  if (point < first.cell.low && first.cell.high == first.value) {
    return point + (first.value - first.cell.low);
  }
  if (point > last.cell.high && last.cell.low == last.value) {
    return point - (last.cell.high - last.value);
  }
  return point;
}

double Feature::pushed_above(Index atom) const {
  if (atom < 0) return atoms.front().cell.low - atoms.front().value;
  const Atom& below = atoms[static_cast<std::size_t>(atom)];
  return below.cell.high - below.value;
}

double Feature::fitted_to_group(double point, Index group) const {
  const HeldValues& own = held[static_cast<std::size_t>(group)];
  double value = decimals < 0 ? gathered(point) : nearest_multiple(point, decimals);
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
  return on_line(spread_knots, coordinate_knots, curved(point));
}

double Feature::point(double coordinate) const {
  return straight(on_line(coordinate_knots, spread_knots, coordinate));
}

double Feature::slope(double coordinate) const {
  const double curve = cofactor > 0 ? 1 / std::hypot(cofactor, point(coordinate)) : 1;
  if (coordinate_knots.empty()) return curve;
  const auto above =
      std::upper_bound(coordinate_knots.begin() + 1, coordinate_knots.end() - 1, coordinate);
  const auto k = static_cast<std::size_t>(above - coordinate_knots.begin());
  return curve * (coordinate_knots[k] - coordinate_knots[k - 1]) /
         (spread_knots[k] - spread_knots[k - 1]);
}

Index Feature::category_of(const std::string& text) const {
  const auto found = std::find(categories.begin(), categories.end(), text);
  return found == categories.end() ? -1 : found - categories.begin();
}

}  // namespace conflux
