#include "columns/feature_scales.h"

#include <algorithm>
#include <cmath>

#include "kernels/normal.h"

namespace conflux {

namespace {

// Normal scores follow the values through so many quantiles.
constexpr int kQuantiles = 200;
// Knots within the cell of an atom that holds all rows; others have their share of them.
constexpr double kKnotsPerAtom = 40;
// Mass that is spread evenly over the range, so that values between atoms have coordinates, too.
constexpr double kEvenMass = 1e-3;
// Width per mass in the middle of the normal law.
constexpr double kRoomPerShare = 2.5;

// The share of spread values below a point, the mean over the groups.
class PooledShares {
 public:
  PooledShares(const Feature& feature, const ValueFacts& facts) : feature_(feature), facts_(facts) {
    for (const auto& sorted : facts.sorted) groups_ += sorted.empty() ? 0 : 1;
  }

  double below(double point) const {
    double sum = 0;
    for (const std::vector<double>& sorted : facts_.sorted) {
      if (sorted.empty()) continue;
      sum += below_in(sorted, point) / static_cast<double>(sorted.size());
    }
    return sum / groups_;
  }

 private:
  // Values that repeat are spread evenly over their cells.
  double below_in(const std::vector<double>& sorted, double point) const {
    const double value = feature_.gathered(point);
    const auto first = std::lower_bound(sorted.begin(), sorted.end(), value);
    const auto last = std::upper_bound(first, sorted.end(), value);
    const auto before = static_cast<double>(first - sorted.begin());
    const auto here = static_cast<double>(last - first);
    if (here == 0 || !feature_.has_cell(value)) return before + here / 2;
    const double low = feature_.spread(value, 0);
    const double high = feature_.spread(value, 1);
    return before + here * std::clamp((point - low) / (high - low), 0.0, 1.0);
  }

  const Feature& feature_;
  const ValueFacts& facts_;
  double groups_ = 0;
};

void add_atom_knots(const Feature& feature, std::vector<double>& knots) {
  for (const Atom& atom : feature.atoms) {
    const int parts = 1 + static_cast<int>(kKnotsPerAtom * atom.share);
    for (int k = 0; k <= parts; ++k) {
      knots.push_back(atom.cell.low + (atom.cell.high - atom.cell.low) * k / parts);
    }
  }
}

void add_quantile_knots(const Feature& feature, const ValueFacts& facts,
                        std::vector<double>& knots) {
  for (const std::vector<double>& sorted : facts.sorted) {
    if (sorted.empty()) continue;
    for (int k = 0; k <= kQuantiles; ++k) {
      const auto at =
          static_cast<std::size_t>(static_cast<double>(sorted.size() - 1) * k / kQuantiles);
      const double value = sorted[at];
      const bool in_cell = feature.has_cell(value);
      if (!in_cell) knots.push_back(feature.spread(value, 0));
      if (in_cell && k == 0) knots.push_back(feature.spread(value, 0));
      if (in_cell && feature.decimals >= 0) knots.push_back(feature.spread(value, 1));
    }
  }
}

}  // namespace

void set_linear_scale(Feature& feature, const ValueFacts& facts, double unit) {
  feature.spread_knots.clear();
  feature.coordinate_knots.clear();
  if (feature.atoms.empty() && unit == 1) return;
  const double spread = spread_within_groups(facts);
  // Room before and behind everything, so that the outer slopes are those between atoms.
  const double room = std::max(spread, unit);
  double at = facts.range.low - room;
  if (!feature.atoms.empty()) {
    at = std::min(at, feature.curved(feature.atoms.front().cell.low) - room);
  }
  double coordinate = at / unit;
  const auto go_to = [&](double point, double extra) {
    coordinate += (point - at) / unit + extra;
    at = point;
    feature.spread_knots.push_back(point);
    feature.coordinate_knots.push_back(coordinate);
  };
  go_to(at, 0);
  for (const Atom& atom : feature.atoms) {
    const Interval cell = {feature.curved(atom.cell.low), feature.curved(atom.cell.high)};
    const double width = cell.high - cell.low;
    if (cell.low > at) go_to(cell.low, 0);
    go_to(cell.high, std::max(0.0, (kRoomPerShare * atom.share * spread - width) / unit));
  }
  go_to(std::max(facts.range.high, at) + room, 0);
}

void set_normal_scale(Feature& feature, const ValueFacts& facts) {
  std::vector<double> knots;
  add_atom_knots(feature, knots);
  add_quantile_knots(feature, facts, knots);
  std::sort(knots.begin(), knots.end());
  const double low = knots.front(), width = knots.back() - low;
  Index rows = 0;
  for (const auto& sorted : facts.sorted) rows += static_cast<Index>(sorted.size());
  const double outermost = 0.25 / static_cast<double>(rows);
  const PooledShares shares(feature, facts);
  feature.spread_knots.clear();
  feature.coordinate_knots.clear();
  for (const double knot : knots) {
    const double even = width > 0 ? (knot - low) / width : 0.5;
    const double level = std::clamp((1 - kEvenMass) * shares.below(knot) + kEvenMass * even,
                                    outermost, 1 - outermost);
    const double coordinate = kernels::normal_quantile(level, 1 - level);
    // Knots that are closer than rounding would make slopes that cannot be undone.
    if (!feature.spread_knots.empty() &&
        (coordinate - feature.coordinate_knots.back() < 1e-9 ||
         knot - feature.spread_knots.back() < 1e-13 * std::max(width, std::abs(knot)))) {
      continue;
    }
    feature.spread_knots.push_back(knot);
    feature.coordinate_knots.push_back(coordinate);
  }
  for (double& knot : feature.spread_knots) knot = feature.curved(knot);
  if (feature.spread_knots.size() > 1) return;
  feature.spread_knots.clear();
  feature.coordinate_knots.clear();
}

}  // namespace conflux
