#include "grouped_input.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

#include "conflux/core/error.h"
#include "core/nearest_name.h"
#include "core/stopwatch.h"

namespace conflux::app {

namespace {

constexpr Index kBlockRows = 65536;
constexpr const char* kDefaultGroup = "group";

struct Condition {
  std::string column;
  std::string value;
};

Condition parse_condition(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InvalidOption(
        fmt::format("the condition is \"{}\"; write COLUMN=VALUE, say type=control.", text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// Columns that are compared as they are spelled, even if they look like numbers.
std::vector<std::string> text_columns(const GroupedInputFlags& flags) {
  std::vector<std::string> out;
  if (!flags.group.empty()) out.push_back(flags.group);
  if (!flags.label.empty()) out.push_back(flags.label);
  if (!flags.where.empty()) out.push_back(parse_condition(flags.where).column);
  std::erase_if(out, [&](const std::string& name) {
    return std::find(flags.features.begin(), flags.features.end(), name) != flags.features.end();
  });
  return out;
}

TableSchema schema_of(const std::string& path, const GroupedInputFlags& flags) {
  TableOptions options = read_options(flags.table, flags.group, flags.threads);
  // Only names matter here; types would cost a pass over the file.
  options.numeric.emplace();
  return open_table(path, options)->schema();
}

bool has_column(const TableSchema& schema, const std::string& name) {
  return std::any_of(schema.begin(), schema.end(),
                     [&](const ColumnInfo& column) { return column.name == name; });
}

std::string names_text(const TableSchema& schema) {
  std::string out;
  for (std::size_t j = 0; j < std::min<std::size_t>(schema.size(), 10); ++j) {
    out += (j == 0 ? "\"" : ", \"") + schema[j].name + "\"";
  }
  return out + (schema.size() > 10 ? ", ..." : "");
}

// Reads in blocks only when there is a limit: the types of text columns cost a second pass then.
Table read_within(const std::string& path, const GroupedInputFlags& flags,
                  const std::vector<std::string>& text) {
  TableOptions options = read_options(flags.table, flags.group, flags.threads);
  options.text = text;
  const auto reader = open_table(path, options);
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
  if (table.columns.empty()) {
    for (const ColumnInfo& column : reader->schema()) {
      table.columns.push_back({column.name, column.type, {}, {}});
    }
    table.source = path;
  }
  return table;
}

Table read_one(const std::string& path, const GroupedInputFlags& flags, const Console& console) {
  const Stopwatch watch;
  Table table = read_within(path, flags, text_columns(flags));
  if (table.source.empty()) table.source = path;
  console.detail(fmt::format("read {}: {} rows, {} columns, {:.2f} s", path, table.num_rows(),
                             table.num_columns(), watch.seconds()));
  if (!flags.where.empty()) table = rows_where(std::move(table), flags.where);
  return table;
}

GroupColumns columns_of(const GroupedInputFlags& flags) {
  GroupColumns columns{.group = flags.group, .features = flags.features, .drop = flags.drop};
  if (!flags.label.empty()) columns.drop.push_back(flags.label);
  if (!flags.where.empty()) columns.drop.push_back(parse_condition(flags.where).column);
  // A name may be given twice over: what is no feature is dropped once.
  std::sort(columns.drop.begin(), columns.drop.end());
  columns.drop.erase(std::unique(columns.drop.begin(), columns.drop.end()), columns.drop.end());
  return columns;
}

// Rows without a label have an empty text.
std::vector<std::string> labels_of(const Table& table, const std::string& column) {
  const Column& labels = table[column];
  if (!labels.numeric()) return labels.text;
  std::vector<std::string> out;
  for (const double number : labels.numbers) {
    out.push_back(std::isnan(number) ? "" : fmt::format("{}", number));
  }
  return out;
}

void set_labels(GroupSet& groups, const std::vector<std::vector<std::string>>& labels) {
  std::set<std::string> all;
  for (const auto& of_group : labels) all.insert(of_group.begin(), of_group.end());
  all.erase("");
  const std::vector<std::string> names(all.begin(), all.end());
  std::vector<std::vector<Index>> codes;
  for (const auto& of_group : labels) {
    auto& out = codes.emplace_back();
    for (const std::string& label : of_group) {
      const auto found = std::lower_bound(names.begin(), names.end(), label);
      out.push_back(label.empty() ? -1 : found - names.begin());
    }
  }
  groups.set_labels(names, std::move(codes));
}

GroupedInput groups_by_column(const GroupedInputFlags& flags, const Console& console) {
  Table table = read_one(flags.paths.front(), flags, console);
  for (std::size_t f = 1; f < flags.paths.size(); ++f) {
    table.append(read_one(flags.paths[f], flags, console));
  }
  GroupedTable grouped = groups_from_table(table, columns_of(flags));
  GroupedInput out{std::move(grouped.groups), flags.group, {}};
  if (flags.label.empty()) return out;
  const std::vector<std::string> all = labels_of(table, flags.label);
  std::vector<std::vector<std::string>> labels;
  for (const std::vector<Index>& positions : grouped.positions) {
    auto& of_group = labels.emplace_back();
    for (const Index i : positions) of_group.push_back(all[i]);
  }
  set_labels(out.groups, labels);
  return out;
}

// Rows of doubles are used where they are, those of floats are read as they are; everything else
// goes through a table.
bool map_group(const std::string& path, const GroupedInputFlags& flags, GroupedInput& out) {
  const bool plain = flags.features.empty() && flags.drop.empty() && flags.where.empty() &&
                     flags.label.empty() && path != "-";
  if (!plain || table_format(path, {.format = flags.table.format}) != "npy") return false;
  if (std::filesystem::path(path).extension() != ".npy") return false;
  MappedNpy rows;
  try {
    rows = map_npy(path);
  } catch (const InvalidData&) {
    return false;
  }
  if (rows.holds<float>()) {
    out.groups.add(stem_of(path), rows.read_singles());
    return true;
  }
  if (!rows.holds<double>()) return false;
  out.groups.add(stem_of(path), rows.view<double>());
  out.mapped.push_back(std::move(rows));
  return true;
}

GroupedInput groups_by_file(const GroupedInputFlags& flags, const Console& console) {
  GroupedInput out;
  std::vector<std::string> names;
  std::vector<std::string> features;
  std::vector<std::vector<std::string>> labels;
  for (const std::string& path : flags.paths) {
    const std::string name = stem_of(path);
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      throw InvalidOption(fmt::format(
          "two files are called \"{}\", and groups are called by their files; rename one.", name));
    }
    names.push_back(name);
    if (map_group(path, flags, out)) continue;
    const Table table = read_one(path, flags, console);
    GroupColumns columns = columns_of(flags);
    if (columns.features.empty()) columns.features = features;
    features = feature_names(table.schema(), columns, table.source);
    out.groups.add(name, features_of(table, features));
    if (!flags.label.empty()) labels.push_back(labels_of(table, flags.label));
    if (out.groups.num_groups() > 1 && out.groups.dim() != static_cast<Index>(features.size())) {
      throw InvalidData(fmt::format("{}: {} features, but \"{}\" has {}; give all groups the same.",
                                    path, features.size(), names.front(), out.groups.dim()));
    }
  }
  if (features.empty()) {
    for (Index j = 0; j < out.groups.dim(); ++j) features.push_back(fmt::format("c{}", j));
  }
  out.groups.set_feature_names(features);
  if (!flags.label.empty()) set_labels(out.groups, labels);
  return out;
}

}  // namespace

Flag tables_flag(GroupedInputFlags& flags) {
  return {.names = "INPUT",
          .help = "tables of all groups (with --group), or one table per group",
          .target = &flags.paths,
          .required = true};
}

Flag label_flag(GroupedInputFlags& flags, const std::string& help) {
  return {.names = "--label", .value = "COLUMN", .help = help, .target = &flags.label};
}

Flag drop_flag(GroupedInputFlags& flags) {
  return {.names = "--drop",
          .value = "LIST",
          .help = "columns that are no features",
          .target = &flags.drop};
}

Flag where_flag(GroupedInputFlags& flags) {
  return {.names = "--where",
          .value = "COLUMN=VALUE",
          .help = "only these rows",
          .target = &flags.where};
}

GroupedInput read_groups(const GroupedInputFlags& given, const Console& console) {
  GroupedInputFlags flags = given;
  if (flags.group.empty() && flags.paths.size() == 1) {
    const std::string& path = flags.paths.front();
    // Standard input can be read once, so its column must be the usual one.
    const TableSchema schema =
        path == "-" ? TableSchema{{kDefaultGroup, ColumnType::kText}} : schema_of(path, flags);
    if (!has_column(schema, kDefaultGroup)) {
      throw InvalidOption(fmt::format(
          "{}: which column tells the groups? Name it with --group, or give one file per group. "
          "The columns are {}.",
          path, names_text(schema)));
    }
    flags.group = kDefaultGroup;
  }
  return flags.group.empty() ? groups_by_file(flags, console) : groups_by_column(flags, console);
}

std::string stem_of(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.extension() == ".gz" || name.extension() == ".zst") name = name.stem();
  return name.stem().string();
}

Table rows_where(Table table, const std::string& condition) {
  const auto [column, value] = parse_condition(condition);
  const std::vector<std::string> values = groups_of_rows(table, column);
  std::vector<Index> kept;
  for (Index i = 0; i < table.num_rows(); ++i) {
    if (values[i] == value) kept.push_back(i);
  }
  if (kept.empty()) {
    std::vector<std::string> known = values;
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    throw InvalidData(fmt::format("{}: column \"{}\" has {}", table.source, column,
                                  unknown_name("value", value, known)));
  }
  return table.rows(kept);
}

double memory_of_fit(Index rows, Index features, bool single) {
  const double copies = single ? sizeof(float) : 2 * sizeof(double);
  return copies * static_cast<double>(rows) * static_cast<double>(features);
}

void check_memory(double needed, double limit) {
  if (limit <= 0 || needed <= limit) return;
  throw InvalidData(fmt::format(
      "this needs about {} of memory, and {} are allowed; give fewer rows or features, or raise "
      "--max-memory.",
      bytes_text(needed), bytes_text(limit)));
}

std::string bytes_text(double bytes) {
  const char* units[] = {"bytes", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 || bytes >= 100 ? 0 : 1, units[unit]);
}

double bytes_from_text(const std::string& text) {
  if (text.empty()) {
    return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
           static_cast<double>(::sysconf(_SC_PAGESIZE));
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  const std::vector<std::string> units = {"", "k", "M", "G", "T"};
  const auto found = std::find(units.begin(), units.end(), unit);
  if (error != std::errc() || !(value > 0) || found == units.end()) {
    throw InvalidOption(fmt::format(
        "--max-memory is \"{}\"; give a number of bytes, or one like 500M or 4G.", text));
  }
  for (auto each = units.begin(); each != found; ++each) value *= 1000;
  return value;
}

}  // namespace conflux::app
