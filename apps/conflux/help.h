// Help, man page and shell completion, all from the verbs and options as CLI11 knows them.

#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace conflux::app {

/// Options of this CLI11 group are left out of --help and shown by --help-all.
inline constexpr const char* kExpertGroup = "Expert options";

/// Options that every verb has stand last.
inline constexpr const char* kCommonGroup = "Common options";

/// A check whose rule is told by the help text of its option, not by CLI11.
inline CLI::Validator quiet(CLI::Validator validator) { return validator.description(""); }

/// The help of the command or of one verb. A verb's footer is its example.
std::string help_text(const CLI::App& app, bool expert);

/// The manual page in man(7) format.
std::string man_page(const CLI::App& root);

/// A completion script for bash.
std::string bash_completion(const CLI::App& root);

/// The long names of all options of a verb, with their dashes.
std::vector<std::string> option_names(const CLI::App& app);

}  // namespace conflux::app
