// The report of an experiment: a Markdown page, a JSON record and figures, published beside ours.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reproduce/experiments.h"
#include "support/console.h"

namespace conflux::app {

/// All runs of one row on one set.
struct RowResult {
  const SetInfo& set;
  const RowSpec& row;
  std::vector<Json> cells;
};

/// Writes NAME.md, NAME.json and NAME-*.svg or NAME-*.png into `folder`. `command` is what the user
/// can type to get them again.
void write_report(const Experiment& experiment, const std::vector<RowResult>& results,
                  const std::string& command, const std::filesystem::path& folder);

}  // namespace conflux::app
