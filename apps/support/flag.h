// Flags and arguments of a verb, as data.
//
//   Flag{.names = "-o,--output", .value = "FILE", .help = "file to write", .target = &output,
//        .required = true}
//
// Parsing, help, manual page and completion are all made from these.

#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "conflux/core/index.h"

namespace conflux::app {

/// Where the value goes. A list is cut at commas, unless the flag may be repeated or is an argument
/// without dashes, which takes all words that are left.
using Target = std::variant<std::monostate, bool*, int*, Index*, std::uint64_t*, std::string*,
                            std::vector<std::string>*, std::function<void(const std::string&)>>;

/// Where help shows a flag.
enum class Shown {
  kAlways,
  /// By --help-all and in the manual page only.
  kToExperts,
  /// After the flags of the verb itself.
  kLast,
  kNever,
};

struct Flag {
  /// All names, with commas: "-o,--output". Without dashes: an argument known by its place.
  std::string names;
  /// Stands for the value in help; a flag without a value is a switch.
  std::string value = {};
  std::string help = {};
  Target target = {};
  bool required = false;
  bool repeated = false;
  /// Limits of a number.
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  /// The texts that are allowed; empty allows all.
  std::vector<std::string> choices = {};
  Shown shown = Shown::kAlways;

  bool positional() const { return names[0] != '-'; }
  bool is_switch() const { return !positional() && value.empty(); }
  bool takes_many() const {
    return std::holds_alternative<std::vector<std::string>*>(target) && (positional() || repeated);
  }
  /// The names one by one, with their dashes.
  std::vector<std::string> short_names() const;
  std::vector<std::string> long_names() const;
  /// The name that messages use: the first long one.
  std::string name() const;
};

/// Stores the words that were given for a flag; a switch gets none. Throws InvalidOption with the
/// name, the word and what is allowed.
void store(const Flag& flag, const std::vector<std::string>& words);

/// The parts of a list with commas between names.
std::vector<std::string> split_list(const std::string& text);

/// -j/--threads
Flag threads_flag(int& threads);

}  // namespace conflux::app
