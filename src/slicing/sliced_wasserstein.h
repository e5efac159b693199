// Sliced Wasserstein spread of M groups along the directions of a frame, with its gradient.
//
//   D(theta) = 1/K sum_k (spread of the groups projected on direction k)
//
// The gradient by theta_k is 2/K sum_m sum_i (residual of row i) x_i, two products over the data.
// Projections are linear in the frame, so a trial at theta a + Q b combines those of theta and of Q
// and costs no pass over the data.
//
// Cost: a gradient is two passes (one for the projections of Q) and K sorts of rows; a trial K
// sorts of values, or of rows if it will probably be accepted: the gradient that follows needs no
// sort then. Memory: 4 x K numbers per row beside the sample. Bits do not depend on the number of
// threads.

#pragma once

#include <vector>

#include "conflux/core/parallel.h"
#include "slicing/search_sample.h"
#include "slicing/work.h"
#include "stiefel/ascent.h"

namespace conflux {

/// rows[m] times `columns` for every group, one projected sample per row; adds to `work`.
template <class Scalar>
std::vector<MatrixOf<Scalar>> project_rows(const SearchSample<Scalar>& sample,
                                           const Matrix& columns, Work& work,
                                           const Workers& workers);

template <class Scalar>
class SlicedSpread final : public AscentProblem {
 public:
  /// Borrows `sample` and `workers`.
  SlicedSpread(const SearchSample<Scalar>& sample, std::vector<double> group_weights,
               Index directions, const Workers& workers);

  double start(const Frame& frame) override;
  Matrix gradient() override;
  void set_direction(const Matrix& basis) override;
  double trial(const SpanStep& step) override;
  void accept(const Frame& frame) override;

  /// The gradient by the frame where it stands if the rows had the features of `rows` instead: the
  /// ranks that the sample has, at any number of features.
  Matrix gradient_over(const SearchSample<Scalar>& rows);

  /// Spread along each direction where it stands; their mean is the value. In units of the sample.
  std::vector<double> per_direction();

  /// Passes over the data so far.
  Index passes() const { return passes_; }
  const Work& work() const { return work_; }

 private:
  // Per group, projections kept direction by direction.
  using Projections = std::vector<MatrixOf<Scalar>>;

  void project(const Matrix& columns, Projections& out);
  std::vector<double> spreads(const Projections& projections, bool with_residuals);
  double value_of(const Projections& projections, bool with_residuals);

  const SearchSample<Scalar>& sample_;
  const std::vector<double> group_weights_;
  const Index directions_;
  const Workers& workers_;
  Index passes_ = 0;
  Work work_;
  Index steps_since_projection_ = 0;
  Projections here_;       // at the frame
  Projections direction_;  // at Q
  Projections trial_;
  Projections sorted_;                          // scratch
  std::vector<std::vector<Scalar>> residuals_;  // per group, rows x padded directions
  bool residuals_are_here_ = false;
  bool trial_has_residuals_ = false;
  // Line searches that shrink a step that has grown accept the second trial again and again.
  Index trial_number_ = 0;
  Index last_accepted_ = 0;
};

}  // namespace conflux
