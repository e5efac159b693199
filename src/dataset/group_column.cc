#include "dataset/group_column.h"

#include <fmt/format.h>

#include "comm/agreement.h"
#include "conflux/core/error.h"
#include "dataset/array_dataset.h"
#include "dataset/joined_table.h"
#include "dataset/name_patterns.h"

namespace conflux {

namespace {

constexpr const char* kDefaultGroup = "group";

std::string group_column_of(const TableFiles& files) {
  const DatasetOptions& options = files.options;
  const std::string& path = options.paths.front();
  // Standard input can be read once, so its column must be the usual one.
  if (path == "-") return kDefaultGroup;
  TableSchema schema = schema_of(path, files);
  if (!options.meta.empty()) {
    const TableSchema more = JoinedTableReader(options.meta, {}, 1).schema();
    // A list beside the rows is there to tell something, and groups come first.
    if (more.size() == 1 && more.front().name != options.label) return more.front().name;
    schema.insert(schema.end(), more.begin(), more.end());
  }
  if (has_column(schema, kDefaultGroup)) return kDefaultGroup;
  std::vector<std::string> names;
  for (const ColumnInfo& column : schema) names.push_back(column.name);
  throw InvalidOption(fmt::format(
      "{}: which column tells the groups? Name it with --group, or give one file per group, "
      "or a table that tells it (--meta). The columns are {}.",
      path, names_text(names)));
}

}  // namespace

void find_group_column(TableFiles& files, const DatasetHooks& hooks) {
  DatasetOptions& options = files.options;
  if (!options.group.empty() || options.paths.size() != 1) return;
  do_together(readers(options, hooks), [&] { options.group = group_column_of(files); });
}

}  // namespace conflux
