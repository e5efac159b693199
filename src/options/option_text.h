// Options as text: for command lines, settings files and other languages.
//
// Names, ranges and help come from visit_options(); this only spells values. "auto" leaves an
// option unset, so that the fit chooses it.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conflux/options/options.h"
#include "options/methods.h"

namespace conflux {

/// Throws InvalidOption with the nearest name for an unknown option, and with what is allowed for a
/// value that cannot be read or is out of range.
void set_option(FitOptions& options, std::string_view name, std::string_view text);

struct OptionText {
  std::string name;
  std::string help;
  /// The value as set_option() reads it; "auto" when it is unset.
  std::string value;
  /// Allowed values: "N", "N|auto", "on|off", "nb|inb|...".
  std::string values;
  /// Meaning of the unset option; empty if it cannot be unset.
  std::string unset;
  bool expert = false;
  /// Other methods refuse it.
  MethodSet used_by = kAllMethods;
};

/// All options in the order in which they are documented.
std::vector<OptionText> option_texts(const FitOptions& options);

}  // namespace conflux
