// Tables as groups of samples that a model knows.

#pragma once

#include "conflux/model/model.h"
#include "grouped_input.h"
#include "support/console.h"

namespace conflux::app {

/// What the flags leave open, the model says: the columns of groups, features and labels.
GroupedInputFlags completed(const Model& model, GroupedInputFlags input);

/// Reads all rows.
GroupedInput read_groups_for(const Model& model, GroupedInputFlags input, const Console& console);

}  // namespace conflux::app
