#include "conflux/metrics/round_trip.h"

#include <cmath>

#include "metrics/clouds_internal.h"

namespace conflux {

RoundTripError round_trip_error(ConstRows original, ConstRows returned) {
  check_paired_clouds(original, returned);
  const double rows = static_cast<double>(original.rows());
  const double length = original.eigen().norm() / std::sqrt(rows);
  const double scale = length > 0 ? length : 1;
  const Vector errors = (original.eigen() - returned.eigen()).rowwise().norm() / scale;
  RoundTripError result;
  result.largest = errors.maxCoeff(&result.worst_row);
  result.root_mean_square = errors.norm() / std::sqrt(rows);
  return result;
}

}  // namespace conflux
