// Options and records of a fit as JSON.
//
// visit_options() is the one source of the options' names: an option that is added there is in the
// file at once, and one that a file lacks keeps its default.

#pragma once

#include "conflux/training/fit_record.h"
#include "files/json.h"

namespace conflux {

Json options_to_json(const FitOptions& options);
/// Throws InvalidData for unknown names, wrong types and values out of range.
FitOptions options_from_json(const Json& json);

/// Without the options.
Json record_to_json(const FitRecord& record);
FitRecord record_from_json(const Json& json);

/// Parts of it that reports have as well. null without a check.
Json check_to_json(const std::optional<CheckRecord>& check);
Json ladder_to_json(const LadderRecord& ladder);
Json within_to_json(const std::vector<WithinRecord>& within);
Json neighborhoods_to_json(const std::vector<LabelNeighborhood>& neighborhoods);

/// A list of texts. Throws InvalidData that calls it by `name`.
std::vector<std::string> texts_from_json(const Json& json, const std::string& name);

}  // namespace conflux
