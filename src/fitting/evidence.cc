#include "fitting/evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>

#include "kernels/rank_terms.h"

namespace conflux {

namespace {

// Finer cuts hardly tell more, and one of many is chosen by chance more easily.
constexpr Index kBins = 24;
// A hundred rows for each of them.
constexpr Index kRowsThatPlaceCuts = 2400;
// Price of choosing one cut among all, beside that of the freedom that it adds.
constexpr double kPriceOfCut = 8;
// A cut that changes less is not tried; its price is paid when the tree is pruned.
constexpr double kSmallestChange = 4;
// A function that hardly varies among the rows tells nothing.
constexpr double kSmallestVariance = 1e-3;

// Where a cut lies between two values. Rows come back from the shared space with rounding errors,
// so none may lie at a cut; halfway between two whole numbers there may be a third.
constexpr double kPlaceOfCut = 0.381966;

using kernels::kRankFunctions;
using kernels::kWidthOfGroup;
using kernels::width_of_sums;

using Functions = std::array<double, kRankFunctions>;

// Legendre polynomials of a rank in (0, 1), with mean 0 and variance 1 over all ranks.
Functions rank_functions(double rank) {
  const double t = 2 * rank - 1;
  Functions out;
  double before = 1, now = t;
  for (int q = 0; q < kRankFunctions; ++q) {
    out[q] = std::sqrt(2.0 * q + 3) * now;
    const double next = ((2 * q + 3) * t * now - (q + 1) * before) / (q + 2);
    before = now;
    now = next;
  }
  return out;
}

// Between-group sum of squares of each function over its variance. Groups with few rows are left
// out.
Evidence evidence_of(const double* sums, Index groups) {
  Evidence out;
  double mass = 0, all = 0;
  int present = 0;
  Functions mean{}, total{};
  const double* const squares = sums + groups * kWidthOfGroup;
  for (const double* each = sums; each < squares; each += kWidthOfGroup) {
    all += each[0];
    for (int q = 0; q < kRankFunctions; ++q) total[q] += each[1 + q];
    if (each[0] < kFewestOfLeaf) continue;
    ++present;
    mass += each[0];
    for (int q = 0; q < kRankFunctions; ++q) mean[q] += each[1 + q];
  }
  if (present < 2) return out;
  out.freedom = static_cast<double>(kRankFunctions * (present - 1));
  Functions between{};
  for (int q = 0; q < kRankFunctions; ++q) between[q] = -mean[q] * mean[q] / mass;
  for (const double* each = sums; each < squares; each += kWidthOfGroup) {
    if (each[0] < kFewestOfLeaf) continue;
    for (int q = 0; q < kRankFunctions; ++q) between[q] += each[1 + q] * each[1 + q] / each[0];
  }
  const double price = kPriceOfFreedom * (present - 1);
  double worth = 0;
  for (int q = 0; q < kRankFunctions; ++q) {
    const double center = total[q] / all;
    const double variance = std::max(squares[q] / all - center * center, kSmallestVariance);
    out.chi_squared += between[q] / variance;
    worth += between[q] / variance - price;
    if (worth <= out.worth) continue;
    out.functions = q + 1;
    out.worth = worth;
    out.share = worth / out.chi_squared;
  }
  return out;
}

// Ranks of rows in increasing order; equal values share their mean rank.
template <class Value, class Mass>
std::vector<double> mean_ranks(Index count, Value value, Mass mass) {
  std::vector<double> out(static_cast<std::size_t>(count));
  double total = 0;
  for (Index i = 0; i < count; ++i) total += mass(i);
  double before = 0;
  for (Index begin = 0; begin < count;) {
    Index end = begin;
    double here = 0;
    for (; end < count && value(end) == value(begin); ++end) here += mass(end);
    for (Index i = begin; i < end; ++i) out[i] = (before + 0.5 * here) / total;
    before += here;
    begin = end;
  }
  return out;
}

struct Branch {
  std::vector<Index> rows;  // in increasing order of the feature that moves
  Evidence evidence;
  // The best cut.
  double change = 0;
  Index feature = -1;
  Index bin = 0;
  std::unique_ptr<Branch> below;
  std::unique_ptr<Branch> above;
  // Worth of the subtree, after pruning.
  double worth = 0;

  bool is_leaf() const { return below == nullptr; }
};

class TreeGrower {
 public:
  TreeGrower(const BinnedRows& rows, Index moved, const std::vector<Index>& features, Index groups)
      : binned_(rows), data_(rows.data()), moved_(moved), features_(features), groups_(groups) {}

  ConditionalTree grow(Index leaves) {
    std::vector<Index> order(data_.group.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return data_.rows(a, moved_) < data_.rows(b, moved_);
    });
    const std::unique_ptr<Branch> root = branch(std::move(order));
    std::vector<Branch*> open{root.get()};
    while (static_cast<Index>(open.size()) < leaves) {
      const auto next = std::max_element(open.begin(), open.end(),
                                         [](auto* a, auto* b) { return a->change < b->change; });
      Branch& best = **next;
      if (best.change < kSmallestChange) break;
      divide(best);
      *next = best.below.get();
      open.push_back(best.above.get());
    }
    prune(*root);
    ConditionalTree out{.moved = moved_, .nodes = {}, .worth = root->worth};
    Index leaf = 0;
    write(*root, out.nodes, leaf);
    return out;
  }

 private:
  std::unique_ptr<Branch> branch(std::vector<Index> rows) const {
    auto out = std::make_unique<Branch>();
    out->rows = std::move(rows);
    const auto count = static_cast<Index>(out->rows.size());
    const std::vector<double> ranks = mean_ranks(
        count, [&](Index i) { return data_.rows(out->rows[i], moved_); },
        [&](Index i) { return data_.mass[out->rows[i]]; });
    std::vector<kernels::RankTerm> terms;
    terms.reserve(ranks.size());
    std::vector<double> all(static_cast<std::size_t>(width_of_sums(groups_)), 0.0);
    for (Index i = 0; i < count; ++i) {
      const Index row = out->rows[i];
      terms.emplace_back(data_.group[row], data_.mass[row], rank_functions(ranks[i]));
      kernels::add_term(terms.back(), groups_, all.data());
    }
    out->evidence = evidence_of(all.data(), groups_);
    for (const Index feature : features_) {
      if (feature != moved_) find_cut(*out, feature, terms, all);
    }
    return out;
  }

  void find_cut(Branch& branch, Index feature, const std::vector<kernels::RankTerm>& terms,
                const std::vector<double>& all) const {
    const Index cuts = binned_.num_cuts(feature), width = width_of_sums(groups_);
    std::vector<double> bins(static_cast<std::size_t>((cuts + 1) * width), 0.0);
    kernels::add_terms_by_bin(terms, branch.rows, binned_.bins(feature), groups_, bins.data());
    std::vector<double> below(all.size(), 0.0), above = all;
    for (Index b = 0; b < cuts; ++b) {
      for (Index k = 0; k < width; ++k) {
        below[k] += bins[b * width + k];
        above[k] -= bins[b * width + k];
      }
      const double change = evidence_of(below.data(), groups_).chi_squared +
                            evidence_of(above.data(), groups_).chi_squared -
                            branch.evidence.chi_squared;
      if (change > branch.change) {
        branch.change = change;
        branch.feature = feature;
        branch.bin = b;
      }
    }
  }

  void divide(Branch& parent) const {
    std::vector<Index> below, above;
    for (const Index row : parent.rows) {
      (binned_.bin(parent.feature, row) <= parent.bin ? below : above).push_back(row);
    }
    parent.below = branch(std::move(below));
    parent.above = branch(std::move(above));
  }

  static void prune(Branch& branch) {
    branch.worth = branch.evidence.worth;
    if (branch.is_leaf()) return;
    prune(*branch.below);
    prune(*branch.above);
    const double divided = branch.below->worth + branch.above->worth - kPriceOfCut;
    if (divided > branch.worth) {
      branch.worth = divided;
    } else {
      branch.below.reset();
      branch.above.reset();
    }
  }

  Index write(const Branch& branch, std::vector<ConditionalLayer::Node>& nodes, Index& leaf) const {
    if (branch.is_leaf()) return ConditionalLayer::leaf_name(leaf++);
    const auto place = static_cast<Index>(nodes.size());
    nodes.push_back({branch.feature, binned_.cut(branch.feature, branch.bin), 0, 0});
    const Index below = write(*branch.below, nodes, leaf);
    const Index above = write(*branch.above, nodes, leaf);
    nodes[place].below = below;
    nodes[place].above = above;
    return place;
  }

  const BinnedRows& binned_;
  const EvidenceRows& data_;
  Index moved_;
  const std::vector<Index>& features_;
  Index groups_;
};

}  // namespace

Evidence find_evidence(const std::vector<RankedRow>& sorted, Index groups) {
  const std::vector<double> ranks = mean_ranks(
      static_cast<Index>(sorted.size()), [&](Index i) { return sorted[i].value; },
      [&](Index i) { return sorted[i].mass; });
  std::vector<double> all(static_cast<std::size_t>(width_of_sums(groups)), 0.0);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    kernels::add_term({sorted[i].group, sorted[i].mass, rank_functions(ranks[i])}, groups,
                      all.data());
  }
  return evidence_of(all.data(), groups);
}

BinnedRows::BinnedRows(const EvidenceRows& data, const std::vector<Index>& features,
                       const Workers& workers)
    : data_(data) {
  const Index count = data.rows.rows(), every = std::max<Index>(count / kRowsThatPlaceCuts, 1);
  cuts_.resize(static_cast<std::size_t>(data.rows.cols()));
  bins_.resize(cuts_.size());
  workers.for_each(static_cast<Index>(features.size()), [&](Index k) {
    const Index j = features[k];
    std::vector<double> sorted;
    for (Index i = 0; i < count; i += every) sorted.push_back(data.rows(i, j));
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t b = 1; b < kBins; ++b) {
      const double above = sorted[b * sorted.size() / kBins];
      const auto first = std::lower_bound(sorted.begin(), sorted.end(), above);
      if (first == sorted.begin()) continue;
      const double cut = std::lerp(*(first - 1), above, kPlaceOfCut);
      if (*(first - 1) < cut && cut < above && (cuts_[j].empty() || cut > cuts_[j].back())) {
        cuts_[j].push_back(cut);
      }
    }
    bins_[j].reserve(static_cast<std::size_t>(count));
    for (Index i = 0; i < count; ++i) {
      const auto at = std::upper_bound(cuts_[j].begin(), cuts_[j].end(), data.rows(i, j));
      bins_[j].push_back(static_cast<std::uint8_t>(at - cuts_[j].begin()));
    }
  });
}

ConditionalTree grow_conditional_tree(const BinnedRows& rows, Index moved,
                                      const std::vector<Index>& features, Index groups,
                                      Index leaves) {
  return TreeGrower(rows, moved, features, groups).grow(leaves);
}

}  // namespace conflux
