#include "baselines/dense_net.h"

#include <gtest/gtest.h>

#include <cmath>

#include "conflux/core/matrix.h"

namespace conflux::networks {
namespace dense_net_test {

const std::vector<Index> kWidths{3, 7, 5, 4};

std::vector<double> random_parameters(const DenseNet<double>& net, std::uint64_t seed) {
  const Matrix drawn = Stream(seed, Purpose::kTest).normal_matrix(1, net.num_parameters());
  return {drawn.data(), drawn.data() + drawn.size()};
}

// The network as its header describes it, one number at a time.
Matrix slow_outputs(const std::vector<double>& parameters, Matrix values) {
  auto next = parameters.begin();
  for (std::size_t p = 0; p + 1 < kWidths.size(); ++p) {
    Matrix out = Matrix::Zero(values.rows(), kWidths[p + 1]);
    for (Index i = 0; i <= kWidths[p]; ++i) {
      for (Index o = 0; o < kWidths[p + 1]; ++o, ++next) {
        for (Index r = 0; r < values.rows(); ++r) {
          out(r, o) += *next * (i == kWidths[p] ? 1 : values(r, i));
        }
      }
    }
    if (p + 2 < kWidths.size()) {
      out = out.unaryExpr([](double x) { return x / std::sqrt(1 + x * x); });
    }
    values = out;
  }
  return values;
}

Matrix outputs(const DenseNet<double>& net, const std::vector<double>& parameters,
               const Matrix& x) {
  DenseNet<double>::Trace trace;
  const std::vector<double> padded = net.padded(parameters);
  const double* out = net.forward(padded.data(), x.data(), x.cols(), x.rows(), trace);
  return ConstRows(out, x.rows(), net.outputs(), net.output_stride()).eigen();
}

TEST(DenseNet, MultipliesAddsAndBends) {
  const DenseNet<double> net(kWidths);
  const std::vector<double> parameters = random_parameters(net, 1);
  const Matrix x = Stream(2, Purpose::kTest).normal_matrix(9, 3);
  EXPECT_LT((outputs(net, parameters, x) - slow_outputs(parameters, x)).cwiseAbs().maxCoeff(),
            1e-13);
}

TEST(DenseNet, KeepsParametersThroughPadding) {
  const DenseNet<double> net(kWidths);
  const std::vector<double> parameters = random_parameters(net, 3);
  EXPECT_EQ(net.plain(net.padded(parameters)), parameters);
  EXPECT_EQ(static_cast<Index>(parameters.size()), (3 + 1) * 7 + (7 + 1) * 5 + (5 + 1) * 4);
}

// Slopes by parameters and by inputs, against central differences of a weighted sum of outputs:
// they err by the square of the step.
TEST(DenseNet, HasTheSlopesOfDifferences) {
  const DenseNet<double> net(kWidths);
  std::vector<double> parameters = random_parameters(net, 4);
  Matrix x = Stream(5, Purpose::kTest).normal_matrix(6, 3);
  const Matrix weights = Stream(6, Purpose::kTest).normal_matrix(6, 4);
  const auto loss = [&] { return outputs(net, parameters, x).cwiseProduct(weights).sum(); };

  DenseNet<double>::Trace trace;
  const std::vector<double> padded = net.padded(parameters);
  net.forward(padded.data(), x.data(), 3, 6, trace);
  std::vector<double> by_outputs(static_cast<std::size_t>(6 * net.output_stride()), 0.0);
  Rows(by_outputs.data(), 6, 4, net.output_stride()).eigen() = weights;
  std::vector<double> gradient(padded.size(), 0.0);
  const double* by_inputs =
      net.backward(padded.data(), x.data(), 3, 6, by_outputs, trace, gradient.data());
  const std::vector<double> by_parameters = net.plain(gradient);

  constexpr double kStep = 1e-5;
  const auto difference = [&](double& number) {
    const double kept = number;
    number = kept + kStep;
    const double above = loss();
    number = kept - kStep;
    const double below = loss();
    number = kept;
    return (above - below) / (2 * kStep);
  };
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    EXPECT_NEAR(by_parameters[k], difference(parameters[k]), 1e-7) << "parameter " << k;
  }
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 3; ++j) {
      EXPECT_NEAR(by_inputs[i * net.input_stride() + j], difference(x(i, j)), 1e-7);
    }
  }
}

// A last part of zeros makes couplings begin as the identity.
TEST(DenseNet, IsZeroWhenDrawn) {
  const DenseNet<double> net(kWidths);
  std::vector<double> drawn(static_cast<std::size_t>(net.num_places()), 1.0);
  Stream stream(7, Purpose::kTest);
  net.draw(stream, drawn);
  const Matrix x = Stream(8, Purpose::kTest).normal_matrix(5, 3);
  EXPECT_EQ(outputs(net, net.plain(drawn), x), Matrix::Zero(5, 4));
  EXPECT_NE(drawn, std::vector<double>(drawn.size(), 0.0));
}

}  // namespace dense_net_test
}  // namespace conflux::networks
