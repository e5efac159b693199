// Losses of the networks of CycleGAN.
//
// Two generators move rows to the other group, x + network(x); each group has a critic, a network
// with one output D that has learned to answer 1 for real rows and 0 for translated ones. With
// y = x + G(x) and back = y + F(y), generators lose
//
//   mean (D(y) - 1)^2 + 10 mean |back - x|
//
// in both directions, critics mean (D(x) - 1)^2 / 2 + mean D(y)^2 / 2. Nothing makes the generators
// inverses of each other but that loss.

#pragma once

#include <array>
#include <span>
#include <vector>

#include "baselines/dense_net.h"
#include "conflux/core/matrix.h"

namespace conflux::app {

template <class T>
class CycleGame {
 public:
  CycleGame(Index dim, Index hidden);

  const networks::DenseNet<T>& generator() const { return generator_; }
  const networks::DenseNet<T>& critic() const { return critic_; }

  /// Parameters, or slopes by them: generators[m] moves rows of group m, critics[m] judges rows of
  /// group m.
  struct Players {
    std::array<std::vector<T>, 2> generators, critics;
  };
  Players zeros() const;

  MatrixOf<T> translate(const std::vector<T>& generator, const MatrixOf<T>& rows);

  /// Loss of the generators for translating rows of group `from` there and back; adds its slopes by
  /// both generators and leaves the translated rows in `translated`.
  T add_generator_slopes(const Players& players, std::size_t from, const MatrixOf<T>& rows,
                         MatrixOf<T>& translated, Players& slopes);

  /// Half of the mean square of what a critic's answers are away from `wanted`; adds its slopes.
  T add_critic_slopes(const std::vector<T>& critic, const MatrixOf<T>& rows, T wanted,
                      std::vector<T>& slopes);

 private:
  using Trace = typename networks::DenseNet<T>::Trace;

  MatrixOf<T> move(const std::vector<T>& generator, const MatrixOf<T>& rows, Trace& trace) const;
  /// Slopes by the rows before move() from those by the rows after it; adds those by parameters.
  MatrixOf<T> back_through(const std::vector<T>& generator, const MatrixOf<T>& rows, Trace& trace,
                           const MatrixOf<T>& slopes, std::vector<T>& by_parameters);
  /// Mean square of (answer - wanted), times `factor`; slopes by the rows in `by_rows` and, added,
  /// by the parameters.
  T judge(const std::vector<T>& critic, const MatrixOf<T>& rows, T wanted, T factor,
          MatrixOf<T>& by_rows, std::vector<T>& by_parameters);

  networks::DenseNet<T> generator_, critic_;
  Trace there_, back_, answer_;
  std::vector<T> by_outputs_;
};

}  // namespace conflux::app
