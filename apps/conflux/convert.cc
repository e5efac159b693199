// conflux convert: tables from one format to another, in blocks.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "conflux/core/error.h"
#include "dataset/table_files.h"
#include "file_checks.h"
#include "support/interrupt.h"
#include "table_flags.h"
#include "verbs.h"

namespace conflux::app {

namespace {

struct ConvertFlags {
  std::string input;
  InputFlags table;
  OutputFlags output;
  std::string group;
  int threads = 0;
};

bool is_own_array(const Table& block, const std::string& name) {
  return block.extras && (block.extras->format == "npz" || block.extras->format == "mat") &&
         std::any_of(block.extras->carried.begin(), block.extras->carried.end(),
                     [&](const auto& carried) { return carried.first == name; });
}

// Columns that binary formats cannot hold: they hold features, which are numbers, and npz the
// groups.
void drop_others(Table& block, const std::string& group, Keeps keeps,
                 std::vector<std::string>& dropped) {
  if (keeps == Keeps::kEverything) return;
  std::erase_if(block.columns, [&](const Column& column) {
    const bool is_group = column.name == group;
    const bool kept =
        is_group && keeps != Keeps::kNumbers
            ? keeps == Keeps::kFeaturesAndGroup
            : column.numeric() && (keeps == Keeps::kNumbers || !is_own_array(block, column.name));
    const bool is_new = std::find(dropped.begin(), dropped.end(), column.name) == dropped.end();
    if (!kept && is_new) dropped.push_back(column.name);
    return !kept;
  });
}

void run_convert(const ConvertFlags& flags, const Console& console) {
  check_standard_output(flags.output, console.json);
  ResultFiles({flags.input}, flags.output.force).add(flags.output.path, FileKind::kTable);
  const std::string group = flags.group.empty() ? "group" : flags.group;
  const Keeps keeps = kept_columns(flags.output);
  TableOptions options = read_options(flags.table, flags.group, flags.threads);
  // From text to text every cell keeps its spelling.
  const std::string from = table_format(flags.input, options);
  const bool from_text = from == "csv" || from == "tsv" || from == "txt";
  if (from_text && keeps == Keeps::kEverything) options.numeric.emplace();
  if (from_text) options.text = {};
  catch_interrupts();
  const auto reader = open_table(flags.input, options);
  const auto writer = create_table(flags.output.path,
                                   write_options(flags.table, flags.output, group, flags.threads));
  Index rows = 0;
  std::vector<std::string> dropped;
  for (Table block; reader->read(block, kRowsOfABlock);) {
    stop_if_interrupted();
    rows += block.num_rows();
    drop_others(block, group, keeps, dropped);
    if (block.columns.empty()) {
      throw InvalidData(fmt::format("{}: no column is numeric; write a text format.", flags.input));
    }
    writer->write(block);
    console.progress(fmt::format("{} rows", rows));
  }
  if (rows == 0) throw InvalidData(flags.input + ": there are no rows; add some.");
  writer->close();
  for (const std::string& name : dropped) {
    console.warn(fmt::format("column \"{}\" is left out: this format cannot hold it", name));
  }
  console.info(fmt::format("{}: {} rows", flags.output.path, rows));
  if (console.json) {
    print_json({{"output", flags.output.path}, {"rows", rows}, {"left_out", dropped}});
  }
}

}  // namespace

Verb convert_verb() {
  const auto flags = std::make_shared<ConvertFlags>();
  Verb verb{.name = "convert",
            .description = "write a table in another format",
            .example = "conflux convert cells.csv.gz cells.npz --group batch",
            .run = [flags](const Console& console) { run_convert(*flags, console); }};
  verb.add({{.names = "INPUT",
             .help = "table to read; - is standard input",
             .target = &flags->input,
             .required = true},
            {.names = "OUT",
             .help = "table to write; - is standard output",
             .target = &flags->output.path,
             .required = true}});
  verb.add(output_format_flags(flags->output));
  verb.add({group_flag(flags->group, "column that npz keeps as groups [group]"),
            threads_flag(flags->threads)});
  verb.add(input_flags(flags->table));
  return verb;
}

}  // namespace conflux::app
