// Losses of flows by critics, and of critics by flows (AlignFlow).
//
// A row of one group passes its couplings to the normal law, and those of another group backwards:
// it is translated. The other group's critic, a network with one output D, has learned to answer 1
// for real rows and 0 for translated ones. Flows lose
//
//   (D(translated) - 1)^2 + lambda (|z|^2 / 2 - log |det|)
//
// where z is the row at the normal law; critics lose (D(real) - 1)^2 / 2 + D(translated)^2 / 2.
// Both are means by mass.
//
// Critics see rows as users do: in the units of the group, and where rows live in the unit cube, in
// the cube.

#pragma once

#include <vector>

#include "baselines/coupling.h"
#include "conflux/core/matrix.h"

namespace conflux::networks {

/// How a critic sees standardized rows: as they are, or as normal_cdf(mean + deviation x).
template <class T>
struct CriticView {
  bool cube = false;
  std::vector<T> mean, deviation;
};

/// Rows as the critic sees them.
template <class T>
MatrixOf<T> seen_by_critic(const CriticView<T>& view, const MatrixOf<T>& rows);

/// Couplings that the rows of a group pass, one after the other.
template <class T>
class CouplingChain {
 public:
  CouplingChain(const std::vector<std::vector<bool>>& masks, Index hidden);

  using Trace = std::vector<typename Coupling<T>::Trace>;

  /// Number of parameters of all couplings, padded; and the first of coupling c.
  Index num_places() const { return begins_.back(); }
  Index begin(std::size_t c) const { return begins_[c]; }
  const std::vector<Coupling<T>>& couplings() const { return couplings_; }
  void draw(Stream& stream, std::span<T> parameters) const;

  void forward(const T* parameters, MatrixView<T> rows, T* log_det, Trace& trace) const;
  void inverse(const T* parameters, MatrixView<T> rows, Trace& trace) const;
  /// As those of a coupling.
  void backward(const T* parameters, Trace& trace, MatrixView<T> slopes, const T* by_log_det,
                T* gradient) const;
  void backward_of_inverse(const T* parameters, Trace& trace, MatrixView<T> slopes,
                           T* gradient) const;

 private:
  std::vector<Coupling<T>> couplings_;
  std::vector<Index> begins_;
};

template <class T>
class TranslationGame {
 public:
  /// Flows have couplings with these masks; critics have two hidden layers as well.
  TranslationGame(const std::vector<std::vector<bool>>& masks, Index hidden);

  const CouplingChain<T>& flow() const { return flow_; }
  const DenseNet<T>& critic() const { return critic_; }

  /// A group: its flow, its critic, and how the critic sees rows.
  struct Player {
    const T* flow = nullptr;
    const T* critic = nullptr;
    const CriticView<T>* view = nullptr;
  };

  /// Translates rows in place; returns what the flows lose and adds its slopes by the parameters of
  /// both flows.
  T add_flow_slopes(const Player& source, const Player& target, MatrixOf<T>& rows,
                    std::span<const T> masses, T lambda, T* by_source, T* by_target);

  /// Half of the mean square of what the critic's answers are away from `wanted`, and its slopes by
  /// the critic's parameters.
  T add_critic_slopes(const Player& group, const MatrixOf<T>& rows, std::span<const T> masses,
                      T wanted, T* gradient);

 private:
  /// Mean square of (answer - wanted) by mass; leaves its slopes by answers in by_answers_.
  T judge(const Player& group, const MatrixOf<T>& rows, std::span<const T> masses, T wanted);

  CouplingChain<T> flow_;
  DenseNet<T> critic_;
  typename CouplingChain<T>::Trace there_, back_;
  typename DenseNet<T>::Trace answer_;
  MatrixOf<T> seen_, slopes_of_view_;
  std::vector<T> by_answers_, unused_;
};

}  // namespace conflux::networks
