#include "dataset/coordinate_dataset.h"

#include <algorithm>
#include <utility>

#include "conflux/tables/table_groups.h"
#include "dataset/array_dataset.h"
#include "dataset/disk_dataset.h"
#include "dataset/feature_options.h"
#include "dataset/numbered_rows.h"
#include "dataset/table_rows.h"

namespace conflux {

namespace {

// The columns of the table that are features.
std::vector<std::string> features_among(const TableRows& rows, const DatasetOptions& options) {
  std::vector<std::string> no_features = rows.no_features;
  const std::vector<std::string>& asked = options.columns.features;
  if (rows.table.extras) {
    for (const auto& [name, why] : rows.table.extras->carried) {
      if (std::find(asked.begin(), asked.end(), name) == asked.end()) no_features.push_back(name);
    }
  }
  const ColumnOptions columns = feature_options(options, rows.table, no_features);
  return feature_names(rows.table.schema(),
                       {.group = "", .features = columns.features, .drop = columns.drop},
                       rows.table.source);
}

}  // namespace

bool are_arrays(const DatasetOptions& options) {
  return std::all_of(options.paths.begin(), options.paths.end(), [&](const std::string& path) {
    const std::string format = table_format(path, {.format = options.table.format});
    return format == "npy" || format == "npz" || format == "mat" || format == "idx" ||
           format == "pictures";
  });
}

Dataset read_coordinates(const TableFiles& files, const DatasetHooks& hooks) {
  const DatasetOptions& options = files.options;
  if (options.row_weights.empty()) {
    if (auto mapped = map_arrays(options, hooks)) return *std::move(mapped);
  }
  refuse_several_readers(options, hooks);
  const bool large = may_go_to_disk(files, hooks);
  TableRows rows = read_rows(large ? files_of_pool(files) : files, hooks.on_message);
  const std::vector<std::string> features = features_among(rows, options);
  const NumberedRows numbered(rows, options);
  const std::vector<std::vector<Index>>& positions = numbered.groups.rows;
  if (large) {
    auto on_disk = write_to_disk(
        files, rows, numbered.groups, RowSource::kArrays, static_cast<Index>(features.size()),
        [&](const Table& block) { return features_of(block, features); }, hooks.on_message);
    if (on_disk) {
      on_disk->groups.set_feature_names(features);
      return *std::move(on_disk);
    }
    if (rows.drawn) return read_coordinates(files_in_memory(files), hooks);
  }
  Dataset out;
  add_groups(out.groups, numbered.tags(), features_of_groups(rows.table, features, positions),
             positions);
  out.groups.set_feature_names(features);
  out.pool = pool_of(rows, numbered.groups.names, positions);
  return out;
}

}  // namespace conflux
