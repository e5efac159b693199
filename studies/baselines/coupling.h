// Affine couplings: some features are scaled and shifted by what the others are.
//
//   y_moved = x_moved exp(s) + t,   y_kept = x_kept,   (s, t) = network of x_kept
//
// The network sees what does not move, so the inverse has the same s and t: nothing is searched,
// whatever the network is. log |det| is the sum of s, which is kept within kMostLogScale so that no
// coupling loses digits.

#pragma once

#include <vector>

#include "baselines/dense_net.h"
#include "conflux/core/matrix.h"

namespace conflux::networks {

inline constexpr double kMostLogScale = 1;

template <class T>
class Coupling {
 public:
  /// moved[j]: whether feature j moves; some do and some do not.
  Coupling(const std::vector<bool>& moved, Index hidden);

  const DenseNet<T>& net() const { return net_; }

  /// Values that forward() or inverse() leaves to the way back; `from` are the moved features on
  /// the side of the rows before forward().
  struct Trace {
    std::vector<T> kept, from, log_scales;
    std::vector<T> by_outputs;
    typename DenseNet<T>::Trace net;
  };

  /// Moves rows in place and adds to `log_det` unless it is null.
  void forward(const T* parameters, MatrixView<T> rows, T* log_det, Trace& trace) const;
  void inverse(const T* parameters, MatrixView<T> rows, T* log_det, Trace& trace) const;

  /// After forward() of the same rows, for a loss with the slopes `slopes` by the moved rows and
  /// `by_log_det` by their log-determinants: turns `slopes` into those by the rows before and adds
  /// to `gradient` those by the parameters.
  void backward(const T* parameters, Trace& trace, MatrixView<T> slopes, const T* by_log_det,
                T* gradient) const;
  /// The same after inverse(), for a loss that does not ask for log-determinants.
  void backward_of_inverse(const T* parameters, Trace& trace, MatrixView<T> slopes,
                           T* gradient) const;

 private:
  Index num_kept() const { return static_cast<Index>(kept_.size()); }
  Index num_moved() const { return static_cast<Index>(moved_.size()); }
  /// Log-scales to the trace; returns the shifts, with the stride of outputs.
  const T* look(const T* parameters, MatrixView<T> rows, Trace& trace) const;
  /// From slopes by outputs of the network in the trace.
  void backward_of_net(const T* parameters, Trace& trace, MatrixView<T> slopes, T* gradient) const;

  std::vector<Index> kept_, moved_;
  DenseNet<T> net_;
};

}  // namespace conflux::networks
