// conflux convert: tables from one format to another, in blocks.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "conflux/core/error.h"
#include "conflux/tables/jitter.h"
#include "help.h"
#include "interrupt.h"
#include "table_flags.h"
#include "verbs.h"

namespace conflux::app {

namespace {

struct ConvertFlags {
  std::string input;
  InputFlags table;
  OutputFlags output;
  std::string group;
  std::vector<std::string> jitter;
  std::uint64_t seed = 0;
  int threads = 0;
};

constexpr Index kBlockRows = 65536;

// Text that only binary formats refuse: they hold numbers, and npz the groups.
void drop_text(Table& block, const std::string& group, Keeps keeps,
               std::vector<std::string>& dropped) {
  if (keeps == Keeps::kEverything) return;
  std::erase_if(block.columns, [&](const Column& column) {
    const bool is_group = column.name == group;
    const bool kept = is_group ? keeps == Keeps::kFeaturesAndGroup : column.numeric();
    const bool is_new = std::find(dropped.begin(), dropped.end(), column.name) == dropped.end();
    if (!kept && is_new) dropped.push_back(column.name);
    return !kept;
  });
}

void jitter(Table& table, const ConvertFlags& flags, const Console& console) {
  for (const auto& [name, width] : add_jitter(table, flags.jitter, flags.seed)) {
    console.info(
        width > 0 ? fmt::format("column \"{}\": noise within {:g} on either side", name, width / 2)
                  : fmt::format("column \"{}\": no two values repeat; left as it is", name));
  }
}

void run_convert(const ConvertFlags& flags, const CLI::App& verb, const Console& console) {
  check_standard_output(flags.output, wants_json(verb));
  const std::string group = flags.group.empty() ? "group" : flags.group;
  const Keeps keeps = kept_columns(flags.output);
  TableOptions options = read_options(flags.table, flags.group, flags.threads);
  // From text to text every cell keeps its spelling.
  const std::string from = table_format(flags.input, options);
  const bool from_text = from == "csv" || from == "tsv" || from == "txt";
  if (from_text && keeps == Keeps::kEverything) options.numeric = flags.jitter;
  if (from_text) options.text = {};
  catch_interrupts();
  const auto reader = open_table(flags.input, options);
  const auto writer = create_table(flags.output.path,
                                   write_options(flags.table, flags.output, group, flags.threads));
  Index rows = 0;
  std::vector<std::string> dropped;
  // Which values repeat is known at the end only.
  const Index block_rows = flags.jitter.empty() ? kBlockRows : std::numeric_limits<Index>::max();
  for (Table block; reader->read(block, block_rows);) {
    stop_if_interrupted();
    jitter(block, flags, console);
    rows += block.num_rows();
    drop_text(block, group, keeps, dropped);
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
  if (wants_json(verb)) {
    print_json({{"output", flags.output.path}, {"rows", rows}, {"left_out", dropped}});
  }
}

}  // namespace

void add_convert(CLI::App& root, Console& console) {
  const auto flags = std::make_shared<ConvertFlags>();
  CLI::App* verb = add_verb(
      root, console, "convert", "write a table in another format",
      "conflux convert cells.csv.gz cells.npz --group batch",
      [=, &root, &console] { run_convert(*flags, *root.get_subcommand("convert"), console); });
  verb->add_option("INPUT", flags->input, "table to read; - is standard input")->required();
  verb->add_option("OUT", flags->output.path, "table to write; - is standard output")->required();
  verb->add_option("--output-format", flags->output.format,
                   "format of the output, with .gz or .zst behind it if compressed [by its name]")
      ->type_name("F");
  verb->add_flag("--float32", flags->output.single_precision,
                 "npy and npz: write single precision");
  verb->add_option("--group,--batch-key", flags->group, "column that npz keeps as groups [group]")
      ->type_name("COLUMN");
  add_name_list(*verb, "--jitter", flags->jitter,
                "spread out equal values of these columns by noise, less than their gaps");
  verb->add_option("--seed", flags->seed, "names the stream of the noise [0]")->type_name("N");
  add_threads(*verb, flags->threads);
  add_input_flags(*verb, flags->table);
}

}  // namespace conflux::app
