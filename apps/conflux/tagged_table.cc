#include "tagged_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <unordered_map>

#include "component_input.h"
#include "conditions.h"
#include "conflux/core/error.h"
#include "conflux/tables/table_groups.h"
#include "core/stopwatch.h"
#include "grouped_input.h"
#include "label_column.h"
#include "memory_limit.h"
#include "meta_columns.h"
#include "support/interrupt.h"
#include "training/pool_draw.h"

namespace conflux::app {

namespace {

// Bytes of files beyond which rows that are not fitted are not kept.
constexpr std::uintmax_t kLargeFiles = 32'000'000;

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
  if ((!flags.meta.empty() && path != "-") || may_lack_label(flags, path)) {
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
  for (Table block; reader->read(block, kRowsOfABlock);) {
    if (table.columns.empty()) {
      table = std::move(block);
    } else {
      table.append(block);
    }
    check_memory(memory_of_table(table.num_rows(), table.num_columns()), flags.max_memory);
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
  add_empty_labels(table, flags, path);
  console.detail(fmt::format("read {}: {} rows, {} columns, {:.2f} s", path, table.num_rows(),
                             table.num_columns(), watch.seconds()));
  return table;
}

// Columns that tell groups, labels and conditions.
std::vector<std::string> columns_besides(const TaggedTableFlags& flags) {
  std::vector<std::string> out = spelled_columns(flags);
  std::erase_if(out, [&](const std::string& name) {
    return std::find(flags.text.begin(), flags.text.end(), name) != flags.text.end();
  });
  if (!flags.meta_key.empty()) out.push_back(key_of_rows(flags.meta_key));
  for (const std::string& name : condition_columns(flags.where)) {
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  }
  return out;
}

// The groups of the rows of one file.
std::vector<std::string> groups_of_file(const Table& table, const std::string& path,
                                        const TaggedTableFlags& flags) {
  if (flags.group.empty()) {
    return {static_cast<std::size_t>(table.num_rows()), renamed(stem_of(path), flags.rename)};
  }
  std::vector<std::string> out = groups_from_columns(table, group_columns(flags));
  for (std::string& group : out) group = renamed(group, flags.rename);
  return out;
}

void check_stems(const TaggedTableFlags& flags) {
  std::set<std::string> stems;
  for (const std::string& path : flags.paths) {
    const std::string stem = stem_of(path);
    if (!flags.group.empty() || stems.insert(stem).second) continue;
    throw InvalidOption(fmt::format(
        "two files are called \"{}\", and groups are called by their files; rename one.", stem));
  }
}

TaggedTable read_whole(const TaggedTableFlags& flags, const Console& console) {
  TaggedTable out;
  for (const std::string& path : flags.paths) {
    Table table = read_one(path, flags, console);
    if (flags.group.empty()) {
      const std::vector<std::string> groups = groups_of_file(table, path, flags);
      out.groups.insert(out.groups.end(), groups.begin(), groups.end());
    }
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
  if (!flags.group.empty()) out.groups = groups_of_file(out.table, "", flags);
  if (!flags.where.empty()) keep_rows(out, rows_where(out.table, flags.where));
  return out;
}

// Rows that are offered to a draw as they are read.
class TableDraw {
 public:
  explicit TableDraw(const TaggedTableFlags& flags)
      : flags_(flags), draw_(flags.fit_rows, flags.seed) {}

  void add(TaggedTable more) {
    std::vector<Index> groups, labels;
    for (const std::string& group : more.groups) {
      const auto [found, is_new] = group_codes_.try_emplace(group, out_.groups.size());
      if (is_new) out_.groups.push_back(group);
      groups.push_back(static_cast<Index>(found->second));
    }
    if (!flags_.label.empty()) {
      for (const std::string& label : labels_of(more.table, flags_.label)) {
        const auto [found, is_new] = label_codes_.try_emplace(label, label_codes_.size());
        labels.push_back(label.empty() ? -1 : static_cast<Index>(found->second));
      }
    }
    const std::vector<Index> kept = draw_.offer(groups, labels);
    if (kept.size() < groups.size()) keep_rows(more, kept);
    if (table_.table.columns.empty()) {
      table_ = std::move(more);
    } else {
      table_.groups.insert(table_.groups.end(), more.groups.begin(), more.groups.end());
      append_file(table_.table, std::move(more.table));
    }
    if (draw_.should_thin()) keep_rows(table_, draw_.thin());
  }

  double memory() const {
    return memory_of_table(table_.table.num_rows(), table_.table.num_columns());
  }

  TaggedTable finish() {
    const std::vector<Index> left = draw_.thin();
    if (left.size() < table_.groups.size()) keep_rows(table_, left);
    const Pool pool = draw_.finish();
    if (pool.whole()) return std::move(table_);
    out_.sizes = pool.sizes;
    out_.fitted.assign(table_.groups.size(), 0);
    for (const auto& rows : pool.fitted) {
      for (const Index i : rows) out_.fitted[static_cast<std::size_t>(i)] = 1;
    }
    table_.drawn = std::move(out_);
    return std::move(table_);
  }

 private:
  const TaggedTableFlags& flags_;
  PoolDraw draw_;
  TaggedTable table_;
  DrawnRows out_;
  std::unordered_map<std::string, std::size_t> group_codes_;
  std::unordered_map<std::string, std::size_t> label_codes_;
};

// Only what is read once and from its beginning can be thrown away while it is read, and small
// tables are read sooner at once.
bool can_be_streamed(const TaggedTableFlags& flags) {
  if (flags.fit_rows.all() || !flags.where.empty() || !flags.meta.empty()) return false;
  if (flags.max_memory > 0) return true;
  std::uintmax_t bytes = 0;
  for (const std::string& path : flags.paths) {
    std::error_code unknown;
    const std::uintmax_t size = std::filesystem::file_size(path, unknown);
    if (!unknown) bytes += size;
  }
  return bytes >= kLargeFiles;
}

TaggedTable read_drawn(const TaggedTableFlags& flags, const Console& console) {
  TableDraw draw(flags);
  read_blocks(flags, console, [&](TaggedTable block) {
    draw.add(std::move(block));
    if (flags.max_memory > 0) check_memory(draw.memory(), flags.max_memory);
  });
  return draw.finish();
}

}  // namespace

void read_blocks(const TaggedTableFlags& flags, const Console& console,
                 const std::function<void(TaggedTable block)>& use) {
  Index rows = 0;
  for (const std::string& path : flags.paths) {
    const auto reader =
        open_rows(path, options_for(path, flags, spelled_columns(flags)), flags.components.get());
    for (const std::string& note : reader->notes()) console.info(note);
    for (Table block; reader->read(block, kRowsOfABlock);) {
      stop_if_interrupted();
      if (block.source.empty()) block.source = path;
      add_empty_labels(block, flags, path);
      rows += block.num_rows();
      console.progress(fmt::format("{} rows", rows));
      std::vector<std::string> groups = groups_of_file(block, path, flags);
      use({.table = std::move(block), .groups = std::move(groups)});
      block = Table();
    }
  }
}

void keep_rows(TaggedTable& tagged, const std::vector<Index>& kept) {
  std::vector<std::string> groups;
  std::vector<char> fitted;
  for (const Index i : kept) {
    groups.push_back(std::move(tagged.groups[static_cast<std::size_t>(i)]));
    if (tagged.drawn) fitted.push_back(tagged.drawn->fitted[static_cast<std::size_t>(i)]);
  }
  const std::string source = tagged.table.source;
  tagged.table = tagged.table.rows(kept);
  tagged.table.source = source;
  tagged.groups = std::move(groups);
  if (tagged.drawn) tagged.drawn->fitted = std::move(fitted);
}

TaggedTable read_tagged(const TaggedTableFlags& flags, const Console& console) {
  check_stems(flags);
  TaggedTable out;
  if (can_be_streamed(flags)) {
    out = read_drawn(flags, console);
  } else {
    out = read_whole(flags, console);
    if (!flags.fit_rows.all()) {
      TableDraw draw(flags);
      draw.add(std::move(out));
      out = draw.finish();
    }
  }
  out.no_features = columns_besides(flags);
  refuse_absent_labels(out.table, flags);
  if (out.table.num_rows() == 0) {
    throw InvalidData(fmt::format("{}: there are no rows; add some.", out.table.source));
  }
  if (!flags.group.empty()) {
    const std::set<std::string> different(out.groups.begin(), out.groups.end());
    refuse_single_rows(different.size(), out.groups.size(), out.table.source, flags.group);
  }
  return out;
}

void refuse_single_rows(std::size_t groups, std::size_t rows, const std::string& source,
                        const std::string& column) {
  if (rows < 8 || 2 * groups <= rows) return;
  throw InvalidData(fmt::format(
      "{}: column \"{}\" has {} different values in {} rows, so most groups would be a single row; "
      "name a column that tells groups with --group.",
      source, column, groups, rows));
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
