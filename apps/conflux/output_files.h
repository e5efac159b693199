// Which files a table goes to: the one that -o names, or one per input in the folder that it names.

#pragma once

#include <string>
#include <vector>

#include "table_flags.h"

namespace conflux::app {

/// Whether -o names a folder: it is one, or ends in a slash.
bool goes_to_folder(const OutputFlags& flags);

/// The file in that folder: called like the input, with another ending if --output-format says so.
std::string file_in_folder(const OutputFlags& flags, const std::string& input);

/// check_output() for every file that is written. `tables` are the inputs that rows come from,
/// `inputs` all files that must not be replaced.
void check_table_outputs(const OutputFlags& flags, const std::vector<std::string>& tables,
                         const std::vector<std::string>& inputs);

/// Whether an input is a folder of pictures, and its output one as well.
bool becomes_pictures(const OutputFlags& flags, const std::string& input);

}  // namespace conflux::app
