#include <cmath>

#include "conflux/metrics/moves.h"
#include "metrics/clouds_internal.h"

namespace conflux {

namespace {

// The standard deviation of a feature; its magnitude if it is constant, 1 for zeros.
double unit_of(const Eigen::Ref<const Vector, 0, Eigen::InnerStride<>>& values) {
  const double largest = values.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return 1;
  // A power of two, so that squares neither vanish nor overflow, and no digit is lost.
  const double scale = std::exp2(std::ilogb(largest));
  const Vector scaled = values / scale;
  const double mean = scaled.mean();
  const double deviation = std::sqrt((scaled.array() - mean).square().mean());
  return (deviation > 1e-15 ? deviation : largest / scale) * scale;
}

}  // namespace

RoundTripError round_trip_error(ConstRows original, ConstRows returned) {
  check_paired_clouds(original, returned);
  RoundTripError result;
  double squares = 0;
  for (Index j = 0; j < original.cols(); ++j) {
    const double unit = unit_of(original.eigen().col(j));
    for (Index i = 0; i < original.rows(); ++i) {
      const double error = std::abs(original(i, j) / unit - returned(i, j) / unit);
      squares += error * error;
      if (error <= result.largest) continue;
      result.largest = error;
      result.worst_row = i;
    }
  }
  result.root_mean_square =
      std::sqrt(squares / static_cast<double>(original.rows() * original.cols()));
  return result;
}

}  // namespace conflux
