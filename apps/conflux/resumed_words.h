// The command line that a checkpoint keeps for --resume.

#pragma once

#include <string>
#include <vector>

#include "support/flag.h"

namespace conflux::app {

/// Key of the command line in a checkpoint.
inline constexpr const char* kCommand = "command";

/// --resume FILE is all that a fit needs to continue: the checkpoint holds its command line. Flags
/// that are given replace those of the checkpoint; tables that are given replace all of them.
std::vector<std::string> with_resumed_words(std::vector<std::string> words,
                                            const std::vector<Flag>& flags);

/// The command line without --resume and its file, which are given again.
std::string command_text(const std::vector<std::string>& words);

}  // namespace conflux::app
