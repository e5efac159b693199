// How well groups can be predicted, as a dict.

#pragma once

#include <pybind11/stl.h>

#include "conflux/metrics/group_prediction.h"

namespace conflux::python {

inline pybind11::dict prediction_to_dict(const GroupPrediction& prediction) {
  using namespace pybind11::literals;
  return pybind11::dict("auc"_a = prediction.auc, "by_chance"_a = prediction.by_chance(),
                        "p_value"_a = prediction.p_value, "per_group"_a = prediction.per_group,
                        "importance"_a = prediction.importance, "rows"_a = prediction.rows);
}

}  // namespace conflux::python
