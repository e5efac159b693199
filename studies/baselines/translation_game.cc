#include "baselines/translation_game.h"

#include <cmath>

#include "kernels/normal.h"

namespace conflux::networks {

template <class T>
MatrixOf<T> seen_by_critic(const CriticView<T>& view, const MatrixOf<T>& rows) {
  MatrixOf<T> out = rows;
  for (Index i = 0; view.cube && i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) {
      out(i, j) =
          static_cast<T>(kernels::normal_cdf(view.mean[j] + view.deviation[j] * rows(i, j)));
    }
  }
  return out;
}

template <class T>
CouplingChain<T>::CouplingChain(const std::vector<std::vector<bool>>& masks, Index hidden)
    : begins_{0} {
  for (const std::vector<bool>& mask : masks) {
    couplings_.emplace_back(mask, hidden);
    begins_.push_back(begins_.back() + couplings_.back().net().num_places());
  }
}

template <class T>
void CouplingChain<T>::draw(Stream& stream, std::span<T> parameters) const {
  for (std::size_t c = 0; c < couplings_.size(); ++c) {
    const auto size = static_cast<std::size_t>(begins_[c + 1] - begins_[c]);
    couplings_[c].net().draw(stream, parameters.subspan(begins_[c], size));
  }
}

template <class T>
void CouplingChain<T>::forward(const T* parameters, MatrixView<T> rows, T* log_det,
                               Trace& trace) const {
  trace.resize(couplings_.size());
  for (std::size_t c = 0; c < couplings_.size(); ++c) {
    couplings_[c].forward(parameters + begins_[c], rows, log_det, trace[c]);
  }
}

template <class T>
void CouplingChain<T>::inverse(const T* parameters, MatrixView<T> rows, Trace& trace) const {
  trace.resize(couplings_.size());
  for (std::size_t c = couplings_.size(); c-- > 0;) {
    couplings_[c].inverse(parameters + begins_[c], rows, nullptr, trace[c]);
  }
}

template <class T>
void CouplingChain<T>::backward(const T* parameters, Trace& trace, MatrixView<T> slopes,
                                const T* by_log_det, T* gradient) const {
  for (std::size_t c = couplings_.size(); c-- > 0;) {
    couplings_[c].backward(parameters + begins_[c], trace[c], slopes, by_log_det,
                           gradient + begins_[c]);
  }
}

template <class T>
void CouplingChain<T>::backward_of_inverse(const T* parameters, Trace& trace, MatrixView<T> slopes,
                                           T* gradient) const {
  for (std::size_t c = 0; c < couplings_.size(); ++c) {
    couplings_[c].backward_of_inverse(parameters + begins_[c], trace[c], slopes,
                                      gradient + begins_[c]);
  }
}

template <class T>
TranslationGame<T>::TranslationGame(const std::vector<std::vector<bool>>& masks, Index hidden)
    : flow_(masks, hidden),
      critic_({static_cast<Index>(masks.front().size()), hidden, hidden, 1}) {}

template <class T>
T TranslationGame<T>::judge(const Player& group, const MatrixOf<T>& rows, std::span<const T> masses,
                            T wanted) {
  const CriticView<T>& view = *group.view;
  seen_ = seen_by_critic(view, rows);
  slopes_of_view_.setOnes(rows.rows(), rows.cols());
  for (Index i = 0; view.cube && i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) {
      const double at = view.mean[j] + view.deviation[j] * rows(i, j);
      slopes_of_view_(i, j) = static_cast<T>(kernels::normal_density(at)) * view.deviation[j];
    }
  }
  const Index stride = critic_.output_stride();
  const T* answers =
      critic_.forward(group.critic, seen_.data(), seen_.cols(), rows.rows(), answer_);
  by_answers_.assign(static_cast<std::size_t>(rows.rows() * stride), T{0});
  T loss = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    const T weight = masses[i] / static_cast<T>(rows.rows());
    const T error = answers[i * stride] - wanted;
    loss += weight * error * error;
    by_answers_[i * stride] = 2 * weight * error;
  }
  return loss;
}

template <class T>
T TranslationGame<T>::add_critic_slopes(const Player& group, const MatrixOf<T>& rows,
                                        std::span<const T> masses, T wanted, T* gradient) {
  const T loss = judge(group, rows, masses, wanted) / 2;
  for (T& each : by_answers_) each /= 2;
  critic_.backward(group.critic, seen_.data(), seen_.cols(), rows.rows(), by_answers_, answer_,
                   gradient);
  return loss;
}

template <class T>
T TranslationGame<T>::add_flow_slopes(const Player& source, const Player& target, MatrixOf<T>& rows,
                                      std::span<const T> masses, T lambda, T* by_source,
                                      T* by_target) {
  const Index count = rows.rows();
  std::vector<T> log_det(static_cast<std::size_t>(count), T{0});
  flow_.forward(source.flow, MatrixView<T>(rows), log_det.data(), there_);
  const MatrixOf<T> normal = rows;
  flow_.inverse(target.flow, MatrixView<T>(rows), back_);
  T loss = judge(target, rows, masses, T{1});

  unused_.assign(static_cast<std::size_t>(critic_.num_places()), T{0});
  const T* by_seen = critic_.backward(target.critic, seen_.data(), seen_.cols(), count, by_answers_,
                                      answer_, unused_.data());
  MatrixOf<T> slopes(count, rows.cols());
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < rows.cols(); ++j) {
      slopes(i, j) = by_seen[i * critic_.input_stride() + j] * slopes_of_view_(i, j);
    }
  }
  flow_.backward_of_inverse(target.flow, back_, MatrixView<T>(slopes), by_target);
  std::vector<T> by_log_det;
  for (Index i = 0; i < count; ++i) {
    const T weight = lambda * masses[i] / static_cast<T>(count);
    loss += weight * (normal.row(i).squaredNorm() / 2 - log_det[i]);
    slopes.row(i) += weight * normal.row(i);
    by_log_det.push_back(-weight);
  }
  flow_.backward(source.flow, there_, MatrixView<T>(slopes), by_log_det.data(), by_source);
  return loss;
}

template MatrixOf<float> seen_by_critic(const CriticView<float>&, const MatrixOf<float>&);
template MatrixOf<double> seen_by_critic(const CriticView<double>&, const MatrixOf<double>&);
template class CouplingChain<float>;
template class CouplingChain<double>;
template class TranslationGame<float>;
template class TranslationGame<double>;

}  // namespace conflux::networks
