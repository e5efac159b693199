#include "fitting/covariate_gate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "matching/k_means.h"

namespace conflux {

namespace {

constexpr int kStartsOfCells = 2;

// Unit vectors of the last coordinates.
Frame frame_of_covariates(const GroupSet& groups) {
  Matrix columns = Matrix::Zero(groups.dim(), groups.covariates());
  columns.bottomRows(groups.covariates()).setIdentity();
  return Frame(std::move(columns));
}

}  // namespace

Gate covariate_gate(const GroupSet& groups, const RowChoice& chosen, Index cells, double rows,
                    Stream stream, Communicator& comm) {
  const Index covariates = groups.covariates();
  Index count = 0, smallest = std::numeric_limits<Index>::max();
  for (const RowList& own : chosen) {
    count += static_cast<Index>(own.size());
    smallest = std::min(smallest, static_cast<Index>(own.size()));
  }
  Matrix points(count, covariates);
  Vector masses(count);
  Index at = 0;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    for (const Index i : chosen[m]) {
      for (Index k = 0; k < covariates; ++k) {
        points(at, k) = groups[m].rows(i, groups.features() + k);
      }
      masses(at++) = mass_of(groups[m], i);
    }
  }
  const auto most = static_cast<Index>(static_cast<double>(smallest) / rows);
  const Clusters found =
      k_means(points, masses, std::clamp<Index>(most, 1, cells), kStartsOfCells, stream, comm);
  // The width of a cell along all covariates together: they may all follow one number.
  return Gate(frame_of_covariates(groups), {found.centers},
              std::max(2 * found.spread, std::numeric_limits<double>::min()));
}

}  // namespace conflux
