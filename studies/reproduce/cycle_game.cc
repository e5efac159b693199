#include "reproduce/cycle_game.h"

#include <cmath>

namespace conflux::app {

namespace {

// As published.
constexpr double kWeightOfTheWayBack = 10;

}  // namespace

template <class T>
CycleGame<T>::CycleGame(Index dim, Index hidden)
    : generator_({dim, hidden, hidden, dim}), critic_({dim, hidden, hidden, 1}) {}

template <class T>
typename CycleGame<T>::Players CycleGame<T>::zeros() const {
  Players out;
  for (const std::size_t m : {0, 1}) {
    out.generators[m].assign(static_cast<std::size_t>(generator_.num_places()), T{0});
    out.critics[m].assign(static_cast<std::size_t>(critic_.num_places()), T{0});
  }
  return out;
}

template <class T>
MatrixOf<T> CycleGame<T>::move(const std::vector<T>& generator, const MatrixOf<T>& rows,
                               Trace& trace) const {
  const T* change =
      generator_.forward(generator.data(), rows.data(), rows.cols(), rows.rows(), trace);
  MatrixOf<T> out = rows;
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) out(i, j) += change[i * generator_.output_stride() + j];
  }
  return out;
}

template <class T>
MatrixOf<T> CycleGame<T>::back_through(const std::vector<T>& generator, const MatrixOf<T>& rows,
                                       Trace& trace, const MatrixOf<T>& slopes,
                                       std::vector<T>& by_parameters) {
  const Index stride = generator_.output_stride();
  by_outputs_.assign(static_cast<std::size_t>(rows.rows() * stride), T{0});
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) by_outputs_[i * stride + j] = slopes(i, j);
  }
  const T* by_inputs = generator_.backward(generator.data(), rows.data(), rows.cols(), rows.rows(),
                                           by_outputs_, trace, by_parameters.data());
  MatrixOf<T> out = slopes;
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) {
      out(i, j) += by_inputs[i * generator_.input_stride() + j];
    }
  }
  return out;
}

template <class T>
T CycleGame<T>::judge(const std::vector<T>& critic, const MatrixOf<T>& rows, T wanted, T factor,
                      MatrixOf<T>& by_rows, std::vector<T>& by_parameters) {
  const Index stride = critic_.output_stride();
  const T* answers = critic_.forward(critic.data(), rows.data(), rows.cols(), rows.rows(), answer_);
  by_outputs_.assign(static_cast<std::size_t>(rows.rows() * stride), T{0});
  const T weight = factor / static_cast<T>(rows.rows());
  T loss = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    const T error = answers[i * stride] - wanted;
    loss += weight * error * error;
    by_outputs_[i * stride] = 2 * weight * error;
  }
  const T* by_inputs = critic_.backward(critic.data(), rows.data(), rows.cols(), rows.rows(),
                                        by_outputs_, answer_, by_parameters.data());
  by_rows.resize(rows.rows(), rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) {
      by_rows(i, j) = by_inputs[i * critic_.input_stride() + j];
    }
  }
  return loss;
}

template <class T>
MatrixOf<T> CycleGame<T>::translate(const std::vector<T>& generator, const MatrixOf<T>& rows) {
  return move(generator, rows, there_);
}

template <class T>
T CycleGame<T>::add_critic_slopes(const std::vector<T>& critic, const MatrixOf<T>& rows, T wanted,
                                  std::vector<T>& slopes) {
  MatrixOf<T> unused;
  return judge(critic, rows, wanted, T{1} / 2, unused, slopes);
}

template <class T>
T CycleGame<T>::add_generator_slopes(const Players& players, std::size_t from,
                                     const MatrixOf<T>& rows, MatrixOf<T>& translated,
                                     Players& slopes) {
  const std::size_t to = 1 - from;
  translated = move(players.generators[from], rows, there_);
  const MatrixOf<T> again = move(players.generators[to], translated, back_);
  MatrixOf<T> by_translated;
  std::vector<T> unused(players.critics[to].size(), T{0});
  T loss = judge(players.critics[to], translated, T{1}, T{1}, by_translated, unused);

  const T weight = static_cast<T>(kWeightOfTheWayBack) / static_cast<T>(rows.size());
  MatrixOf<T> by_again(rows.rows(), rows.cols());
  for (Index k = 0; k < rows.size(); ++k) {
    const T error = again.data()[k] - rows.data()[k];
    loss += weight * std::abs(error);
    by_again.data()[k] = error == 0 ? T{0} : std::copysign(weight, error);
  }
  by_translated +=
      back_through(players.generators[to], translated, back_, by_again, slopes.generators[to]);
  back_through(players.generators[from], rows, there_, by_translated, slopes.generators[from]);
  return loss;
}

template class CycleGame<float>;
template class CycleGame<double>;

}  // namespace conflux::app
