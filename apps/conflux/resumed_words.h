// The command line that a checkpoint keeps for who goes on from it.

#pragma once

#include <string>
#include <vector>

namespace conflux::app {

/// What a checkpoint calls it.
inline constexpr const char* kCommand = "command";

/// --resume FILE, perhaps with switches, is all that a fit needs to go on: the checkpoint knows the
/// command line it came from.
std::vector<std::string> with_resumed_words(std::vector<std::string> words);

/// The words without --resume and what it names, which is said anew.
std::string command_text(const std::vector<std::string>& words);

}  // namespace conflux::app
