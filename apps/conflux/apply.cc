// conflux transform, inverse and translate: rows through a model, in blocks.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <unordered_map>

#include "conflux/core/error.h"
#include "conflux/storage/model_file.h"
#include "conflux/tables/table_groups.h"
#include "conflux/training/log_density.h"
#include "core/stopwatch.h"
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
  bool log_density = false;
  int threads = 0;
};

constexpr const char* kDensityColumn = "log_density";

// A block keeps all threads busy and stays some ten megabytes, however wide the rows are.
constexpr Index kNumbersPerBlock = Index{1} << 21;
constexpr Index kMostRowsPerBlock = Index{1} << 16;

/// Moves the rows of one block; which group a row comes from and goes to is known by name.
class RowMover {
 public:
  RowMover(const Model& model, const ApplyFlags& flags)
      : model_(model), flow_(model.flow), way_(flags.way), workers_(flags.threads) {
    if (!flags.to.empty()) to_ = flow_.group_index(flags.to);
    if (!flags.columns.from.empty()) from_ = flow_.group_index(flags.columns.from);
  }

  void move_all(Rows rows) const { move(from_, rows); }

  /// Log-densities of rows that have not been moved yet.
  std::vector<double> densities_of_all(ConstRows rows) const {
    return log_density(model_, from_, rows, workers_);
  }
  std::vector<double> densities(const std::vector<std::string>& groups, ConstRows rows,
                                const Table& block) const {
    std::vector<double> out(static_cast<std::size_t>(rows.rows()));
    for (const auto& [group, positions] : positions_by_group(groups, block)) {
      const Matrix part = rows.eigen()(positions, Eigen::all);
      const std::vector<double> logs = log_density(model_, group, part, workers_);
      for (std::size_t i = 0; i < logs.size(); ++i) out[positions[i]] = logs[i];
    }
    return out;
  }

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
      throw InvalidData(
          fmt::format("{}: {} A group that the model has not seen is added by conflux add-group.",
                      block.place(row), error.what()));
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

  const Model& model_;
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
    return !feature && !group && column.name != kDensityColumn;
  });
}

// Before any row is read: only DD knows densities, and the new column needs a name of its own.
void check_log_density(const Model& model, const TableSchema& schema, const ApplyFlags& flags) {
  if (!flags.log_density) return;
  const Method method = model.record.options.method;
  if (method != Method::kDd) {
    throw InvalidOption(
        fmt::format("{} was fitted by {}, which has no densities; fit with --method dd, or leave "
                    "out --log-density.",
                    flags.model, name_of(method)));
  }
  for (const ColumnInfo& column : schema) {
    if (column.name != kDensityColumn) continue;
    throw InvalidOption(
        fmt::format("{} has a column \"{}\" already; rename or drop it, or leave out "
                    "--log-density.",
                    flags.input, kDensityColumn));
  }
}

Index move_table(const Model& model, const ApplyFlags& flags, const Console& console) {
  const RowMover mover(model, flags);
  const std::string group_name =
      flags.columns.group.empty() ? model.group_column : flags.columns.group;
  TableOptions options = read_options(flags.table, group_name, flags.threads);
  options.numeric = numeric_columns(model, flags.columns);
  const auto reader = open_table(flags.input, options);
  const ModelColumns columns =
      find_columns(reader->schema(), flags.input, model, flags.columns, mover.needs_group());
  check_log_density(model, reader->schema(), flags);
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
    std::vector<double> densities;
    if (columns.group.empty()) {
      if (flags.log_density) densities = mover.densities_of_all(rows);
      mover.move_all(Rows(rows));
    } else {
      const std::vector<std::string> groups = groups_of_rows(block, columns.group);
      if (flags.log_density) densities = mover.densities(groups, rows, block);
      mover.move(groups, Rows(rows), block);
    }
    std::vector<Index> everywhere(static_cast<std::size_t>(rows.rows()));
    std::iota(everywhere.begin(), everywhere.end(), Index{0});
    put_rows(block, columns.features, everywhere, rows);
    if (flags.log_density) block.add(kDensityColumn, std::move(densities));
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
  if (way == Way::kTransform) {
    verb->add_flag("--log-density", flags->log_density,
                   "dd: add a column log_density, that of each row in its own group");
  } else {
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
  add_threads(*verb, flags->threads);
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
