// One strictly increasing map of the line, whichever estimator made it.

#pragma once

#include <span>
#include <type_traits>
#include <variant>
#include <vector>

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

/// The map that moves every value by a fraction of its way, from above 0 to below 1.
inline MonotoneMap part(const MonotoneMap& map, double amount) {
  return std::visit([&](const auto& kind) { return MonotoneMap(kind.part(amount)); }, map);
}

/// The same of the maps of every group.
template <class Map>
std::vector<std::vector<Map>> parts(const std::vector<std::vector<Map>>& maps, double amount) {
  std::vector<std::vector<Map>> out;
  for (const std::vector<Map>& of_group : maps) {
    out.emplace_back();
    for (const Map& map : of_group) {
      if constexpr (std::is_same_v<Map, MonotoneMap>) {
        out.back().push_back(part(map, amount));
      } else {
        out.back().push_back(map.part(amount));
      }
    }
  }
  return out;
}

}  // namespace conflux
