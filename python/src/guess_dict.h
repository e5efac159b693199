// How well groups can be guessed, as a dict.

#pragma once

#include <pybind11/stl.h>

#include "conflux/metrics/guessing.h"

namespace conflux::python {

inline pybind11::dict guess_to_dict(const Guess& guess) {
  using namespace pybind11::literals;
  return pybind11::dict("auc"_a = guess.auc, "by_chance"_a = guess.by_chance(),
                        "p_value"_a = guess.p_value, "per_group"_a = guess.per_group,
                        "importance"_a = guess.importance, "rows"_a = guess.rows);
}

}  // namespace conflux::python
