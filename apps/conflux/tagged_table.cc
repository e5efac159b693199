#include "tagged_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "component_input.h"
#include "conditions.h"
#include "conflux/core/error.h"
#include "conflux/tables/table_groups.h"
#include "core/rng.h"
#include "core/stopwatch.h"
#include "grouped_input.h"
#include "memory_limit.h"
#include "meta_columns.h"

namespace conflux::app {

namespace {

constexpr Index kBlockRows = 65536;
// Streams of rows for the search are named by layers, of which no fit has so many.
constexpr std::uint64_t kDrawnForFit = std::uint64_t{1} << 40;

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
    keep_existing(text, open_rows(path, names, flags.components.get())->schema());
  }
  options.text = std::move(text);
  return options;
}

// Reads in blocks only when there is a limit: the types of text columns cost a second pass then.
Table read_within(const std::string& path, const TaggedTableFlags& flags,
                  const std::vector<std::string>& text, const Console& console) {
  const auto reader = open_rows(path, options_for(path, flags, text), flags.components.get());
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
  for (const std::string& name : spelled_in(flags.where)) out.push_back(name);
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

// Rows that are drawn from each group, in their order.
std::vector<Index> drawn_rows(const std::vector<std::string>& groups, Index most,
                              std::uint64_t seed) {
  const NumberedGroups numbered(groups);
  std::vector<Index> out;
  for (std::size_t m = 0; m < numbered.rows.size(); ++m) {
    const std::vector<Index>& rows = numbered.rows[m];
    const auto size = static_cast<Index>(rows.size());
    Stream stream(seed, Purpose::kSearchRows, kDrawnForFit, m);
    std::vector<Index> order = stream.permutation(size);
    order.resize(static_cast<std::size_t>(std::min(size, most)));
    for (const Index place : order) out.push_back(rows[static_cast<std::size_t>(place)]);
  }
  std::sort(out.begin(), out.end());
  return out;
}

void draw_rows(TaggedTable& tagged, const TaggedTableFlags& flags, const Console& console) {
  if (flags.most_rows <= 0) return;
  const auto all = static_cast<Index>(tagged.groups.size());
  keep_rows(tagged, drawn_rows(tagged.groups, flags.most_rows, flags.seed));
  const auto kept = static_cast<Index>(tagged.groups.size());
  if (kept == all) return;
  console.info(
      fmt::format("{} of {} rows, drawn with seed {} (--fit-rows)", kept, all, flags.seed));
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
    const MetaColumns meta(flags.meta, flags.meta_key, {.text = spelled_columns(flags)},
                           flags.threads);
    meta.check_rows(out.table.num_rows(), out.table.source);
    meta.join(out.table, 0);
  }
  out.no_features = spelled_columns(flags);
  std::erase_if(out.no_features, [&](const std::string& name) {
    return std::find(flags.text.begin(), flags.text.end(), name) != flags.text.end();
  });
  if (!flags.meta_key.empty()) out.no_features.push_back(key_of_rows(flags.meta_key));
  for (const std::string& name : condition_columns(flags.where)) {
    const bool known =
        std::find(out.no_features.begin(), out.no_features.end(), name) != out.no_features.end();
    if (!known) out.no_features.push_back(name);
  }
  if (!flags.group.empty()) {
    out.groups = groups_from_columns(out.table, group_columns(flags));
    for (std::string& group : out.groups) group = renamed(group, flags.rename);
  }
  if (!flags.where.empty()) keep_rows(out, rows_where(out.table, flags.where));
  draw_rows(out, flags, console);
  if (out.table.num_rows() == 0) {
    throw InvalidData(fmt::format("{}: there are no rows; add some.", out.table.source));
  }
  if (!flags.group.empty()) refuse_single_rows(out, flags.group);
  return out;
}

std::string stem_of(const std::string& path) {
  namespace fs = std::filesystem;
  fs::path whole = fs::path(path).lexically_normal();
  if (whole.filename().empty()) whole = whole.parent_path();
  // What all samples of 10x Genomics are called alike tells nothing: the folder above does.
  const auto tells_nothing = [](const std::string& name) {
    return name.starts_with("matrix.mtx") || name.ends_with("_feature_bc_matrix") ||
           name.ends_with("_gene_bc_matrices") || name == "outs" || name == "GRCh38" ||
           name == "hg19" || name == "mm10";
  };
  while (tells_nothing(whole.filename().string()) && whole.has_parent_path() &&
         !whole.parent_path().filename().empty()) {
    whole = whole.parent_path();
  }
  fs::path name = whole.filename();
  std::error_code ignored;
  if (fs::is_directory(whole, ignored)) return name.string();
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

}  // namespace conflux::app
