#include "fitting/decision_tree.h"

#include <algorithm>
#include <cstdint>

#include "kernels/sort.h"

namespace conflux {

namespace {

// Least gain of a cut as a fraction of the leaf's mass: less is rounding.
constexpr double kLeastGainOfACut = 1e-9;

struct Candidate {
  double gain = 0;
  Index feature = 0;
  double threshold = 0;
};

struct Leaf {
  std::vector<Index> rows;
  Candidate best;
  // Where the cut that ends this leaf is to be linked.
  Index parent = -1;
  bool below = false;
};

double square_over_sum(const std::vector<double>& masses) {
  double sum = 0, squares = 0;
  for (const double mass : masses) {
    sum += mass;
    squares += mass * mass;
  }
  return sum > 0 ? squares / sum : 0;
}

// Between two neighbors, above the lower and at most at the higher one.
double between(double low, double high) {
  const double middle = low + 0.5 * (high - low);
  return middle > low ? middle : high;
}

// The mass times the Gini impurity is the mass minus square_over_sum() of the groups' masses, so a
// cut gains what it adds to that sum.
Candidate best_cut(const LabeledRows& data, Index groups, const std::vector<Index>& rows,
                   Index feature, Index smallest) {
  thread_local std::vector<double> values;
  thread_local std::vector<std::uint32_t> order;
  thread_local kernels::SortBuffer buffer;
  values.resize(rows.size());
  order.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) values[i] = data.rows(rows[i], feature);
  kernels::sort_rows(values.data(), static_cast<Index>(rows.size()), order.data(), buffer);
  std::vector<double> below(static_cast<std::size_t>(groups), 0.0), above = below;
  double total = 0;
  for (const Index row : rows) {
    above[data.group[row]] += data.mass[row];
    total += data.mass[row];
  }
  const double uncut = square_over_sum(above);
  Candidate best{.gain = kLeastGainOfACut * total, .feature = feature};
  const auto least = static_cast<std::size_t>(smallest);
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    const Index row = rows[order[i]];
    below[data.group[row]] += data.mass[row];
    above[data.group[row]] -= data.mass[row];
    if (i + 1 < least || rows.size() - (i + 1) < least) continue;
    if (!(values[i] < values[i + 1])) continue;
    const double gain = square_over_sum(below) + square_over_sum(above) - uncut;
    if (gain > best.gain) best = {gain, feature, between(values[i], values[i + 1])};
  }
  if (best.gain <= kLeastGainOfACut * total) best.gain = 0;
  return best;
}

// The first of equal features wins, whichever thread was first.
Candidate best_cut(const LabeledRows& data, Index groups, const std::vector<Index>& rows,
                   Index smallest, const Workers& workers) {
  std::vector<Candidate> found(static_cast<std::size_t>(data.rows.cols()));
  workers.for_each(data.rows.cols(),
                   [&](Index j) { found[j] = best_cut(data, groups, rows, j, smallest); });
  return *std::max_element(found.begin(), found.end(),
                           [](const auto& a, const auto& b) { return a.gain < b.gain; });
}

}  // namespace

std::vector<TreeCut> grow_tree(const LabeledRows& data, Index groups, Index leaves, Index smallest,
                               const Workers& workers) {
  std::vector<TreeCut> cuts;
  std::vector<Leaf> open(1);
  for (Index i = 0; i < data.rows.rows(); ++i) open[0].rows.push_back(i);
  open[0].best = best_cut(data, groups, open[0].rows, smallest, workers);
  while (static_cast<Index>(cuts.size()) + 1 < leaves) {
    const auto next = std::max_element(open.begin(), open.end(), [](const Leaf& a, const Leaf& b) {
      return a.best.gain < b.best.gain;
    });
    if (!(next->best.gain > 0)) break;
    const Leaf leaf = std::move(*next);
    const auto cut = static_cast<Index>(cuts.size());
    cuts.push_back({leaf.best.feature, leaf.best.threshold});
    if (leaf.parent >= 0) (leaf.below ? cuts[leaf.parent].below : cuts[leaf.parent].above) = cut;
    Leaf below{.rows = {}, .best = {}, .parent = cut, .below = true};
    Leaf above{.rows = {}, .best = {}, .parent = cut, .below = false};
    for (const Index row : leaf.rows) {
      const bool is_below = data.rows(row, leaf.best.feature) < leaf.best.threshold;
      (is_below ? below : above).rows.push_back(row);
    }
    below.best = best_cut(data, groups, below.rows, smallest, workers);
    above.best = best_cut(data, groups, above.rows, smallest, workers);
    *next = std::move(below);
    open.push_back(std::move(above));
  }
  return cuts;
}

}  // namespace conflux
