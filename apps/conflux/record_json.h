// Records of layers as JSON, for logs and for conflux info.

#pragma once

#include <string>
#include <vector>

#include "conflux/training/fit_record.h"
#include "support/console.h"

namespace conflux::app {

Json layer_json(const LayerRecord& layer);
/// Passes, GFLOP/s, GB/s, and the parts of the time for products, sorting and other work.
Json speed_json(const FitRecord& record);
/// "5000 rows", or "5000 of 90000 rows" if a pool was drawn.
std::string rows_text(const FitRecord& record);
/// Scores of the held-out rows of a fit.
Json summary_json(const FitRecord& record);
Json layers_json(const std::vector<LayerRecord>& layers);

}  // namespace conflux::app
