// One strictly increasing map of the line, whichever estimator made it.

#pragma once

#include <span>
#include <variant>

#include "univariate/histogram_map.h"
#include "univariate/piecewise_linear_map.h"
#include "univariate/rational_quadratic_map.h"

namespace conflux {

using MonotoneMap = std::variant<PiecewiseLinearMap, HistogramMap, RationalQuadraticMap>;

/// Replaces values by their images; adds log slopes to `log_slopes` unless it is null.
inline void forward(const MonotoneMap& map, std::span<double> values, double* log_slopes) {
  std::visit([&](const auto& kind) { kind.forward(values, log_slopes); }, map);
}

/// The other way; adds log slopes of the inverse map.
inline void inverse(const MonotoneMap& map, std::span<double> values, double* log_slopes) {
  std::visit([&](const auto& kind) { kind.inverse(values, log_slopes); }, map);
}

}  // namespace conflux
