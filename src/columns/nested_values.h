// Values that each occur in one group only.
//
// Columns whose values occur in one group only, such as cities nested in countries or months in
// seasons. Such a column identifies the group, but says nothing about how rows differ within it.
// Aligning it would rename the values, so it is no feature.

#pragma once

#include <span>
#include <string>

#include "columns/meaning.h"

namespace conflux {

/// The reason to copy a column unchanged whose groups share no value, or nothing if it is a
/// feature. Categories are copied; numbers only if all groups together hold consecutive ones, like
/// row numbers: groups may also share no number because one of them is shifted.
std::string why_nested_is_carried(const Meaning& meaning, std::span<const Index> groups,
                                  Index num_groups);

}  // namespace conflux
