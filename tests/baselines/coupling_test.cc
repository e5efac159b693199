#include "baselines/coupling.h"

#include <gtest/gtest.h>

#include <cmath>

namespace conflux::networks {
namespace coupling_test {

const std::vector<bool> kMoved{true, false, true, false, false};
constexpr Index kRows = 7;

std::vector<double> random_parameters(const Coupling<double>& coupling) {
  const Index count = coupling.net().num_parameters();
  const Matrix drawn = 0.4 * Stream(1, Purpose::kTest).normal_matrix(1, count);
  return {drawn.data(), drawn.data() + drawn.size()};
}

// A loss that depends on where rows go and on how volumes change.
double loss_of(const Coupling<double>& coupling, const std::vector<double>& parameters, Matrix rows,
               const Matrix& weights) {
  Coupling<double>::Trace trace;
  std::vector<double> log_det(kRows, 0.0);
  const std::vector<double> padded = coupling.net().padded(parameters);
  coupling.forward(padded.data(), Rows(rows), log_det.data(), trace);
  double out = rows.cwiseProduct(weights).sum();
  for (Index i = 0; i < kRows; ++i) out -= 0.3 * static_cast<double>(i + 1) * log_det[i];
  return out;
}

TEST(Coupling, HasTheSlopesOfDifferences) {
  const Coupling<double> coupling(kMoved, 6);
  std::vector<double> parameters = random_parameters(coupling);
  Matrix rows = Stream(2, Purpose::kTest).normal_matrix(kRows, 5);
  const Matrix weights = Stream(3, Purpose::kTest).normal_matrix(kRows, 5);

  Coupling<double>::Trace trace;
  const std::vector<double> padded = coupling.net().padded(parameters);
  Matrix moved = rows;
  coupling.forward(padded.data(), Rows(moved), nullptr, trace);
  std::vector<double> by_log_det, gradient(padded.size(), 0.0);
  for (Index i = 0; i < kRows; ++i) by_log_det.push_back(-0.3 * static_cast<double>(i + 1));
  Matrix slopes = weights;
  coupling.backward(padded.data(), trace, Rows(slopes), by_log_det.data(), gradient.data());
  const std::vector<double> by_parameters = coupling.net().plain(gradient);

  constexpr double kStep = 1e-5;
  const auto difference = [&](double& number) {
    const double kept = number;
    number = kept + kStep;
    const double above = loss_of(coupling, parameters, rows, weights);
    number = kept - kStep;
    const double below = loss_of(coupling, parameters, rows, weights);
    number = kept;
    return (above - below) / (2 * kStep);
  };
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    EXPECT_NEAR(by_parameters[k], difference(parameters[k]), 1e-6) << "parameter " << k;
  }
  for (Index i = 0; i < kRows; ++i) {
    for (Index j = 0; j < 5; ++j) EXPECT_NEAR(slopes(i, j), difference(rows(i, j)), 1e-6);
  }
}

// However large the parameters, no feature may be scaled by more than exp(kMostLogScale).
TEST(Coupling, BoundsItsScales) {
  const Coupling<double> coupling(kMoved, 6);
  std::vector<double> parameters = random_parameters(coupling);
  for (double& each : parameters) each *= 1e4;
  const std::vector<double> padded = coupling.net().padded(parameters);
  Matrix rows = Stream(4, Purpose::kTest).normal_matrix(kRows, 5);
  std::vector<double> log_det(kRows, 0.0);
  Coupling<double>::Trace trace;
  coupling.forward(padded.data(), Rows(rows), log_det.data(), trace);
  for (const double each : log_det) EXPECT_LE(std::abs(each), 2 * kMostLogScale + 1e-12);
  EXPECT_TRUE(rows.allFinite());
}

}  // namespace coupling_test
}  // namespace conflux::networks
