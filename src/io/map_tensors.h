// Maps along lines as arrays: those of all groups and lines one after the other, group by group.

#pragma once

#include <string>

#include "conflux/models/line_maps.h"
#include "io/tensor_file.h"

namespace conflux {

/// Returns which maps they are, "quantile" or "histogram".
std::string write_maps(const std::vector<std::vector<MonotoneMap>>& maps, const Matrix& barycenters,
                       const std::string& prefix, TensorWriter& out);

LineMaps read_maps(const std::string& kind, const std::string& prefix, Index groups, Index lines,
                   TensorFile& file);

}  // namespace conflux
