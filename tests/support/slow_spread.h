// The spread of groups on the line, straight from its definition.

#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace conflux {

struct LineGroup {
  std::vector<double> values;
  /// Empty when all count alike.
  std::vector<double> masses;
};

/// Quantile of level u: the first value with at least this mass up to it.
inline double slow_quantile(const LineGroup& group, double u) {
  std::vector<std::pair<double, double>> atoms;
  for (std::size_t i = 0; i < group.values.size(); ++i) {
    atoms.emplace_back(group.values[i], group.masses.empty() ? 1.0 : group.masses[i]);
  }
  std::sort(atoms.begin(), atoms.end());
  double total = 0;
  for (const auto& atom : atoms) total += atom.second;
  double below = 0;
  for (const auto& [value, mass] : atoms) {
    below += mass;
    if (below >= u * total) return value;
  }
  return atoms.back().first;
}

/// Integral over the levels u of sum_m w_m (Q_m(u) - b(u))^2, piece by piece between all levels
/// where some quantile function jumps.
inline double slow_spread(const std::vector<LineGroup>& groups,
                          const std::vector<double>& weights) {
  std::vector<double> levels{0, 1};
  for (const LineGroup& group : groups) {
    // Jumps in the order of the values.
    std::vector<std::size_t> order(group.values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return group.values[a] < group.values[b]; });
    const auto mass = [&](std::size_t i) { return group.masses.empty() ? 1.0 : group.masses[i]; };
    double total = 0;
    for (const std::size_t i : order) total += mass(i);
    double below = 0;
    for (const std::size_t i : order) levels.push_back(std::min(1.0, (below += mass(i)) / total));
  }
  std::sort(levels.begin(), levels.end());
  double spread = 0;
  for (std::size_t l = 1; l < levels.size(); ++l) {
    const double length = levels[l] - levels[l - 1];
    // Levels that differ by rounding only are one.
    if (length < 1e-12) continue;
    const double u = levels[l - 1] + 0.5 * length;
    double barycenter = 0;
    std::vector<double> quantiles;
    for (std::size_t m = 0; m < groups.size(); ++m) {
      quantiles.push_back(slow_quantile(groups[m], u));
      barycenter += weights[m] * quantiles[m];
    }
    for (std::size_t m = 0; m < groups.size(); ++m) {
      spread += length * weights[m] * (quantiles[m] - barycenter) * (quantiles[m] - barycenter);
    }
  }
  return spread;
}

}  // namespace conflux
