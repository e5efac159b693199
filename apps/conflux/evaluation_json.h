// Output of conflux evaluate --json.

#pragma once

#include <cstdint>
#include <string>

#include "conflux/judging/evaluation.h"
#include "files/json.h"

namespace conflux::app {

Json evaluation_json(const Evaluation& found, const std::string& model, const std::string& space,
                     std::uint64_t seed);

/// Figures of each amount; null where a figure is not measured.
Json curve_json(const std::vector<AmountPoint>& curve);

}  // namespace conflux::app
