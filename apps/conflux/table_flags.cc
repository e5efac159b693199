#include "table_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "core/nearest_name.h"
#include "file_checks.h"
#include "tables/number_text.h"

namespace conflux::app {

namespace {

std::string format_list() { return fmt::format("{}", fmt::join(table_formats(), " ")); }

char delimiter_of(const std::string& text) {
  if (text.empty()) return 0;
  if (text == "\\t" || text == "tab") return '\t';
  if (text.size() == 1) return text[0];
  throw InvalidOption(fmt::format("--delimiter is \"{}\"; give one character, or tab.", text));
}

bool has_word(const std::vector<std::string>& words, const char* word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void check_fcs_words(const std::vector<std::string>& words) {
  const std::vector<std::string> known = {"short", "uncompensated", "stored"};
  for (const std::string& word : words) {
    if (!has_word(known, word.c_str())) {
      throw InvalidOption("--fcs: " + unknown_name("word", word, known));
    }
  }
}

}  // namespace

std::vector<Flag> input_flags(InputFlags& flags) {
  return {{.names = "--format",
           .value = "F",
           .help = format_list(),
           .target = &flags.format,
           .shown = Shown::kToExperts},
          {.names = "--no-header",
           .help = "text: the first line holds values; columns are called c0, c1, ...",
           .target = &flags.no_header,
           .shown = Shown::kToExperts},
          {.names = "--delimiter",
           .value = "C",
           .help = "text: separator of cells [by the format]",
           .target = &flags.delimiter,
           .shown = Shown::kToExperts},
          {.names = "--array,--use-rep",
           .value = "NAME",
           .help = "features: an array of npz or mat, X or a layer or an entry of obsm of h5ad [X]",
           .target = &flags.array,
           .shown = Shown::kToExperts},
          {.names = "--fcs",
           .value = "LIST",
           .help = "fcs: short (channels called by $PnN), uncompensated, stored (gain and "
                   "logarithm left in) [none of them]",
           .target = &flags.fcs,
           .shown = Shown::kToExperts}};
}

std::vector<Flag> output_format_flags(OutputFlags& flags) {
  return {{.names = "--output-format",
           .value = "F",
           .help = "format of the output, with .gz or .zst behind it if compressed [by its name]",
           .target = &flags.format,
           .shown = Shown::kToExperts},
          {.names = "--float32",
           .help = "npy, npz, fcs and h5ad: write single precision",
           .target = &flags.single_precision,
           .shown = Shown::kToExperts},
          force_flag(flags.force)};
}

std::vector<Flag> output_flags(OutputFlags& flags) {
  std::vector<Flag> out = output_format_flags(flags);
  out.insert(out.begin(),
             {.names = "-o,--output",
              .value = "OUT",
              .help = "file to write, or folder for one file per input; - is standard output",
              .target = &flags.path,
              .required = true});
  return out;
}

Flag group_flag(std::string& group, const std::string& help) {
  return {.names = "--group,--batch-key", .value = "COLUMN", .help = help, .target = &group};
}

Flag amount_flag(std::optional<double>& amount) {
  return {
      .names = "--amount",
      .value = "A",
      .help =
          "fraction of their way that rows are moved, from 0 (in place) to 1 [as when fitting]; "
          "inverse takes that of transform",
      .target = [&amount](const std::string& text) {
        double value = 0;
        if (!parse_number(text, value) || !(value >= 0 && value <= 1)) {
          throw InvalidOption(fmt::format(
              "--amount is {}; choose a number from 0, which leaves rows in place, to 1.", text));
        }
        amount = value;
      }};
}

Flag features_flag(std::vector<std::string>& features, const std::string& help) {
  return {.names = "--features", .value = "LIST", .help = help, .target = &features};
}

std::vector<Flag> column_flags(ModelColumnChoice& choice) {
  std::vector<Flag> out = {
      group_flag(choice.group, "column with the group of each row [as in the fit]"),
      features_flag(choice.features, "columns of the features, in their order [as in the fit]"),
      {.names = "--rename",
       .value = "LIST",
       .help = "names of groups here and in the model, say gcm_p=gcm or day_*_b=*",
       .target = &choice.rename}};
  const std::vector<Flag> joins = meta_flags(choice.meta, choice.meta_key);
  out.insert(out.end(), joins.begin(), joins.end());
  return out;
}

TableOptions read_options(const InputFlags& flags, const std::string& group, int threads) {
  check_fcs_words(flags.fcs);
  return {.format = flags.format,
          .header = !flags.no_header,
          .delimiter = delimiter_of(flags.delimiter),
          .array = flags.array,
          .group = group,
          .short_names = has_word(flags.fcs, "short"),
          .uncompensated = has_word(flags.fcs, "uncompensated"),
          .stored_values = has_word(flags.fcs, "stored"),
          .use_rep = flags.array,
          .threads = threads};
}

TableOptions write_options(const InputFlags& input, const OutputFlags& flags,
                           const std::string& group, int threads) {
  return {.format = flags.format,
          .header = !input.no_header,
          .group = group,
          .single_precision = flags.single_precision,
          .threads = threads};
}

Keeps kept_columns(const OutputFlags& flags) {
  const std::string format = table_format(flags.path, {.format = flags.format});
  if (format == "npz") return Keeps::kFeaturesAndGroup;
  if (format == "fcs") return Keeps::kNumbers;
  return format == "npy" || format == "idx" ? Keeps::kFeatures : Keeps::kEverything;
}

void check_standard_output(const OutputFlags& flags, bool json) {
  if (json && flags.path == "-") {
    throw InvalidOption(
        "--json and -o - both write to standard output; give the table a file, or leave out "
        "--json.");
  }
}

}  // namespace conflux::app
