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

class SummarySpread final : public AscentProblem {
 public:
  /// Every group has at least `parts` rows. Borrows all but the numbers.
  SummarySpread(const std::vector<WeighedRows>& groups, Index directions, Index parts,
                Communicator& comm, const Workers& workers);

  double start(const Frame& frame) override;
  Matrix gradient() override;
  void set_direction(const Matrix& basis) override;
  double trial(const SpanStep& step) override;
  void accept(const Frame& frame) override;

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
  double spread_of(Seen& seen);
  Index rows_in_part(Index group, Index part) const;

  const std::vector<WeighedRows>& groups_;
  const Index directions_;
  const Index parts_;
  Communicator& comm_;
  const Workers& workers_;
  Seen here_;
  Seen trial_;
  std::vector<Matrix> direction_;
};

}  // namespace conflux
