// Values that each occur in one group only.
//
// Plants of two places, cities of countries, months of seasons: such a column tells which group a
// row is of, and nothing of how rows of that group differ from those of another. Groups could be
// made alike in it only by giving things the names of others, so it is no feature.

#pragma once

#include <span>
#include <string>

#include "columns/meaning.h"

namespace conflux {

/// Why a column whose groups share no value is carried along, or nothing if it is a feature.
/// Categories are; numbers only if all groups together hold consecutive ones, as where they count
/// things: groups may also share no number because one of them is shifted.
std::string why_nested_is_carried(const Meaning& meaning, std::span<const Index> groups,
                                  Index num_groups);

}  // namespace conflux
