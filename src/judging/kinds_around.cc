#include "judging/kinds_around.h"

#include <algorithm>

#include "metrics/nearest_neighbors.h"

namespace conflux {

namespace {

// A table of more kinds could not be read.
constexpr Index kMostKinds = 30;

Matrix shares_around(const Matrix& rows, const std::vector<Index>& kind_of, Index kinds,
                     const Workers& workers) {
  const Neighbors near = nearest_neighbors(rows, kNearestAsked, workers);
  Matrix out = Matrix::Zero(kinds, kinds);
  for (Index i = 0; i < rows.rows(); ++i) {
    if (kind_of[i] < 0) continue;
    for (Index k = 0; k < kNearestAsked; ++k) {
      const Index other = kind_of[near.rows(i, k)];
      if (other >= 0) out(kind_of[i], other) += 1;
    }
  }
  for (Index a = 0; a < kinds; ++a) out.row(a) /= std::max(1.0, out.row(a).sum());
  return out;
}

// Renumbers the kinds that are told of; the others become unknown.
void keep_largest(std::vector<Index>& kind_of, Index kinds, KindsAround& out) {
  std::vector<Index> rows(static_cast<std::size_t>(kinds), 0);
  for (const Index kind : kind_of) {
    if (kind >= 0) ++rows[kind];
  }
  for (Index c = 0; c < kinds; ++c) {
    if (rows[c] > 0) out.kinds.push_back(c);
  }
  std::stable_sort(out.kinds.begin(), out.kinds.end(),
                   [&](Index a, Index b) { return rows[a] > rows[b]; });
  if (static_cast<Index>(out.kinds.size()) > kMostKinds) {
    out.kinds.resize(static_cast<std::size_t>(kMostKinds));
  }
  std::sort(out.kinds.begin(), out.kinds.end());
  std::vector<Index> place(rows.size(), -1);
  for (const Index kind : out.kinds) {
    place[kind] = static_cast<Index>(out.rows.size());
    out.rows.push_back(rows[kind]);
  }
  for (Index& kind : kind_of) kind = kind < 0 ? -1 : place[kind];
}

}  // namespace

KindsAround look_around(const Matrix& before, const Matrix& after, std::vector<Index> kind_of,
                        Index kinds, const Workers& workers) {
  KindsAround out;
  if (before.rows() <= 2 * kNearestAsked) return out;
  keep_largest(kind_of, kinds, out);
  const auto kept = static_cast<Index>(out.kinds.size());
  if (kept < 2) return {};
  out.before = shares_around(before, kind_of, kept, workers);
  out.after = shares_around(after, kind_of, kept, workers);
  return out;
}

}  // namespace conflux
