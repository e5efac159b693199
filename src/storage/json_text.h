// JSON from files that nobody vouches for.

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "conflux/core/index.h"

namespace conflux {

using Json = nlohmann::json;
/// Keeps its keys in the order of insertion.
using OrderedJson = nlohmann::ordered_json;

/// Parses objects that do not repeat a key and are nested at most `max_depth` deep. Throws
/// InvalidData that calls the text by `name`.
Json parse_json(std::string_view text, int max_depth, const std::string& name);

/// Compact text. Throws InvalidData when a string is not UTF-8.
std::string to_text(const OrderedJson& json);

}  // namespace conflux
