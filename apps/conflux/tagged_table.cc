#include "tagged_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <unordered_map>

#include "conflux/core/error.h"
#include "conflux/tables/table_groups.h"
#include "core/nearest_name.h"
#include "core/stopwatch.h"
#include "grouped_input.h"

namespace conflux::app {

namespace {

constexpr Index kBlockRows = 65536;

// The new name if the old one fits. A star stands for any text, and in the new name for the same.
std::optional<std::string> matched(const std::string& from, std::string to,
                                   const std::string& name) {
  const std::size_t star = from.find('*');
  if (star == from.npos) return from == name ? std::optional(to) : std::nullopt;
  const std::string before = from.substr(0, star), behind = from.substr(star + 1);
  const bool fits = name.size() >= before.size() + behind.size() && name.starts_with(before) &&
                    name.ends_with(behind);
  if (!fits) return std::nullopt;
  const std::size_t place = to.find('*');
  if (place == to.npos) return to;
  return to.replace(place, 1, name.substr(star, name.size() - before.size() - behind.size()));
}

std::pair<std::string, std::string> parse_condition(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InvalidOption(
        fmt::format("the condition is \"{}\"; write COLUMN=VALUE, say type=control.", text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void keep_existing(std::vector<std::string>& names, const TableSchema& schema) {
  std::erase_if(names, [&](const std::string& name) {
    return std::none_of(schema.begin(), schema.end(),
                        [&](const ColumnInfo& column) { return column.name == name; });
  });
}

// Columns of the rows themselves, or of the table that is joined to them.
TableOptions options_for(const std::string& path, const TaggedTableFlags& flags,
                         std::vector<std::string> text) {
  // Who joins a table has the groups there, as a rule; an array of them is not asked for then.
  const std::string group = flags.meta.empty() ? flags.group : "";
  TableOptions options = read_options(flags.table, group, flags.threads);
  if (!flags.meta.empty() && path != "-") {
    TableOptions names = options;
    names.numeric.emplace();
    keep_existing(text, open_table(path, names)->schema());
  }
  options.text = std::move(text);
  return options;
}

// Reads in blocks only when there is a limit: the types of text columns cost a second pass then.
Table read_within(const std::string& path, const TaggedTableFlags& flags,
                  const std::vector<std::string>& text, const Console& console) {
  const auto reader = open_table(path, options_for(path, flags, text));
  for (const std::string& note : reader->notes()) console.info(note);
  if (flags.max_memory <= 0) return reader->read_rest();
  Table table;
  for (Table block; reader->read(block, kBlockRows);) {
    if (table.columns.empty()) {
      table = std::move(block);
    } else {
      table.append(block);
    }
    check_memory(memory_of_fit(table.num_rows(), table.num_columns(), false), flags.max_memory);
  }
  if (!table.columns.empty()) return table;
  for (const ColumnInfo& column : reader->schema()) {
    table.columns.push_back({column.name, column.type, {}, {}});
  }
  table.source = path;
  return table;
}

std::vector<Index> rows_by_key(const Table& table, const Table& meta, const std::string& key) {
  std::unordered_map<std::string, Index> place;
  const std::vector<std::string> keys = groups_of_rows(meta, key);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (place.emplace(keys[i], static_cast<Index>(i)).second) continue;
    throw InvalidData(fmt::format("{}: key \"{}\" occurs twice in column \"{}\"; keys must differ.",
                                  meta.source, keys[i], key));
  }
  std::vector<Index> out;
  for (const std::string& wanted : groups_of_rows(table, key)) {
    const auto found = place.find(wanted);
    if (found == place.end()) {
      throw InvalidData(fmt::format(
          "{}: the key is \"{}\", which {} does not have; add its row there, or drop this one.",
          table.place(static_cast<Index>(out.size())), wanted, meta.source));
    }
    out.push_back(found->second);
  }
  return out;
}

void join_meta(Table& table, Table meta, const std::string& key) {
  if (key.empty() && meta.num_rows() != table.num_rows()) {
    throw InvalidData(fmt::format(
        "{} has {} rows and {} has {}; give both the same rows, or name a column of both with "
        "--meta-key.",
        meta.source, meta.num_rows(), table.source, table.num_rows()));
  }
  if (!key.empty()) meta = meta.rows(rows_by_key(table, meta, key));
  for (Column& column : meta.columns) {
    if (column.name == key) continue;
    if (table.has(column.name)) {
      throw InvalidData(fmt::format("{} and {} both have a column \"{}\"; rename or drop one.",
                                    table.source, meta.source, column.name));
    }
    table.columns.push_back(std::move(column));
  }
}

// A column without any cell may be of either type.
bool make_empty_text(Column& column) {
  if (!column.numeric() || count_missing(column) < column.size()) return false;
  column.text.assign(column.numbers.size(), "");
  column.numbers.clear();
  column.type = ColumnType::kText;
  return true;
}

void append_file(Table& table, Table more) {
  for (Column& column : more.columns) {
    if (!table.has(column.name) || table[column.name].type == column.type) continue;
    if (!make_empty_text(column)) make_empty_text(table.columns[table.find(column.name)]);
  }
  table.append(more);
}

std::vector<std::string> group_columns(const TaggedTableFlags& flags) {
  return split_list(flags.group);
}

std::vector<std::string> spelled_columns(const TaggedTableFlags& flags) {
  std::vector<std::string> out = group_columns(flags);
  if (!flags.label.empty()) out.push_back(flags.label);
  if (!flags.where.empty()) out.push_back(condition_column(flags.where));
  out.insert(out.end(), flags.text.begin(), flags.text.end());
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Table read_one(const std::string& path, const TaggedTableFlags& flags, const Console& console) {
  const Stopwatch watch;
  std::vector<std::string> text = spelled_columns(flags);
  Table table = read_within(path, flags, text, console);
  if (table.source.empty()) table.source = path;
  console.detail(fmt::format("read {}: {} rows, {} columns, {:.2f} s", path, table.num_rows(),
                             table.num_columns(), watch.seconds()));
  return table;
}

void refuse_single_rows(const TaggedTable& tagged, const std::string& column) {
  const std::set<std::string> different(tagged.groups.begin(), tagged.groups.end());
  if (tagged.groups.size() < 8 || 2 * different.size() <= tagged.groups.size()) return;
  throw InvalidData(fmt::format(
      "{}: column \"{}\" has {} different values in {} rows, so most groups would be a single row; "
      "name a column that tells groups with --group.",
      tagged.table.source, column, different.size(), tagged.groups.size()));
}

void keep_rows(TaggedTable& tagged, const std::vector<Index>& kept) {
  std::vector<std::string> groups;
  for (const Index i : kept) groups.push_back(tagged.groups[static_cast<std::size_t>(i)]);
  const std::string source = tagged.table.source;
  tagged.table = tagged.table.rows(kept);
  tagged.table.source = source;
  tagged.groups = std::move(groups);
}

}  // namespace

TaggedTable read_tagged(const TaggedTableFlags& flags, const Console& console) {
  TaggedTable out;
  std::set<std::string> stems;
  for (const std::string& path : flags.paths) {
    Table table = read_one(path, flags, console);
    const std::string stem = stem_of(path);
    if (flags.group.empty() && !stems.insert(stem).second) {
      throw InvalidOption(fmt::format(
          "two files are called \"{}\", and groups are called by their files; rename one.", stem));
    }
    out.groups.insert(out.groups.end(), static_cast<std::size_t>(table.num_rows()),
                      renamed(stem, flags.rename));
    if (out.table.columns.empty()) {
      out.table = std::move(table);
    } else {
      append_file(out.table, std::move(table));
    }
  }
  if (!flags.meta.empty()) {
    TaggedTableFlags meta = flags;
    meta.table = {};
    std::vector<std::string> text = spelled_columns(flags);
    if (!flags.meta_key.empty()) text.push_back(flags.meta_key);
    Table joined = read_within(flags.meta, meta, text, console);
    joined.source = flags.meta;
    join_meta(out.table, std::move(joined), flags.meta_key);
  }
  out.no_features = spelled_columns(flags);
  std::erase_if(out.no_features, [&](const std::string& name) {
    return std::find(flags.text.begin(), flags.text.end(), name) != flags.text.end();
  });
  if (!flags.meta_key.empty()) out.no_features.push_back(flags.meta_key);
  if (!flags.group.empty()) {
    out.groups = groups_from_columns(out.table, group_columns(flags));
    for (std::string& group : out.groups) group = renamed(group, flags.rename);
  }
  if (!flags.where.empty()) keep_rows(out, rows_where(out.table, flags.where));
  if (out.table.num_rows() == 0) {
    throw InvalidData(fmt::format("{}: there are no rows; add some.", out.table.source));
  }
  if (!flags.group.empty()) refuse_single_rows(out, flags.group);
  return out;
}

std::string stem_of(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.extension() == ".gz" || name.extension() == ".zst") name = name.stem();
  return name.stem().string();
}

std::string renamed(const std::string& group, const std::vector<std::string>& rename) {
  for (const std::string& pair : rename) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InvalidOption(fmt::format("--rename is \"{}\"; write OLD=NEW, say gcm_p=gcm.", pair));
    }
    if (const auto name = matched(pair.substr(0, equals), pair.substr(equals + 1), group)) {
      return *name;
    }
  }
  return group;
}

std::vector<std::string> groups_from_columns(const Table& table,
                                             const std::vector<std::string>& columns) {
  std::vector<std::string> out = groups_of_rows(table, columns.front());
  for (std::size_t k = 1; k < columns.size(); ++k) {
    const std::vector<std::string> more = groups_of_rows(table, columns[k]);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += "+" + more[i];
  }
  return out;
}

std::string condition_column(const std::string& condition) {
  return parse_condition(condition).first;
}

std::vector<Index> rows_where(const Table& table, const std::string& condition) {
  const auto [column, value] = parse_condition(condition);
  const std::vector<std::string> values = groups_of_rows(table, column);
  std::vector<Index> kept;
  for (Index i = 0; i < table.num_rows(); ++i) {
    if (values[i] == value) kept.push_back(i);
  }
  if (!kept.empty()) return kept;
  std::vector<std::string> known = values;
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  throw InvalidData(fmt::format("{}: column \"{}\" has {}", table.source, column,
                                unknown_name("value", value, known)));
}

}  // namespace conflux::app
