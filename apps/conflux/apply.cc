// conflux transform, inverse and translate: rows through a model, in blocks.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <unordered_map>

#include "conflux/core/error.h"
#include "conflux/core/stopwatch.h"
#include "conflux/data/table_groups.h"
#include "conflux/io/model_file.h"
#include "help.h"
#include "interrupt.h"
#include "model_columns.h"
#include "table_flags.h"
#include "verbs.h"

namespace conflux::app {

namespace {

enum class Way { kTransform, kInverse, kTranslate };

struct ApplyFlags {
  Way way = Way::kTransform;
  std::string model;
  std::string input;
  InputFlags table;
  OutputFlags output;
  ColumnFlags columns;
  std::string to;
  int threads = 0;
};

// A block keeps all threads busy and stays some ten megabytes, however wide the rows are.
constexpr Index kNumbersPerBlock = Index{1} << 21;
constexpr Index kMostRowsPerBlock = Index{1} << 16;

/// Moves the rows of one block; which group a row comes from and goes to is known by name.
class RowMover {
 public:
  RowMover(const Flow& flow, const ApplyFlags& flags)
      : flow_(flow), way_(flags.way), workers_(flags.threads) {
    if (!flags.to.empty()) to_ = flow.group_index(flags.to);
    if (!flags.columns.from.empty()) from_ = flow.group_index(flags.columns.from);
  }

  void move_all(Rows rows) const { move(from_, rows); }

  /// Rows of each group are gathered, moved together, and put back in their places.
  void move(const std::vector<std::string>& groups, Rows rows, const Table& block) const {
    for (const auto& [group, positions] : positions_by_group(groups, block)) {
      Matrix part(static_cast<Index>(positions.size()), rows.cols());
      for (Index i = 0; i < part.rows(); ++i) part.row(i) = rows.eigen().row(positions[i]);
      move(group, Rows(part));
      for (Index i = 0; i < part.rows(); ++i) rows.eigen().row(positions[i]) = part.row(i);
    }
  }

  bool needs_group() const { return way_ != Way::kInverse || to_ < 0; }

 private:
  using Positions = std::vector<std::pair<Index, std::vector<Index>>>;

  Positions positions_by_group(const std::vector<std::string>& groups, const Table& block) const {
    Positions out;
    std::unordered_map<std::string, std::size_t> known;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const auto [found, is_new] = known.try_emplace(groups[i], out.size());
      if (is_new) out.emplace_back(index_of(groups[i], block, static_cast<Index>(i)), 0);
      out[found->second].second.push_back(static_cast<Index>(i));
    }
    return out;
  }

  Index index_of(const std::string& group, const Table& block, Index row) const {
    try {
      return flow_.group_index(group);
    } catch (const InvalidOption& error) {
      throw InvalidData(fmt::format(
          "{}: row {}: {} A group that the model has not seen is added by conflux add-group.",
          block.source, block.first_row + row + 1, error.what()));
    }
  }

  void move(Index group, Rows rows) const {
    switch (way_) {
      case Way::kTransform:
        return flow_.forward_in_place(group, rows, nullptr, workers_);
      case Way::kInverse:
        return flow_.inverse_in_place(to_ >= 0 ? to_ : group, rows, nullptr, workers_);
      case Way::kTranslate:
        return flow_.translate_in_place(group, to_, rows, nullptr, workers_);
    }
  }

  const Flow& flow_;
  Way way_;
  Workers workers_;
  Index to_ = -1;
  Index from_ = 0;
};

/// The columns that the output can hold, in their order.
void keep_columns(Table& block, const ModelColumns& columns, Keeps keeps) {
  if (keeps == Keeps::kEverything) return;
  std::erase_if(block.columns, [&](const Column& column) {
    const bool feature = std::find(columns.features.begin(), columns.features.end(), column.name) !=
                         columns.features.end();
    const bool group = keeps == Keeps::kFeaturesAndGroup && column.name == columns.group;
    return !feature && !group;
  });
}

Index move_table(const Model& model, const ApplyFlags& flags, const Console& console) {
  const RowMover mover(model.flow, flags);
  const std::string group_name =
      flags.columns.group.empty() ? model.group_column : flags.columns.group;
  TableOptions options = read_options(flags.table, group_name, flags.threads);
  options.numeric = numeric_columns(model, flags.columns);
  const auto reader = open_table(flags.input, options);
  const ModelColumns columns =
      find_columns(reader->schema(), flags.input, model, flags.columns, mover.needs_group());
  const auto writer = create_table(
      flags.output.path, write_options(flags.table, flags.output, columns.group, flags.threads));
  const Keeps keeps = kept_columns(flags.output);
  const Index block_rows =
      std::clamp<Index>(kNumbersPerBlock / model.flow.dim(), 1024, kMostRowsPerBlock);
  const Stopwatch watch;
  Index rows_done = 0;
  for (Table block; reader->read(block, block_rows);) {
    stop_if_interrupted();
    Matrix rows = features_of(block, columns.features);
    if (columns.group.empty()) {
      mover.move_all(Rows(rows));
    } else {
      mover.move(groups_of_rows(block, columns.group), Rows(rows), block);
    }
    std::vector<Index> everywhere(static_cast<std::size_t>(rows.rows()));
    std::iota(everywhere.begin(), everywhere.end(), Index{0});
    put_rows(block, columns.features, everywhere, rows);
    keep_columns(block, columns, keeps);
    writer->write(block);
    rows_done += rows.rows();
    console.progress(fmt::format("{} rows  {:.0f} rows/s", rows_done,
                                 static_cast<double>(rows_done) / watch.seconds()));
  }
  if (rows_done == 0) throw InvalidData(flags.input + ": there are no rows; add some.");
  writer->close();
  return rows_done;
}

void run_apply(const ApplyFlags& flags, const CLI::App& verb, const Console& console) {
  check_standard_output(flags.output, wants_json(verb));
  const Stopwatch watch;
  const Model model = load_model(flags.model);
  catch_interrupts();
  const Index rows = move_table(model, flags, console);
  console.info(fmt::format("{}: {} rows in {:.2f} s", flags.output.path, rows, watch.seconds()));
  if (wants_json(verb)) {
    print_json({{"output", flags.output.path}, {"rows", rows}, {"seconds", watch.seconds()}});
  }
}

CLI::App* add_apply(CLI::App& root, Console& console, Way way, const std::string& name,
                    const std::string& description, const std::string& example) {
  const auto flags = std::make_shared<ApplyFlags>();
  flags->way = way;
  CLI::App* verb = add_verb(
      root, console, name, description, example,
      [flags, &root, name, &console] { run_apply(*flags, *root.get_subcommand(name), console); });
  verb->add_option("MODEL", flags->model, "model file that conflux fit wrote")->required();
  verb->add_option("INPUT", flags->input, "table to read; - is standard input")->required();
  add_output_flags(*verb, flags->output);
  if (way != Way::kTransform) {
    CLI::Option* to = verb->add_option(
        "--to", flags->to,
        way == Way::kInverse ? "group to go back into [each row's own]" : "group to look like");
    to->type_name("GROUP")->required(way == Way::kTranslate);
  }
  verb->add_option("--from", flags->columns.from, "all rows are of this group; no column tells it")
      ->type_name("GROUP");
  verb->add_option("--group,--batch-key", flags->columns.group,
                   "column that tells the groups [as when fitting]")
      ->type_name("COLUMN");
  add_name_list(*verb, "--features", flags->columns.features,
                "columns of the features, in their order [as when fitting]");
  verb->add_option("-j,--threads", flags->threads, "threads to use; 0 uses every core [0]")
      ->type_name("N")
      ->check(quiet(CLI::Range(0, 4096)));
  add_input_flags(*verb, flags->table);
  return verb;
}

}  // namespace

void add_transform(CLI::App& root, Console& console) {
  add_apply(root, console, Way::kTransform, "transform", "move rows into the shared space",
            "conflux transform cells.conflux new_cells.csv -o aligned.csv");
}

void add_inverse(CLI::App& root, Console& console) {
  add_apply(root, console, Way::kInverse, "inverse", "move rows of the shared space into a group",
            "conflux inverse cells.conflux aligned.csv --to batch2 -o as_batch2.csv");
}

void add_translate(CLI::App& root, Console& console) {
  add_apply(root, console, Way::kTranslate, "translate", "show rows of any group as if of another",
            "conflux translate cells.conflux cells.csv --to batch2 -o as_batch2.csv");
}

}  // namespace conflux::app
