// Which files a table goes to: the one that -o names, or one per input in the folder that it names.

#pragma once

#include <string>
#include <vector>

#include "file_checks.h"
#include "table_flags.h"

namespace conflux::app {

/// Whether -o names a folder: it is one, or ends in a slash.
bool goes_to_folder(const OutputFlags& flags);

/// The file in that folder: named like the input, with another ending if --output-format is given.
std::string file_in_folder(const OutputFlags& flags, const std::string& input);

/// Adds every file that is written for the tables that rows come from.
void add_table_outputs(ResultFiles& results, const OutputFlags& flags,
                       const std::vector<std::string>& tables);

/// Whether an input is a folder of pictures, and its output one as well.
bool becomes_pictures(const OutputFlags& flags, const std::string& input);

}  // namespace conflux::app
