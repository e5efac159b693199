// How the files of a command line are read and written.

#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "conflux/tables/table.h"

namespace conflux::app {

struct InputFlags {
  std::string format;
  bool no_header = false;
  std::string delimiter;
  std::string array;
};

struct OutputFlags {
  std::string path;
  std::string format;
  bool single_precision = false;
};

/// Adds --format, --no-header, --delimiter and --array.
void add_input_flags(CLI::App& verb, InputFlags& flags);
/// Adds -o/--output, --output-format and --float32.
void add_output_flags(CLI::App& verb, OutputFlags& flags);

/// `group` is the array of an NPZ file that tells the groups; may be empty.
TableOptions read_options(const InputFlags& flags, const std::string& group, int threads);
/// Text output keeps the header or its absence of the input.
TableOptions write_options(const InputFlags& input, const OutputFlags& flags,
                           const std::string& group, int threads);

/// Which columns a format can hold beside the features: none in npy and idx, the groups in npz, all
/// in text.
enum class Keeps { kFeatures, kFeaturesAndGroup, kEverything };
Keeps kept_columns(const OutputFlags& flags);

/// Adds -j/--threads.
void add_threads(CLI::App& verb, int& threads);
/// A list with commas between names.
void add_name_list(CLI::App& verb, const std::string& name, std::vector<std::string>& list,
                   const std::string& help);

/// Throws InvalidOption when results and a JSON summary would both go to standard output.
void check_standard_output(const OutputFlags& flags, bool json);

}  // namespace conflux::app
