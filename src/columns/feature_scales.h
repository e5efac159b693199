// The scale of a feature, fitted to what all groups have.

#pragma once

#include <vector>

#include "columns/value_facts.h"
#include "conflux/columns/columns.h"

namespace conflux {

/// Coordinates that have slope 1 / `unit` between atoms. An atom takes as much room as its share of
/// the rows would have in the middle of a normal law with the feature's spread. `facts` are those
/// of curved values.
void set_linear_scale(Feature& feature, const ValueFacts& facts, double unit);

/// Coordinates that follow the normal law over the rows of all groups, each group with the same
/// mass; an atom takes the room of its mass. `facts` are those of values.
void set_normal_scale(Feature& feature, const ValueFacts& facts);

}  // namespace conflux
