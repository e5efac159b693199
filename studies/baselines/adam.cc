#include "baselines/adam.h"

#include <Eigen/Core>
#include <cmath>

namespace conflux::networks {

namespace {

// As published (Kingma and Ba, 2015).
constexpr double kMemoryOfSquares = 0.999;
constexpr float kSmallest = 1e-8F;

}  // namespace

Adam::Adam(Index num_parameters, double memory)
    : mean_(static_cast<std::size_t>(num_parameters), 0.0F),
      mean_square_(static_cast<std::size_t>(num_parameters), 0.0F),
      memory_(memory) {}

void Adam::step(std::span<float> parameters, std::span<const float> gradient, double rate) {
  ++steps_;
  const auto size = static_cast<Index>(parameters.size());
  const Eigen::Map<const Eigen::ArrayXf> slope(gradient.data(), size);
  Eigen::Map<Eigen::ArrayXf> mean(mean_.data(), size);
  Eigen::Map<Eigen::ArrayXf> square(mean_square_.data(), size);
  mean += static_cast<float>(1 - memory_) * (slope - mean);
  square += static_cast<float>(1 - kMemoryOfSquares) * (slope.square() - square);
  // Both begin at zero; the first steps would be too small otherwise.
  const double of_mean = 1 - std::pow(memory_, steps_);
  const double of_square = std::sqrt(1 - std::pow(kMemoryOfSquares, steps_));
  Eigen::Map<Eigen::ArrayXf>(parameters.data(), size) -=
      static_cast<float>(rate * of_square / of_mean) * mean /
      (square.sqrt() + kSmallest * static_cast<float>(of_square));
}

}  // namespace conflux::networks
