#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "columns/measured_scales.h"
#include "conflux/core/error.h"
#include "conflux/dataset/dataset.h"
#include "dataset/array_dataset.h"
#include "dataset/coordinate_dataset.h"
#include "dataset/copied_columns.h"
#include "dataset/data_warnings.h"
#include "dataset/disk_dataset.h"
#include "dataset/feature_options.h"
#include "dataset/group_column.h"
#include "dataset/labels.h"
#include "dataset/numbered_rows.h"
#include "dataset/table_dataset.h"
#include "dataset/table_files.h"
#include "dataset/table_rows.h"
#include "tables/netcdf.h"

namespace conflux {

namespace {

// Columns that keep their spelling: categories, and keys, of which 007 is not 7.
std::vector<std::string> spelled_columns(const ColumnOptions& options) {
  std::vector<std::string> out;
  for (const auto& [name, word] : options.as) {
    if (word == "category") out.push_back(name);
  }
  for (const std::string& kept : options.keep) {
    const std::size_t colon = kept.rfind(":category");
    if (colon != kept.npos) out.push_back(kept.substr(0, colon));
  }
  if (!options.key.empty()) out.push_back(options.key);
  return out;
}

// Columns of tables are what they are found to be.
Dataset read_table(const TableFiles& files, const DatasetHooks& hooks) {
  const DatasetOptions& options = files.options;
  refuse_several_readers(options, hooks);
  const bool large = options.columns.keep.empty() && may_go_to_disk(files, hooks);
  TableRows rows = read_rows(large ? files_of_pool(files) : files, hooks.on_message);
  const ColumnOptions chosen = feature_options(options, rows.table, rows.no_features);
  const NumberedRows numbered(rows, options);
  const Workers workers(options.threads);
  FoundRows found = find_rows(rows.table, numbered.tags(), chosen, workers, hooks.on_message);
  if (large) {
    Columns& columns = found.found.columns;
    auto on_disk = write_to_disk(
        files, rows, numbered.groups, RowSource::kTables,
        static_cast<Index>(columns.features.size()),
        [&](const Table& block) { return columns.coordinates(block, workers); }, hooks.on_message);
    if (on_disk) {
      warn_about_data(columns, numbered.groups.names, hooks.on_message);
      on_disk->groups.set_feature_names(columns.feature_names());
      on_disk->groups.set_measured(measured_scales(columns));
      on_disk->columns = std::move(columns);
      return *std::move(on_disk);
    }
    if (rows.drawn) return read_table(files_in_memory(files), hooks);
  }
  Dataset out = gather_rows(rows.table, numbered.tags(), std::move(found), hooks.on_message);
  const RowTags tags = numbered.tags();
  std::vector<std::string> known = rows.no_features;
  for (const std::string& name : listed_names(options.group)) known.push_back(name);
  out.telling = find_telling_copies(rows.table, out.columns.feature_names(), known, tags.groups,
                                    std::ssize(tags.group_names));
  out.pool = pool_of(rows, numbered.groups.names, out.positions);
  out.positions.clear();
  return out;
}

// Files that state the unit of a variable must state the same one: kelvins and degrees would be
// aligned as if they differed.
void refuse_unlike_units(const DatasetOptions& options) {
  std::map<std::string, std::pair<std::string, std::string>> known;  // unit and file of a variable
  for (const std::string& path : options.paths) {
    if (options.paths.size() < 2 || path == "-") return;
    if (table_format(path, options.table) != "nc") continue;
    for (const auto& [name, unit] : netcdf_units(path)) {
      const auto& [first, file] = known.try_emplace(name, unit, path).first->second;
      if (first == unit) continue;
      throw InvalidData(fmt::format(
          "{} states \"{}\" in {}, but {} in {}; convert one of them, as the maps would take the "
          "units for a difference of the groups.",
          file, name, first, path, unit));
    }
  }
}

}  // namespace

Dataset read_dataset(const DatasetOptions& options, const DatasetHooks& hooks) {
  if (options.paths.empty()) throw InvalidOption("there is no file to read; name one.");
  refuse_unlike_units(options);
  TableFiles files{.options = options, .text = spelled_columns(options.columns)};
  files.components = find_components(options, hooks.on_message);
  // Other numbers beside components, say of a joined table, are no features unless they are named.
  std::vector<std::string>& features = files.options.columns.features;
  if (files.components && features.empty()) features = files.components->names();
  find_group_column(files, hooks);
  refuse_group_as_label(files.options.group, files.options.label);
  const bool plain =
      options.arrays_are_coordinates && options.columns.keep.empty() && are_arrays(options);
  Dataset out = plain ? read_coordinates(files, hooks) : read_table(files, hooks);
  out.group_column = files.options.group;
  out.label_column = files.options.label;
  if (files.components) out.components = *files.components;
  return out;
}

}  // namespace conflux
