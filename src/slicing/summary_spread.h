// The sliced spread of groups that lie on different processes, from sums that show no row.
//
//   D(theta) = 1/K sum_k sum_m w_m 1/Q sum_q (c_mkq - b_kq)^2,   b_kq = sum_m w_m c_mkq
//
// The projections of group m on direction k are cut by rank into Q parts of equal size; c_mkq is
// the mean of one. A group lies on one process, which adds w_m c_mkq (K Q numbers) and w_m c_mkq^2
// (K numbers) to the sums of all. The gradient is a sum of d K numbers, in which every row counts.
//
// Cost: a product with the rows and K sorts for every value, one more product for a gradient.

#pragma once

#include <span>
#include <vector>

#include "conflux/comm/communicator.h"
#include "conflux/core/parallel.h"
#include "stiefel/ascent.h"

namespace conflux {

/// Rows of a group of this process, and the group's weight among all groups.
struct WeighedRows {
  Matrix rows;
  double weight = 0;
};

class SummarySpread {
 public:
  /// Every group has at least `parts` rows. Borrows all but the numbers.
  SummarySpread(const std::vector<WeighedRows>& groups, Index directions, Index parts,
                Communicator& comm, const Workers& workers);

  /// Climbs from a frame with few exchanges: one for the value there, and two for each step, a
  /// gradient and the values of a polar step and of several lengths of a Cayley step, of which the
  /// best is taken. Ends when none gains.
  AscentResult climb(const Frame& start, const AscentOptions& options);

 private:
  // Projections of the rows of each group, and what they amount to.
  struct Seen {
    std::vector<Matrix> values;               // rows x K
    std::vector<std::vector<Index>> part_of;  // entry k * rows + i
    std::vector<Matrix> means;                // K x Q
    Matrix barycenter;                        // K x Q
  };

  std::vector<Matrix> project(const Matrix& columns) const;
  void cut_into_parts(Seen& seen) const;
  double start(const Frame& frame);
  Matrix gradient();
  Seen seen_after(const SpanStep& step) const;
  /// One exchange for all of them.
  std::vector<double> spreads_of(std::span<Seen> seen);
  Index rows_in_part(Index group, Index part) const;

  const std::vector<WeighedRows>& groups_;
  const Index directions_;
  const Index parts_;
  Communicator& comm_;
  const Workers& workers_;
  Seen here_;
  std::vector<Matrix> direction_;
};

}  // namespace conflux
