// How the files of a command line are read and written.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conflux/tables/table.h"
#include "dataset/model_table.h"
#include "support/flag.h"

namespace conflux::app {

struct InputFlags {
  std::string format;
  bool no_header = false;
  std::string delimiter;
  std::string array;
  /// short, uncompensated, stored
  std::vector<std::string> fcs;
};

struct OutputFlags {
  std::string path;
  std::string format;
  bool single_precision = false;
  bool force = false;
};

/// --format, --no-header, --delimiter, --array and --fcs
std::vector<Flag> input_flags(InputFlags& flags);
/// -o/--output, --output-format and --float32
std::vector<Flag> output_flags(OutputFlags& flags);
/// --output-format and --float32
std::vector<Flag> output_format_flags(OutputFlags& flags);

/// --group, with --batch-key as a second name
Flag group_flag(std::string& group, const std::string& help);
/// --amount, for verbs that move rows by a model
Flag amount_flag(std::optional<double>& amount);
/// --features
Flag features_flag(std::vector<std::string>& features, const std::string& help);
/// --group, --features, --rename, --meta and --meta-key
std::vector<Flag> column_flags(ModelColumnChoice& choice);
/// --meta and --meta-key
std::vector<Flag> meta_flags(std::string& meta, std::string& meta_key);

/// `group` is the array of an NPZ file with the groups; may be empty.
TableOptions read_options(const InputFlags& flags, const std::string& group, int threads);
/// Text output keeps the header or its absence of the input.
TableOptions write_options(const InputFlags& input, const OutputFlags& flags,
                           const std::string& group, int threads);

/// Which columns a format can hold beside the features: none in npy and idx, the groups in npz,
/// numbers in fcs, all in text.
enum class Keeps { kFeatures, kFeaturesAndGroup, kNumbers, kEverything };
Keeps kept_columns(const OutputFlags& flags);

/// Throws InvalidOption when results and a JSON summary would both go to standard output.
void check_standard_output(const OutputFlags& flags, bool json);

}  // namespace conflux::app
