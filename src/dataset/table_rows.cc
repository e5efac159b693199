#include "dataset/table_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>

#include "conflux/core/error.h"
#include "core/stop.h"
#include "core/stopwatch.h"
#include "dataset/joined_table.h"
#include "dataset/labels.h"
#include "dataset/memory_limit.h"
#include "dataset/messages.h"
#include "dataset/name_patterns.h"
#include "dataset/row_conditions.h"
#include "dataset/row_draw.h"

namespace conflux {

namespace {

// Bytes of files beyond which rows that are not fitted are not kept.
constexpr std::uintmax_t kLargeFiles = 32'000'000;

// Columns that tell groups, labels and conditions, as they are spelled.
std::vector<std::string> telling_columns(const DatasetOptions& options) {
  std::vector<std::string> out = listed_names(options.group);
  for (const std::string& label : label_columns(options.label)) out.push_back(label);
  for (const std::string& name : spelled_in(options.where)) out.push_back(name);
  return out;
}

std::vector<std::string> spelled_columns(const TableFiles& files) {
  std::vector<std::string> out = telling_columns(files.options);
  out.insert(out.end(), files.text.begin(), files.text.end());
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::unique_ptr<TableReader> open_file(const std::string& path, const TableFiles& files,
                                       const MessageCallback& on_message) {
  const DatasetOptions& options = files.options;
  // With a joined table the groups are usually there; an array of groups is not read then.
  TableOptions reading = reading_options(options, options.meta.empty() ? options.group : "");
  reading.text = spelled_columns(files);
  if ((!options.meta.empty() && path != "-") || may_lack_label(options, path)) {
    // Columns of the rows themselves, or of the table that is joined to them.
    TableOptions names = reading_options(options, reading.group);
    names.numeric.emplace();
    keep_columns_of(open_rows(path, names, files.components.get())->schema(), reading.text);
  }
  auto out = open_rows(path, reading, files.components.get());
  for (const std::string& note : out->notes()) inform(on_message, note);
  return out;
}

// Reads in blocks only when there is a limit: the types of text columns cost a second pass then.
Table read_within_limit(TableReader& reader, double max_memory) {
  if (max_memory <= 0) return reader.read_rest();
  Table table;
  for (Table block; reader.read(block, kRowsOfABlock);) {
    if (table.columns.empty()) {
      table = std::move(block);
    } else {
      table.append(block);
    }
    check_memory(memory_of_table(table.num_rows(), table.num_columns()), max_memory);
  }
  if (!table.columns.empty()) return table;
  for (const ColumnInfo& column : reader.schema()) {
    table.columns.push_back({column.name, column.type, {}, {}});
  }
  return table;
}

void add_empty_labels(Table& table, const DatasetOptions& options, const std::string& path) {
  if (!may_lack_label(options, path)) return;
  for (const std::string& label : label_columns(options.label)) {
    if (table.has(label)) continue;
    table.columns.push_back({label,
                             ColumnType::kText,
                             {},
                             std::vector<std::string>(static_cast<std::size_t>(table.num_rows()))});
  }
}

Table read_file(const std::string& path, const TableFiles& files,
                const MessageCallback& on_message) {
  const Stopwatch watch;
  Table table = read_within_limit(*open_file(path, files, on_message), files.options.max_memory);
  if (table.source.empty()) table.source = path;
  add_empty_labels(table, files.options, path);
  detail(on_message, fmt::format("read {}: {} rows, {} columns, {:.2f} s", path, table.num_rows(),
                                 table.num_columns(), watch.seconds()));
  return table;
}

// Columns that tell groups, labels and conditions, and no features.
std::vector<std::string> columns_besides(const TableFiles& files) {
  const DatasetOptions& options = files.options;
  std::vector<std::string> out = spelled_columns(files);
  std::erase_if(out, [&](const std::string& name) {
    return std::find(files.text.begin(), files.text.end(), name) != files.text.end();
  });
  if (!options.meta_key.empty()) out.push_back(key_of_rows(options.meta_key));
  if (!options.row_weights.empty()) out.push_back(options.row_weights);
  for (const std::string& name : condition_columns(options.where)) {
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  }
  return out;
}

// The groups of the rows of one file.
std::vector<std::string> groups_of_file(const Table& table, const std::string& path,
                                        const DatasetOptions& options) {
  if (options.group.empty()) {
    return {static_cast<std::size_t>(table.num_rows()), renamed(stem_of(path), options.rename)};
  }
  std::vector<std::string> out = groups_from_columns(table, options.group);
  for (std::string& group : out) group = renamed(group, options.rename);
  return out;
}

void refuse_files_called_alike(const DatasetOptions& options) {
  std::set<std::string> stems;
  for (const std::string& path : options.paths) {
    const std::string stem = stem_of(path);
    if (!options.group.empty() || stems.insert(stem).second) continue;
    throw InvalidOption(fmt::format(
        "two files are called \"{}\", and groups are called by their files; rename one.", stem));
  }
}

void refuse_absent_labels(const Table& table, const DatasetOptions& options) {
  if (!may_lack_label(options, "") || !has_columns(table, options.label)) return;
  const std::vector<std::string> labels = labels_of_rows(table, options.label);
  if (std::any_of(labels.begin(), labels.end(), [](const auto& each) { return !each.empty(); })) {
    return;
  }
  throw InvalidOption(fmt::format(
      "no file has a \"{}\" in any of its rows; name a column of labels that one of them has, or "
      "leave --label out.",
      options.label));
}

TableRows read_whole(const TableFiles& files, const MessageCallback& on_message) {
  const DatasetOptions& options = files.options;
  TableRows out;
  for (const std::string& path : options.paths) {
    Table table = read_file(path, files, on_message);
    if (options.group.empty()) {
      const std::vector<std::string> groups = groups_of_file(table, path, options);
      out.groups.insert(out.groups.end(), groups.begin(), groups.end());
    }
    if (out.table.columns.empty()) {
      out.table = std::move(table);
    } else {
      append_rows(out.table, std::move(table));
    }
  }
  if (!options.meta.empty()) {
    const JoinedTable meta(options.meta, options.meta_key, {.text = spelled_columns(files)},
                           options.threads);
    meta.check_rows(out.table.num_rows(), out.table.source);
    const std::vector<std::string> own = out.table.names();
    meta.join(out.table, 0);
    for (const std::string& name : out.table.names()) {
      if (std::find(own.begin(), own.end(), name) == own.end()) out.joined.push_back(name);
    }
  }
  if (!options.group.empty()) out.groups = groups_of_file(out.table, "", options);
  if (!options.where.empty()) keep_rows(out, rows_where(out.table, options.where));
  return out;
}

// Only what is read once and from its beginning can be thrown away while it is read, and small
// tables are read sooner at once.
bool is_drawn_while_read(const DatasetOptions& options) {
  if (options.fit_rows.all() || !options.where.empty() || !options.meta.empty()) return false;
  if (options.max_memory > 0) return true;
  std::uintmax_t bytes = 0;
  for (const std::string& path : options.paths) {
    std::error_code unknown;
    const std::uintmax_t size = std::filesystem::file_size(path, unknown);
    if (!unknown) bytes += size;
  }
  return bytes >= kLargeFiles;
}

TableRows read_drawn(const TableFiles& files, const MessageCallback& on_message) {
  RowDraw draw(files.options);
  if (!is_drawn_while_read(files.options)) {
    draw.add(read_whole(files, on_message));
    return draw.finish();
  }
  read_blocks(files, on_message, [&](TableRows block) {
    draw.add(std::move(block));
    check_memory(draw.memory(), files.options.max_memory);
  });
  return draw.finish();
}

}  // namespace

NumberedGroups TableRows::take_groups() {
  return NumberedGroups(std::exchange(groups, {}),
                        drawn ? drawn->groups : std::vector<std::string>());
}

void keep_rows(TableRows& rows, const std::vector<Index>& kept) {
  std::vector<std::string> groups;
  std::vector<char> fitted;
  for (const Index i : kept) {
    groups.push_back(std::move(rows.groups[static_cast<std::size_t>(i)]));
    if (rows.drawn) fitted.push_back(rows.drawn->fitted[static_cast<std::size_t>(i)]);
  }
  const std::string source = rows.table.source;
  rows.table = rows.table.rows(kept);
  rows.table.source = source;
  rows.groups = std::move(groups);
  if (rows.drawn) rows.drawn->fitted = std::move(fitted);
}

void read_blocks(const TableFiles& files, const MessageCallback& on_message,
                 const std::function<void(TableRows block)>& use) {
  Index rows = 0;
  for (const std::string& path : files.options.paths) {
    const auto reader = open_file(path, files, on_message);
    for (Table block; reader->read(block, kRowsOfABlock);) {
      throw_if_stopped();
      if (block.source.empty()) block.source = path;
      add_empty_labels(block, files.options, path);
      rows += block.num_rows();
      show_progress(on_message, fmt::format("{} rows", rows));
      std::vector<std::string> groups = groups_of_file(block, path, files.options);
      use({.table = std::move(block), .groups = std::move(groups)});
      block = Table();
    }
  }
}

TableRows read_rows(const TableFiles& files, const MessageCallback& on_message) {
  const DatasetOptions& options = files.options;
  refuse_files_called_alike(options);
  TableRows out =
      options.fit_rows.all() ? read_whole(files, on_message) : read_drawn(files, on_message);
  out.no_features = columns_besides(files);
  for (const std::string& name : out.joined) {
    if (options.columns.features.empty()) out.no_features.push_back(name);
  }
  refuse_absent_labels(out.table, options);
  if (out.table.num_rows() == 0) {
    throw InvalidData(fmt::format("{}: there are no rows; add some.", out.table.source));
  }
  if (!options.group.empty()) {
    const std::set<std::string> different(out.groups.begin(), out.groups.end());
    refuse_single_rows(different.size(), out.groups.size(), out.table.source, options.group);
  }
  return out;
}

std::optional<Pool> pool_of(const TableRows& rows, const std::vector<std::string>& groups,
                            const std::vector<std::vector<Index>>& positions) {
  if (!rows.drawn) return std::nullopt;
  const DrawnRows& drawn = *rows.drawn;
  Pool out;
  for (std::size_t m = 0; m < groups.size(); ++m) {
    const auto known = std::find(drawn.groups.begin(), drawn.groups.end(), groups[m]);
    out.sizes.push_back(drawn.sizes[static_cast<std::size_t>(known - drawn.groups.begin())]);
    auto& fitted = out.fitted.emplace_back();
    auto& next = out.next.emplace_back();
    for (std::size_t i = 0; i < positions[m].size(); ++i) {
      const bool is_fitted = drawn.fitted[static_cast<std::size_t>(positions[m][i])] != 0;
      (is_fitted ? fitted : next).push_back(static_cast<Index>(i));
    }
  }
  return out;
}

bool may_lack_label(const DatasetOptions& options, const std::string& path) {
  return !options.label.empty() && options.group.empty() && options.meta.empty() &&
         options.paths.size() > 1 && path != "-";
}

}  // namespace conflux
