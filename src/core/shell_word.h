// Words of a command line.

#pragma once

#include <string>
#include <vector>

namespace conflux {

/// A word of a command as a shell reads it back.
std::string shell_word(const std::string& word);

/// All words of a command, quoted where they must be.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace conflux
