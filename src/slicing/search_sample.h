// The rows that a search for directions looks at.
//
// Rows of all processes, moved by a common center and divided by a common scale so that single
// precision is enough. Neither changes which directions are best: a shift common to all groups
// cancels in every comparison, a scale multiplies all of them.

#pragma once

#include <span>
#include <vector>

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "core/row_list.h"

namespace conflux {

template <class Scalar>
struct SearchSample {
  /// One matrix per group, with a sample in each row.
  std::vector<MatrixOf<Scalar>> rows;
  /// One list of masses per group, one mass per row; empty if all rows have the same.
  std::vector<std::vector<double>> masses;
  /// One unit of the sample in units of the data.
  double scale = 1;

  Index num_groups() const { return static_cast<Index>(rows.size()); }
  Index dim() const { return rows.empty() ? 0 : rows.front().cols(); }
  Index num_samples() const;
};

/// Center and scale that rows are shifted and divided by.
struct CenterAndScale {
  Vector center;
  double scale;
};

/// Mean of the chosen rows of all processes, and their root mean square deviation per feature.
/// Groups weigh `weights`.
CenterAndScale common_center_and_scale(const GroupSet& groups, std::span<const RowList> chosen,
                                       std::span<const double> weights, Communicator& comm);

/// The chosen rows of all processes, in the order of ranks, as groups of one, in one exchange.
GroupSet gather_groups(const GroupSet& groups, std::span<const RowList> chosen, Communicator& comm);
/// Every row of each.
std::vector<RowList> every_row(const GroupSet& groups);

/// Gathers the rows `chosen[m]` of each group from all processes; every process receives the same
/// sample. `common` need not be exact, and is taken from the chosen rows when it is null. The
/// sample has the given features only; all when there are none.
template <class Scalar>
SearchSample<Scalar> gather_search_sample(const GroupSet& groups, std::span<const RowList> chosen,
                                          std::span<const double> weights, Communicator& comm,
                                          const Workers& workers,
                                          const CenterAndScale* common = nullptr,
                                          std::span<const Index> features = {});

}  // namespace conflux
