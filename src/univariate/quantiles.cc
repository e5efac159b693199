#include "univariate/quantiles.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

namespace conflux {

namespace {

// Kahan's sum: off by a few roundings of the result, however many terms there are.
class Sum {
 public:
  void add(double term) {
    const double corrected = term - excess_;
    const double next = value_ + corrected;
    excess_ = (next - value_) - corrected;
    value_ = next;
  }
  double value() const { return value_; }

 private:
  double value_ = 0;
  double excess_ = 0;
};

// Every cut is taken from the total, not from the cut before it, so that rounding does not add up.
// A value that reaches beyond a cut by rounding only ends there: else a sliver of an atom would
// spoil the next bin.
template <class Scalar, class Masses>
std::vector<double> bin_means(std::span<const Scalar> values, const Masses& masses, double total,
                              Index bins) {
  const double sliver = 8 * std::numeric_limits<double>::epsilon() * total;
  std::vector<double> means(static_cast<std::size_t>(bins));
  std::size_t at = 0;
  Sum reached;  // mass up to and with values[at]
  reached.add(masses[0]);
  double begin = 0;
  for (std::size_t q = 0; q < means.size(); ++q) {
    const double cut = total * static_cast<double>(q + 1) / static_cast<double>(bins);
    // Means are taken relative to the first value of the bin: equal values give that value exactly.
    const double anchor = values[at];
    double moment = 0;
    double mass = 0;
    const auto take_up_to = [&](double end) {
      moment += (end - begin) * (values[at] - anchor);
      mass += end - begin;
      begin = end;
    };
    while (reached.value() <= cut + sliver && at + 1 < values.size()) {
      const bool last_of_bin = reached.value() >= cut - sliver;
      take_up_to(reached.value());
      reached.add(masses[++at]);
      if (last_of_bin) break;
    }
    if (begin < cut - sliver) take_up_to(cut);
    means[q] = anchor + moment / mass;
  }
  // Rounding must not disturb the order.
  for (std::size_t q = 1; q < means.size(); ++q) means[q] = std::max(means[q], means[q - 1]);
  return means;
}

double sum_of(std::span<const double> masses) {
  Sum all;
  for (const double mass : masses) all.add(mass);
  return all.value();
}

// A list of ones that takes no memory.
struct Ones {
  double operator[](std::size_t) const { return 1; }
};

template <class Scalar>
QuantileSummary summarize_evenly(std::span<const Scalar> values, Index capacity) {
  QuantileSummary out;
  if (values.empty()) return out;
  out.min = values.front();
  out.max = values.back();
  const auto total = static_cast<double>(values.size());
  if (static_cast<Index>(values.size()) <= capacity) {
    out.values.assign(values.begin(), values.end());
    out.masses.assign(values.size(), 1.0);
    return out;
  }
  out.values = bin_means(values, Ones(), total, capacity);
  out.masses.assign(out.values.size(), total / static_cast<double>(capacity));
  return out;
}

}  // namespace

QuantileSummary summarize(std::span<const float> values, Index capacity) {
  return summarize_evenly(values, capacity);
}

QuantileSummary summarize(std::span<const double> values, std::span<const double> masses,
                          Index capacity) {
  assert(masses.empty() || masses.size() == values.size());
  if (masses.empty()) return summarize_evenly(values, capacity);
  QuantileSummary all;
  all.values.reserve(values.size());
  all.masses.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (masses[i] <= 0) continue;
    all.values.push_back(values[i]);
    all.masses.push_back(masses[i]);
  }
  if (all.values.empty()) return all;
  all.min = all.values.front();
  all.max = all.values.back();
  if (static_cast<Index>(all.values.size()) <= capacity) return all;
  const double total = std::accumulate(all.masses.begin(), all.masses.end(), 0.0);
  all.values =
      bin_means(std::span<const double>(all.values), all.masses, sum_of(all.masses), capacity);
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
  return bin_means(std::span<const double>(summary.values), summary.masses, sum_of(summary.masses),
                   bins);
}

}  // namespace conflux
