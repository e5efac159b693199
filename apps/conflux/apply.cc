// conflux transform, inverse and translate: rows through a model, in blocks.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "conflux/core/error.h"
#include "conflux/storage/model_file.h"
#include "conflux/tables/table_groups.h"
#include "conflux/training/log_density.h"
#include "core/stopwatch.h"
#include "file_checks.h"
#include "model_columns.h"
#include "support/interrupt.h"
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
      : model_(model), way_(flags.way), workers_(flags.threads) {
    if (!flags.to.empty()) to_ = {model.flow.group_index(flags.to)};
    if (!flags.columns.from.empty()) from_ = model.flow.group_index(flags.columns.from);
  }

  bool needs_group() const { return way_ != Way::kInverse || to_.empty(); }

  /// The number of each row's group; a single one if no column tells it.
  std::vector<Index> groups_of(const Table& block, const std::string& column) const {
    if (column.empty()) return {from_};
    std::vector<Index> out;
    std::unordered_map<std::string, Index> known;
    for (const std::string& name : groups_of_rows(block, column)) {
      const auto [found, is_new] = known.try_emplace(name, 0);
      if (is_new) found->second = index_of(name, block, static_cast<Index>(out.size()));
      out.push_back(found->second);
    }
    return out;
  }

  /// Log-densities of rows that have not been moved yet.
  std::vector<double> densities(const Matrix& rows, std::span<const Index> groups) const {
    return log_density(model_, groups, rows, workers_);
  }

  /// Moves rows and puts them into the columns of the block that they came from.
  void move(const Matrix& rows, std::span<const Index> groups,
            const std::vector<std::string>& features, Table& block) const {
    std::vector<double*> columns;
    for (const std::string& name : features) {
      columns.push_back(block.columns[block.find(name)].numbers.data());
    }
    try {
      model_.flow.move(
          {.rows = rows.rows(),
           .cols = rows.cols(),
           .read = [&](Index i, double* out) { std::copy_n(rows.row(i).data(), rows.cols(), out); },
           .write =
               [&](Index i, const double* moved) {
                 for (double* column : columns) column[i] = *moved++;
               }},
          route(groups), nullptr, workers_);
    } catch (const NotFinite& error) {
      throw InvalidData(fmt::format("{}: column \"{}\" is {}; drop the row or correct it.",
                                    block.place(error.row()), features[error.col()],
                                    error.value()));
    }
  }

 private:
  Route route(std::span<const Index> groups) const {
    switch (way_) {
      case Way::kTransform:
        return Route::to_shared(groups);
      case Way::kInverse:
        return Route::from_shared(to_.empty() ? groups : to_);
      case Way::kTranslate:
        return Route::between(groups, to_);
    }
    return {};
  }

  Index index_of(const std::string& group, const Table& block, Index row) const {
    try {
      return model_.flow.group_index(group);
    } catch (const InvalidOption& error) {
      throw InvalidData(
          fmt::format("{}: {} A group that the model has not seen is added by conflux add-group.",
                      block.place(row), error.what()));
    }
  }

  const Model& model_;
  Way way_;
  Workers workers_;
  std::vector<Index> to_;  // empty: each row's own group
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
    const Matrix rows = features_of(block, columns.features);
    const std::vector<Index> groups = mover.groups_of(block, columns.group);
    std::vector<double> densities;
    if (flags.log_density) densities = mover.densities(rows, groups);
    mover.move(rows, groups, columns.features, block);
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

void run_apply(const ApplyFlags& flags, const Console& console) {
  check_standard_output(flags.output, console.json);
  check_model_comes_first(flags.model, flags.input);
  check_output(flags.output.path, FileKind::kTable, {flags.model, flags.input}, flags.output.force);
  const Stopwatch watch;
  const Model model = load_model(flags.model);
  catch_interrupts();
  const Index rows = move_table(model, flags, console);
  console.info(fmt::format("{}: {} rows in {:.2f} s", flags.output.path, rows, watch.seconds()));
  if (console.json) {
    print_json({{"output", flags.output.path}, {"rows", rows}, {"seconds", watch.seconds()}});
  }
}

Verb apply_verb(Way way, const std::string& name, const std::string& description,
                const std::string& example) {
  const auto flags = std::make_shared<ApplyFlags>();
  flags->way = way;
  Verb verb{.name = name,
            .description = description,
            .example = example,
            .run = [flags](const Console& console) { run_apply(*flags, console); }};
  verb.add({{.names = "MODEL",
             .help = "model file that conflux fit wrote",
             .target = &flags->model,
             .required = true},
            {.names = "INPUT",
             .help = "table to read; - is standard input",
             .target = &flags->input,
             .required = true}});
  verb.add(output_flags(flags->output));
  if (way == Way::kTransform) {
    verb.add({.names = "--log-density",
              .help = "dd: add a column log_density, that of each row in its own group",
              .target = &flags->log_density});
  } else {
    verb.add({.names = "--to",
              .value = "GROUP",
              .help = way == Way::kInverse ? "group to go back into [each row's own]"
                                           : "group to look like",
              .target = &flags->to,
              .required = way == Way::kTranslate});
  }
  verb.add({.names = "--from",
            .value = "GROUP",
            .help = "all rows are of this group; no column tells it",
            .target = &flags->columns.from});
  verb.add(column_flags(flags->columns));
  verb.add(threads_flag(flags->threads));
  verb.add(input_flags(flags->table));
  return verb;
}

}  // namespace

Verb transform_verb() {
  return apply_verb(Way::kTransform, "transform", "move rows into the shared space",
                    "conflux transform cells.conflux new_cells.csv -o aligned.csv");
}

Verb inverse_verb() {
  return apply_verb(Way::kInverse, "inverse", "move rows of the shared space into a group",
                    "conflux inverse cells.conflux aligned.csv --to batch2 -o as_batch2.csv");
}

Verb translate_verb() {
  return apply_verb(Way::kTranslate, "translate", "show rows of any group as if of another",
                    "conflux translate cells.conflux cells.csv --to batch2 -o as_batch2.csv");
}

}  // namespace conflux::app
