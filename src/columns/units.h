// Whether the features of a table have one unit, and the scales that follow.

#pragma once

#include <span>
#include <string>

#include "columns/meaning.h"

namespace conflux {

/// Sets the scale of every feature; returns one sentence on what was chosen and why.
std::string choose_scales(std::span<Meaning> meanings, ScaleChoice choice);

}  // namespace conflux
