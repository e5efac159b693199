#include "apply.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>

#include "conflux/core/error.h"
#include "conflux/tables/table_groups.h"
#include "core/stopwatch.h"
#include "judging/new_rows.h"
#include "options/option_table.h"
#include "output_files.h"
#include "processes.h"
#include "support/interrupt.h"
#include "tables/npy.h"
#include "tables/number_text.h"

namespace conflux::app {

namespace {

constexpr const char* kDensityColumn = "log_density";
constexpr const char* kGroupColumn = "group";

// A block keeps all threads busy and stays some ten megabytes, however wide the rows are.
constexpr Index kNumbersPerBlock = Index{1} << 21;
constexpr Index kMostRowsPerBlock = Index{1} << 16;
// Rows that a warning names.
constexpr std::size_t kMostPlaces = 5;

/// The columns that the output can hold, in their order.
void keep_columns(Table& block, const ModelColumns& columns, Keeps keeps) {
  if (keeps == Keeps::kEverything) return;
  std::erase_if(block.columns, [&](const Column& column) {
    if (keeps == Keeps::kNumbers) return !column.numeric();
    const bool feature = std::find(columns.features.begin(), columns.features.end(), column.name) !=
                         columns.features.end();
    const bool group = keeps == Keeps::kFeaturesAndGroup &&
                       (column.name == columns.group || column.name == kGroupColumn);
    return !feature && !group && column.name != kDensityColumn;
  });
}

// Before any row is read: only models of dd have densities, and the new column needs a name of its
// own.
void check_log_density(const Model& model, const TableSchema& schema, const std::string& input,
                       const ApplyFlags& flags) {
  if (!flags.log_density) return;
  const Method method = model.record.options.method;
  if (!method_info(method).to_uniform) {
    throw InvalidOption(fmt::format(
        "{} was fitted by {}, which has no densities; fit with --method dd, or leave out "
        "--log-density.",
        flags.model, name_of(method)));
  }
  for (const Feature& feature : model.columns.features) {
    if (feature.kind == FeatureKind::kNumber) continue;
    throw InvalidOption(
        fmt::format("column \"{}\" has values that repeat, which have no density; fit with --as "
                    "{}=number, or leave out --log-density.",
                    feature.name, feature.name));
  }
  for (const ColumnInfo& column : schema) {
    if (column.name != kDensityColumn) continue;
    throw InvalidOption(
        fmt::format("{} has a column \"{}\" already; rename or drop it, or leave out "
                    "--log-density.",
                    input, kDensityColumn));
  }
}

// A category that the fit has not seen is carried as a text, for which arrays have no room.
void refuse_text_in_arrays(const Table& block, const ModelColumns& columns,
                           const OutputFlags& output) {
  for (const std::string& name : columns.features) {
    const Column& column = block[name];
    if (column.numeric()) continue;
    for (Index i = 0; i < block.num_rows(); ++i) {
      double ignored = 0;
      if (is_missing(column.text[i]) || parse_number(column.text[i], ignored)) continue;
      throw InvalidData(fmt::format(
          "{}, column \"{}\": \"{}\" is a text, and {} holds numbers only; write a .csv file, or "
          "fit again with rows that have it, or with --as {}=ignore.",
          block.place(i), name, column.text[i], output.path, name));
    }
  }
}

/// Renames the features of a block to the names of the model, and back again.
class KnownNames {
 public:
  KnownNames(Table& block, const ModelColumns& columns, const std::vector<std::string>& known)
      : block_(block), columns_(columns) {
    for (std::size_t j = 0; j < known.size(); ++j)
      places_.push_back(block.find(columns.features[j]));
    for (std::size_t j = 0; j < known.size(); ++j) block.columns[places_[j]].name = known[j];
  }
  ~KnownNames() {
    for (std::size_t j = 0; j < places_.size(); ++j) {
      block_.columns[places_[j]].name = columns_.features[j];
    }
  }
  KnownNames(const KnownNames&) = delete;
  KnownNames& operator=(const KnownNames&) = delete;

 private:
  Table& block_;
  const ModelColumns& columns_;
  std::vector<Index> places_;
};

void move_block(const Model& model, const RowMover& mover, const ModelColumns& columns,
                std::span<const Index> groups, bool log_density, Table& block) {
  if (!model.columns.empty()) {
    std::vector<double> logs;
    {
      const KnownNames names(block, columns, model.columns.feature_names());
      if (log_density) logs = mover.densities_of_values(block, groups);
      mover.move_values(block, groups);
    }
    if (log_density) block.add(kDensityColumn, std::move(logs));
    return;
  }
  const Matrix rows = features_of(block, columns.features);
  std::vector<double> densities;
  if (log_density) densities = mover.densities(rows, groups);
  mover.move(rows, groups, columns.features, block);
  if (log_density) block.add(kDensityColumn, std::move(densities));
}

/// Puts genes, corrected through their moved components, in the place of these; returns their
/// names.
std::vector<std::string> show_expression(const Model& model, const ProjectedReader& reader,
                                         const Workers& workers, Table& block) {
  const Components& components = model.components;
  const std::vector<std::string> names = components.names();
  const Matrix genes = components.corrected(reader.last_rows(), reader.last_scores(),
                                            features_of(block, names), workers);
  std::erase_if(block.columns, [&](const Column& column) {
    return std::find(names.begin(), names.end(), column.name) != names.end();
  });
  std::vector<Column> columns;
  for (Index j = 0; j < genes.cols(); ++j) {
    Column& column = columns.emplace_back();
    column.name = components.genes[j];
    column.numbers.assign(genes.col(j).begin(), genes.col(j).end());
  }
  block.columns.insert(block.columns.begin(), std::make_move_iterator(columns.begin()),
                       std::make_move_iterator(columns.end()));
  return components.genes;
}

// Rows of a file that another process moves.
Index count_rows(const std::string& path, const InputFlags& flags) {
  if (table_format(path, {.format = flags.format}) == "npy") {
    try {
      return map_npy(path).rows();
    } catch (const InvalidData&) {  // columns instead of rows, or compressed
    }
  }
  TableOptions options = read_options(flags, "", 1);
  options.numeric.emplace();
  const auto reader = open_table(path, options);
  Index rows = 0;
  for (Table block; reader->read(block, kRowsOfABlock);) rows += block.num_rows();
  return rows;
}

/// Moves files one after the other into one table.
class TableFlow {
 public:
  TableFlow(const Model& model, const ApplyFlags& flags, const Console& console)
      : model_(model),
        flags_(flags),
        console_(console),
        workers_(flags.threads),
        mover_(model, flags.direction, flags.to, flags.threads) {}

  MovedRows move_all() {
    for (const std::string& input : flags_.inputs) move_file(input);
    if (rows_ == 0) {
      throw InvalidData(flags_.inputs.front() + ": there are no rows; add some.");
    }
    writer_->close();
    if (!mover_.inexact_rows().empty() && flags_.direction == Direction::kToShared) {
      const std::vector<std::string>& places = mover_.inexact_rows();
      const std::size_t shown = std::min(places.size(), kMostPlaces);
      console_.warn(fmt::format(
          "{} of {} rows have missing cells where the maps jump, and conflux inverse returns them "
          "nearly, not exactly: {}{}",
          places.size(), rows_, fmt::join(std::span(places).first(shown), "; "),
          places.size() > shown ? "; ..." : ""));
    }
    if (const std::string far = far_.warning(model_.feature_names); !far.empty()) {
      console_.warn(far);
    }
    return {rows_, static_cast<Index>(mover_.inexact_rows().size())};
  }

 private:
  /// Warns if the first rows of a table are far outside the range of the fit.
  void look_how_far(Table& block, const ModelColumns& columns) {
    const bool shared = flags_.direction == Direction::kFromShared;
    if (shared || far_.rows() >= FarRows::kEnough || model_.record.summary.reach_low.empty())
      return;
    if (model_.columns.empty()) {
      far_.add(model_.record.summary, features_of(block, columns.features));
      return;
    }
    const KnownNames names(block, columns, model_.columns.feature_names());
    far_.add(model_.record.summary, model_.columns.coordinates(block, workers_));
  }

  void move_file(const std::string& input) {
    const ModelReader reader(input, model_, read_options(flags_.table, "", flags_.threads),
                             flags_.columns,
                             {.shared = flags_.direction == Direction::kFromShared,
                              .needs_group = mover_.needs_group(),
                              .rows_before = flags_.rows_before + rows_});
    ModelColumns columns = reader.columns();
    const std::vector<std::string> moved = columns.features;
    for (const std::string& note : reader.notes()) console_.info(note);
    check_log_density(model_, reader.schema(), input, flags_);
    check_expression(reader, input);
    // Files that are groups become one table, which then needs a column of groups.
    const bool tell = flags_.inputs.size() > 1 && columns.group.empty();
    if (!writer_) {
      const std::string group = tell ? kGroupColumn : columns.group;
      writer_ = create_table(flags_.output.path,
                             write_options(flags_.table, flags_.output, group, flags_.threads));
      is_copy_ = table_format(flags_.output.path, {.format = flags_.output.format}) == "h5ad";
    }
    const Keeps keeps = kept_columns(flags_.output);
    if (tell && keeps == Keeps::kNumbers) {
      throw InvalidOption(fmt::format(
          "{} would hold the rows of {} files without telling them apart; name a folder with -o, "
          "and each file gets its own there.",
          flags_.output.path, flags_.inputs.size()));
    }
    for (Table block; reader.read(block, block_rows(reader));) {
      stop_if_interrupted();
      const std::vector<Index> groups = reader.groups_of(block);
      if (flags_.direction) {
        columns.features = moved;
        look_how_far(block, columns);
        move_block(model_, mover_, columns, groups, flags_.log_density, block);
      }
      if (flags_.expression) {
        columns.features = show_expression(model_, *reader.projected(), workers_, block);
      }
      if (is_copy_) reader.drop_joined(block);
      if (tell) add_group_column(block, groups);
      keep_columns(block, columns, keeps);
      if (keeps != Keeps::kEverything) refuse_text_in_arrays(block, columns, flags_.output);
      writer_->write(block);
      rows_ += block.num_rows();
      console_.progress(fmt::format("{} rows  {:.0f} rows/s", rows_,
                                    static_cast<double>(rows_) / watch_.seconds()));
    }
    if (flags_.are_last && &input == &flags_.inputs.back()) reader.check_end();
    reader.warn_about_new_categories(shown_on(console_));
  }

  void check_expression(const ModelReader& reader, const std::string& input) const {
    if (!flags_.expression || reader.projected() != nullptr) return;
    throw InvalidOption(fmt::format(
        "{}: --expression is for models of components (fit --pca) and tables of genes; leave it "
        "out.",
        input));
  }

  // Genes are wider than the components that move.
  Index block_rows(const ModelReader& reader) const {
    const auto fitting = [](Index width, Index least, Index most) {
      return std::clamp<Index>(kNumbersPerBlock / width, least, most);
    };
    if (reader.projected() == nullptr) return fitting(model_.flow.dim(), 1024, kMostRowsPerBlock);
    const auto genes = static_cast<Index>(model_.components.genes.size());
    return flags_.expression ? fitting(genes, 16, 4096) : 4096;
  }

  void add_group_column(Table& block, const std::vector<Index>& groups) const {
    if (block.has(kGroupColumn)) return;
    std::vector<std::string> names;
    names.reserve(groups.size());
    for (const Index group : groups) {
      names.push_back(group < 0 ? "" : model_.flow.group_names()[static_cast<std::size_t>(group)]);
    }
    block.add(kGroupColumn, std::move(names));
  }

  const Model& model_;
  const ApplyFlags& flags_;
  const Console& console_;
  Workers workers_;
  RowMover mover_;
  // Whether the output is a copy of the input with other features.
  bool is_copy_ = false;
  std::unique_ptr<TableWriter> writer_;
  Stopwatch watch_;
  Index rows_ = 0;
  FarRows far_;
};

}  // namespace

MovedRows move_tables(const Model& model, const ApplyFlags& flags, const Console& console) {
  if (!goes_to_folder(flags.output)) return TableFlow(model, flags, console).move_all();
  const Communicator& comm = processes();
  const auto step = static_cast<std::size_t>(comm.size());
  // Rows of a joined table are in the order of those of all files.
  const bool counted = !flags.columns.meta.empty() && flags.columns.meta_key.empty();
  MovedRows out;
  Index before = 0;
  for (std::size_t i = 0; i < flags.inputs.size(); ++i) {
    const std::string& input = flags.inputs[i];
    if (i % step != static_cast<std::size_t>(comm.rank())) {
      if (counted) before += count_rows(input, flags.table);
      continue;
    }
    ApplyFlags one = flags;
    one.inputs = {input};
    one.rows_before = before;
    one.are_last = i + 1 == flags.inputs.size();
    one.output.path = file_in_folder(flags.output, input);
    if (becomes_pictures(flags.output, input)) one.output.format = "pictures";
    const MovedRows moved = TableFlow(model, one, console).move_all();
    out.rows += moved.rows;
    out.inexact += moved.inexact;
    before += moved.rows;
  }
  return out;
}

Index move_table(const Model& model, TableRows tagged, const ApplyFlags& flags,
                 const Console& console) {
  ModelColumns columns{.features = model.feature_names, .group = model.group_column};
  std::vector<Index> groups;
  for (const std::string& name : tagged.groups) groups.push_back(model.flow.group_index(name));
  const RowMover mover(model, flags.direction, flags.to, flags.threads);
  console.progress(fmt::format("moving {} rows", tagged.table.num_rows()));
  if (flags.direction) move_block(model, mover, columns, groups, false, tagged.table);
  keep_columns(tagged.table, columns, kept_columns(flags.output));
  const auto writer = create_table(
      flags.output.path, write_options(flags.table, flags.output, columns.group, flags.threads));
  writer->write(tagged.table);
  writer->close();
  return tagged.table.num_rows();
}

}  // namespace conflux::app
