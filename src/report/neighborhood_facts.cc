// What stands next to what: kinds around rows of each kind, and groups against groups.

#include <fmt/format.h>

#include <algorithm>

#include "conflux/comm/communicator.h"
#include "matching/matching.h"
#include "metrics/nearest_neighbors.h"
#include "report/facts.h"

namespace conflux {

namespace {

constexpr Index kNearest = 15;
constexpr Index kRowsForNeighbors = 3'000;
constexpr Index kMostKinds = 30;
// A kind with fewer rows is left to chance.
constexpr Index kFewestOfAKind = 20;
constexpr double kFusedBy = 0.10;
constexpr Index kGroupsForPairs = 24;
constexpr Index kRowsForPairs = 2'400;

Matrix shares_around(const Matrix& rows, const std::vector<Index>& kind_of, Index kinds,
                     const Workers& workers) {
  const Neighbors near = nearest_neighbors(rows, kNearest, workers);
  Matrix out = Matrix::Zero(kinds, kinds);
  for (Index i = 0; i < rows.rows(); ++i) {
    if (kind_of[i] < 0) continue;
    for (Index k = 0; k < kNearest; ++k) {
      const Index other = kind_of[near.rows(i, k)];
      if (other >= 0) out(kind_of[i], other) += 1;
    }
  }
  for (Index a = 0; a < kinds; ++a) out.row(a) /= std::max(1.0, out.row(a).sum());
  return out;
}

std::vector<Index> kinds_found(const ComparableRows& rows, const GroupSet& groups, Index& count,
                               std::uint64_t seed, const Workers& workers) {
  GroupSet set;
  Index at = 0;
  JudgedRows standard{.rows = rows.before, .group_of = rows.group_of, .sizes = rows.sizes};
  standardize_within_groups(standard);
  for (std::size_t m = 0; m < rows.sizes.size(); ++m) {
    set.add(groups[static_cast<Index>(m)].name,
            Matrix(standard.rows.middleRows(at, rows.sizes[m])));
    at += rows.sizes[m];
  }
  SelfCommunicator comm;
  const Matching matching = match_groups(set, {.seed = seed}, comm, workers);
  count = matching.num_kinds();
  std::vector<Index> out;
  for (const auto& kinds : matching.kinds) out.insert(out.end(), kinds.begin(), kinds.end());
  return out;
}

// Kinds that few rows have are numbered -1, so that the picture stays small.
std::vector<Index> keep_largest(std::vector<Index>& kind_of, Neighborhoods& out) {
  std::vector<Index> rows(out.kinds.size(), 0);
  for (const Index kind : kind_of) {
    if (kind >= 0) ++rows[kind];
  }
  std::vector<Index> order;
  for (std::size_t c = 0; c < rows.size(); ++c) {
    if (rows[c] > 0) order.push_back(static_cast<Index>(c));
  }
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return rows[a] > rows[b]; });
  if (static_cast<Index>(order.size()) > kMostKinds) {
    order.resize(static_cast<std::size_t>(kMostKinds));
  }
  std::sort(order.begin(), order.end());
  std::vector<Index> place(out.kinds.size(), -1);
  std::vector<std::string> names;
  for (std::size_t c = 0; c < order.size(); ++c) {
    place[order[c]] = static_cast<Index>(c);
    names.push_back(out.kinds[order[c]]);
    out.rows.push_back(rows[order[c]]);
  }
  for (Index& kind : kind_of) kind = kind < 0 ? -1 : place[kind];
  out.kinds = std::move(names);
  return place;
}

void find_fused(Neighborhoods& out) {
  for (Index a = 0; a < out.after.rows(); ++a) {
    if (out.rows[a] < kFewestOfAKind) continue;
    for (Index b = 0; b < out.after.cols(); ++b) {
      if (a == b || out.rows[b] < kFewestOfAKind) continue;
      if (out.after(a, b) > out.before(a, b) + kFusedBy) out.fused.push_back({a, b});
    }
  }
  std::stable_sort(out.fused.begin(), out.fused.end(), [&](const auto& x, const auto& y) {
    return out.after(x.kind, x.with) - out.before(x.kind, x.with) >
           out.after(y.kind, y.with) - out.before(y.kind, y.with);
  });
}

}  // namespace

std::optional<Neighborhoods> find_neighborhoods(const Model& model, const GroupSet& groups,
                                                const ReportRows& rows, std::uint64_t seed,
                                                const Workers& workers) {
  const ComparableRows some = comparable_rows(rows, choose_rows(rows, kRowsForNeighbors, seed));
  if (some.before.rows() <= 2 * kNearest || groups.num_groups() < 2) return std::nullopt;
  Neighborhoods out{.labels = groups.label_names().size() > 1, .nearest = kNearest};
  std::vector<Index> kind_of = some.label_of;
  out.kinds = groups.label_names();
  if (!out.labels) {
    Index found = 0;
    kind_of = kinds_found(some, groups, found, seed, workers);
    out.kinds.clear();
    for (Index c = 0; c < found; ++c) out.kinds.push_back(fmt::format("kind {}", c + 1));
  }
  keep_largest(kind_of, out);
  const auto kinds = static_cast<Index>(out.kinds.size());
  if (kinds < 2) return std::nullopt;
  out.before = shares_around(some.before, kind_of, kinds, workers);
  out.after = shares_around(some.after, kind_of, kinds, workers);
  // Kinds of a cloud without gaps are arbitrary; only a gate has taken them seriously.
  if (out.labels || model.record.options.gate == Gating::kKinds) find_fused(out);
  return out;
}

namespace {

// Mean distances between the rows of every two groups; entry (a, a) leaves out a row with itself.
Matrix mean_distances(const Matrix& rows, const std::vector<Index>& sizes,
                      const std::vector<Index>& begins, const Workers& workers) {
  const auto groups = static_cast<Index>(sizes.size());
  Matrix out = Matrix::Zero(groups, groups);
  workers.for_each(groups * groups, [&](Index pair) {
    const Index a = pair / groups, b = pair % groups;
    if (a < b) return;
    double sum = 0;
    for (Index i = begins[a]; i < begins[a] + sizes[a]; ++i) {
      for (Index j = begins[b]; j < begins[b] + sizes[b]; ++j) {
        sum += (rows.row(i) - rows.row(j)).norm();
      }
    }
    const Index pairs = a == b ? sizes[a] * (sizes[a] - 1) : sizes[a] * sizes[b];
    out(a, b) = sum / static_cast<double>(std::max<Index>(1, pairs));
  });
  return out;
}

// Energy distances of two groups, in mean distances within groups.
Matrix energies(const Matrix& means) {
  Matrix out = Matrix::Zero(means.rows(), means.cols());
  const double within = means.diagonal().mean();
  for (Index a = 0; a < means.rows(); ++a) {
    for (Index b = 0; b < a; ++b) {
      out(a, b) = (2 * means(a, b) - means(a, a) - means(b, b)) / (within > 0 ? within : 1);
      out(b, a) = out(a, b);
    }
  }
  return out;
}

}  // namespace

void find_pairs(Report& report, const ReportRows& rows, const Workers& workers) {
  if (rows.groups() < 3 || rows.groups() > kGroupsForPairs) return;
  const ComparableRows some = comparable_rows(rows, choose_rows(rows, kRowsForPairs, report.seed));
  std::vector<Index> begins;
  Index at = 0;
  for (const Index size : some.sizes) {
    begins.push_back(at);
    at += size;
  }
  report.pairs_before = energies(mean_distances(some.before, some.sizes, begins, workers));
  report.pairs_after = energies(mean_distances(some.after, some.sizes, begins, workers));
}

}  // namespace conflux
