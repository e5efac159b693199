// Maps along lines as arrays: those of all groups and lines one after the other, group by group.

#pragma once

#include <span>
#include <string>

#include "fitting/line_maps.h"
#include "storage/tensor_file.h"

namespace conflux {

/// Piecewise linear maps, one after the other.
void write_piecewise_linear(std::span<const PiecewiseLinearMap* const> maps,
                            const std::string& prefix, TensorWriter& out);
std::vector<PiecewiseLinearMap> read_piecewise_linear(const std::string& prefix, Index count,
                                                      TensorFile& file);

/// Returns which maps they are, "quantile", "spline" or "histogram".
std::string write_maps(const std::vector<std::vector<MonotoneMap>>& maps, const Matrix& barycenters,
                       const std::string& prefix, TensorWriter& out);

LineMaps read_maps(const std::string& kind, const std::string& prefix, Index groups, Index lines,
                   TensorFile& file);

}  // namespace conflux
