#include "columns/value_facts.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "kernels/sort.h"

namespace conflux {

namespace {

// Quantiles of so many values are as good as those of more.
constexpr Index kMostSorted = 50000;
// Text of measurements rarely has more; a feature with more decimals is a number like any other.
constexpr int kMostDecimals = 6;
// More repeated values than this are no atoms.
constexpr std::size_t kMostRepeated = 4096;

int decimals_of(std::span<const double> values) {
  int decimals = 0;
  double units = 1;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    // Beyond 2^53 every double is whole, whatever its unit.
    while (decimals <= kMostDecimals && std::abs(value * units) < 9e15 &&
           std::round(value * units) / units != value) {
      ++decimals;
      units *= 10;
    }
    if (decimals > kMostDecimals || std::abs(value * units) >= 9e15) return -1;
  }
  return decimals;
}

std::vector<double> sorted_sample(const std::vector<double>& values) {
  const auto count = static_cast<Index>(values.size());
  const Index step = (count + kMostSorted - 1) / kMostSorted;
  std::vector<double> out;
  for (Index i = 0; i < count; i += std::max<Index>(step, 1)) out.push_back(values[i]);
  kernels::sort_values(out.data(), static_cast<Index>(out.size()));
  return out;
}

// Calls `use` with every value of any group, increasing, and how many rows of each group have it.
template <class Use>
void for_each_value(const std::vector<std::vector<double>>& groups, const Use& use) {
  std::vector<std::size_t> next(groups.size(), 0);
  std::vector<double> counts(groups.size());
  for (;;) {
    double value = std::numeric_limits<double>::infinity();
    for (std::size_t m = 0; m < groups.size(); ++m) {
      if (next[m] < groups[m].size()) value = std::min(value, groups[m][next[m]]);
    }
    if (value == std::numeric_limits<double>::infinity()) return;
    for (std::size_t m = 0; m < groups.size(); ++m) {
      const std::size_t first = next[m];
      while (next[m] < groups[m].size() && groups[m][next[m]] == value) ++next[m];
      counts[m] = static_cast<double>(next[m] - first);
    }
    use(value + 0.0, counts);  // 0 and -0 are one value
  }
}

void find_repeated(ValueFacts& facts) {
  double total = 0;
  for (const std::vector<double>& sorted : facts.sorted) {
    total += static_cast<double>(sorted.size());
  }
  facts.all_different = true;
  for_each_value(facts.sorted, [&](double value, const std::vector<double>& counts) {
    double sum = 0;
    for (const double count : counts) sum += count;
    if (sum < 2) return;
    facts.all_different = false;
    facts.repeated_share += sum / std::max(total, 1.0);
    ValueShare share{value, counts};
    for (std::size_t m = 0; m < counts.size(); ++m) {
      share.shares[m] /= std::max(1.0, static_cast<double>(facts.sorted[m].size()));
    }
    facts.repeated.push_back(std::move(share));
  });
  if (facts.repeated.size() <= kMostRepeated) return;
  // Too many values repeat to keep them all. Those that a hundredth of a group shares stay: they
  // are atoms.
  std::erase_if(facts.repeated, [](const ValueShare& share) { return share.largest() < 0.01; });
}

double quantile(const std::vector<double>& sorted, double level) {
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(std::lround(level * last))];
}

// Root mean square over groups of the width between two quantiles.
double width_within_groups(const ValueFacts& facts, double low, double high) {
  double sum = 0, count = 0;
  for (const std::vector<double>& sorted : facts.sorted) {
    if (sorted.empty()) continue;
    const double width = quantile(sorted, high) - quantile(sorted, low);
    sum += width * width;
    count += 1;
  }
  return count > 0 ? std::sqrt(sum / count) : 0;
}

}  // namespace

double ValueShare::largest() const { return *std::max_element(shares.begin(), shares.end()); }

ValueFacts value_facts(std::span<const double> values, std::span<const Index> groups,
                       Index num_groups) {
  ValueFacts facts;
  std::vector<std::vector<double>> by_group(static_cast<std::size_t>(num_groups));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      ++facts.missing;
    } else {
      by_group[static_cast<std::size_t>(groups[i])].push_back(values[i]);
    }
  }
  facts.range = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const std::vector<double>& group : by_group) {
    Interval range = {1, 0};
    if (!group.empty()) {
      const auto [low, high] = std::minmax_element(group.begin(), group.end());
      range = {*low, *high};
      facts.range = {std::min(facts.range.low, *low), std::max(facts.range.high, *high)};
    }
    facts.ranges.push_back(range);
    facts.sorted.push_back(sorted_sample(group));
  }
  facts.decimals = decimals_of(values);
  find_repeated(facts);
  return facts;
}

double spread_within_groups(const ValueFacts& facts) {
  // Widths of the middle half and of nine tenths of the normal law, in standard deviations.
  for (const auto& [low, high, width] :
       {std::array{0.25, 0.75, 1.349}, std::array{0.05, 0.95, 3.290}, std::array{0.0, 1.0, 6.0}}) {
    const double spread = width_within_groups(facts, low, high) / width;
    if (spread > 0) return spread;
  }
  return 0;
}

double deviation(const ValueFacts& facts) {
  double count = 0, mean = 0, squares = 0;
  for (const std::vector<double>& sorted : facts.sorted) {
    for (const double value : sorted) {
      count += 1;
      const double away = value - mean;
      mean += away / count;
      squares += away * (value - mean);
    }
  }
  return count > 0 ? std::sqrt(squares / count) : 0;
}

double tail_weight(const ValueFacts& facts) {
  const double spread = spread_within_groups(facts);
  if (!(spread > 0)) return 0;
  double out = 0;
  for (const std::vector<double>& sorted : facts.sorted) {
    if (sorted.empty()) continue;
    const double middle = quantile(sorted, 0.5);
    out = std::max({out, quantile(sorted, 0.999) - middle, middle - quantile(sorted, 0.001)});
  }
  return out / spread;
}

std::vector<std::vector<double>> different_values(std::span<const double> values,
                                                  std::span<const Index> groups, Index num_groups,
                                                  Index most) {
  std::vector<std::unordered_set<double>> found(static_cast<std::size_t>(num_groups));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    std::unordered_set<double>& own = found[static_cast<std::size_t>(groups[i])];
    own.insert(values[i] + 0.0);
    if (static_cast<Index>(own.size()) > most) return {};
  }
  std::vector<std::vector<double>> out;
  for (const std::unordered_set<double>& own : found) {
    std::vector<double>& sorted = out.emplace_back(own.begin(), own.end());
    std::sort(sorted.begin(), sorted.end());
  }
  return out;
}

ValueFacts curved_facts_of(const Feature& feature, ValueFacts facts) {
  const auto curve = [&](Interval& range) {
    range = {feature.curved(range.low), feature.curved(range.high)};
  };
  for (std::vector<double>& sorted : facts.sorted) {
    for (double& value : sorted) value = feature.curved(value);
  }
  for (Interval& range : facts.ranges) curve(range);
  curve(facts.range);
  facts.repeated.clear();
  return facts;
}

}  // namespace conflux
