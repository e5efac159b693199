#include "table_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "conflux/core/error.h"
#include "help.h"

namespace conflux::app {

namespace {

std::string format_list() { return fmt::format("{}", fmt::join(table_formats(), ", ")); }

char delimiter_of(const std::string& text) {
  if (text.empty()) return 0;
  if (text == "\\t" || text == "tab") return '\t';
  if (text.size() == 1) return text[0];
  throw InvalidOption(fmt::format("--delimiter is \"{}\"; give one character, or tab.", text));
}

}  // namespace

void add_input_flags(CLI::App& verb, InputFlags& flags) {
  verb.add_option("--format", flags.format,
                  "format of the input: " + format_list() + " [by its name]")
      ->type_name("F");
  verb.add_flag("--no-header", flags.no_header,
                "text: the first line holds values; columns are called c0, c1, ...");
  verb.add_option("--delimiter", flags.delimiter, "text: what separates cells [by the format]")
      ->type_name("C")
      ->group(kExpertGroup);
  verb.add_option("--array", flags.array, "npz: the array of features [X]")
      ->type_name("NAME")
      ->group(kExpertGroup);
}

void add_output_flags(CLI::App& verb, OutputFlags& flags) {
  verb.add_option("-o,--output", flags.path, "file to write; - is standard output")
      ->type_name("OUT")
      ->required();
  verb.add_option("--output-format", flags.format,
                  "format of the output, with .gz or .zst behind it if compressed [by its name]")
      ->type_name("F");
  verb.add_flag("--float32", flags.single_precision, "npy and npz: write single precision")
      ->group(kExpertGroup);
}

TableOptions read_options(const InputFlags& flags, const std::string& group, int threads) {
  return {.format = flags.format,
          .header = !flags.no_header,
          .delimiter = delimiter_of(flags.delimiter),
          .array = flags.array,
          .group = group,
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
  return format == "npy" || format == "idx" ? Keeps::kFeatures : Keeps::kEverything;
}

void add_threads(CLI::App& verb, int& threads) {
  verb.add_option("-j,--threads", threads, "threads to use; 0 uses every core [0]")
      ->type_name("N")
      ->check(quiet(CLI::Range(0, 4096)));
}

void add_name_list(CLI::App& verb, const std::string& name, std::vector<std::string>& list,
                   const std::string& help) {
  const auto split = [&list](const std::string& text) {
    list.clear();
    std::istringstream names(text);
    for (std::string each; std::getline(names, each, ',');) list.push_back(each);
  };
  verb.add_option_function<std::string>(name, split, help)->type_name("LIST");
}

void check_standard_output(const OutputFlags& flags, bool json) {
  if (json && flags.path == "-") {
    throw InvalidOption(
        "--json and -o - both write to standard output; give the table a file, or leave out "
        "--json.");
  }
}

}  // namespace conflux::app
