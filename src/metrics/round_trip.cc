#include <cmath>

#include "conflux/metrics/moves.h"
#include "metrics/clouds_internal.h"

namespace conflux {

RoundTripError round_trip_error(ConstRows original, ConstRows returned) {
  check_paired_clouds(original, returned);
  const double rows = static_cast<double>(original.rows());
  // A power of two near the largest entry as unit: squares neither vanish nor overflow, and no
  // digit is lost.
  const double largest = original.eigen().cwiseAbs().maxCoeff();
  const double unit = largest > 0 ? std::exp2(std::ilogb(largest)) : 1;
  const double length = (original.eigen() / unit).norm() / std::sqrt(rows);
  const double scale = length > 0 ? length : 1;
  const Vector errors =
      (original.eigen() / unit - returned.eigen() / unit).rowwise().norm() / scale;
  RoundTripError result;
  result.largest = errors.maxCoeff(&result.worst_row);
  result.root_mean_square = errors.norm() / std::sqrt(rows);
  return result;
}

}  // namespace conflux
