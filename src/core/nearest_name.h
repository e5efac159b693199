// The name that was probably meant.
//
// Names are compared by the number of letters to insert, delete, replace or swap with their
// neighbor; upper and lower case are the same. Names that share too little are not offered.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace conflux {

/// The first of the names nearest to `wanted`; none when every name needs more edits than a third
/// of the letters of `wanted` (but one edit is always allowed).
std::optional<std::string> nearest_name(std::string_view wanted,
                                        const std::vector<std::string>& names);

/// A sentence for an unknown name: `no column "bacth"; did you mean "batch"?`, or, when nothing is
/// near, `no column "bacth"; the columns are "x", "y".` (at most ten of them).
std::string unknown_name(std::string_view kind, std::string_view wanted,
                         const std::vector<std::string>& names);

}  // namespace conflux
