#include "conflux/univariate/quantiles.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace conflux {

namespace {

std::vector<double> bin_means(std::span<const double> values, std::span<const double> masses,
                              Index bins) {
  double total = 0;
  for (const double mass : masses) total += mass;
  const double share = total / static_cast<double>(bins);
  std::vector<double> means(static_cast<std::size_t>(bins));
  std::size_t next = 0;
  double left = masses[0];  // mass of values[next] that no bin has taken yet
  for (double& mean : means) {
    // Means are taken relative to the first value of the bin: equal values give that value exactly.
    const double anchor = values[next];
    double moment = 0;
    double need = share;
    while (left < need && next + 1 < values.size()) {
      moment += left * (values[next] - anchor);
      need -= left;
      left = masses[++next];
    }
    moment += need * (values[next] - anchor);
    left -= need;
    mean = anchor + moment / share;
    if (left <= 0 && next + 1 < values.size()) left = masses[++next];
  }
  // Rounding of the shares must not disturb the order.
  for (std::size_t q = 1; q < means.size(); ++q) means[q] = std::max(means[q], means[q - 1]);
  return means;
}

}  // namespace

QuantileSummary summarize(std::span<const double> values, std::span<const double> masses,
                          Index capacity) {
  assert(masses.empty() || masses.size() == values.size());
  QuantileSummary all;
  all.values.reserve(values.size());
  all.masses.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double mass = masses.empty() ? 1.0 : masses[i];
    if (mass <= 0) continue;
    all.values.push_back(values[i]);
    all.masses.push_back(mass);
  }
  if (all.values.empty()) return all;
  all.min = all.values.front();
  all.max = all.values.back();
  if (static_cast<Index>(all.values.size()) <= capacity) return all;
  const double total = std::accumulate(all.masses.begin(), all.masses.end(), 0.0);
  all.values = bin_means(all.values, all.masses, capacity);
  all.masses.assign(all.values.size(), total / static_cast<double>(capacity));
  return all;
}

QuantileSummary merge(std::span<const QuantileSummary> parts) {
  QuantileSummary out;
  std::vector<std::pair<double, double>> points;
  for (const QuantileSummary& part : parts) {
    if (part.empty()) continue;
    out.min = out.max < out.min ? part.min : std::min(out.min, part.min);
    out.max = points.empty() ? part.max : std::max(out.max, part.max);
    for (std::size_t i = 0; i < part.values.size(); ++i) {
      points.emplace_back(part.values[i], part.masses[i]);
    }
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [value, mass] : points) {
    out.values.push_back(value);
    out.masses.push_back(mass);
  }
  return out;
}

std::vector<double> equal_mass_means(const QuantileSummary& summary, Index bins) {
  assert(!summary.empty());
  return bin_means(summary.values, summary.masses, bins);
}

}  // namespace conflux
