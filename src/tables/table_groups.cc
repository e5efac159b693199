#include "conflux/tables/table_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "conflux/core/error.h"
#include "core/nearest_name.h"
#include "tables/number_text.h"
#include "tables/table_format.h"

namespace conflux {

namespace {

constexpr Index kRowsPerWrite = 4096;
constexpr std::size_t kMostCounted = 10;

std::string prefix(std::string_view source) {
  return source.empty() ? std::string() : fmt::format("{}: ", source);
}

std::vector<const Column*> numeric_columns(const Table& table,
                                           const std::vector<std::string>& features) {
  std::vector<const Column*> columns;
  for (const std::string& name : features) {
    const Column& column = table[name];
    if (!column.numeric()) {
      const auto bad = std::find_if(column.text.begin(), column.text.end(), [](const auto& cell) {
        double ignored = 0;
        return !is_missing(cell) && !parse_number(cell, ignored);
      });
      const std::string example =
          bad == column.text.end()
              ? ""
              : fmt::format(" (\"{}\" in {})", shown(*bad), table.place(bad - column.text.begin()));
      throw InvalidData(
          fmt::format("{}column \"{}\" is text{}, not a feature; drop it, or turn it into numbers.",
                      prefix(table.source), name, example));
    }
    columns.push_back(&column);
  }
  return columns;
}

void refuse_missing(const Table& table, const std::vector<const Column*>& columns) {
  Index first_row = table.num_rows();
  const Column* first_column = nullptr;
  std::vector<std::pair<const Column*, Index>> counts;
  for (const Column* column : columns) {
    const Index count = count_missing(*column);
    if (count == 0) continue;
    counts.emplace_back(column, count);
    const auto found = std::find_if(column->numbers.begin(), column->numbers.end(),
                                    [](double value) { return std::isnan(value); });
    const Index row = found - column->numbers.begin();
    if (row >= first_row) continue;
    first_row = row;
    first_column = column;
  }
  if (first_column == nullptr) return;
  std::string list;
  for (std::size_t k = 0; k < std::min(counts.size(), kMostCounted); ++k) {
    list += fmt::format("{}\"{}\" {}", k == 0 ? "" : ", ", counts[k].first->name, counts[k].second);
  }
  if (counts.size() > kMostCounted) {
    list += fmt::format(" and {} more columns", counts.size() - kMostCounted);
  }
  throw InvalidData(
      fmt::format("{}, column \"{}\" is missing; missing values per column: {}. Drop these rows or "
                  "columns, or fill the cells, first.",
                  table.place(first_row), first_column->name, list));
}

std::string group_name(const Table& table, const Column& column, Index row) {
  std::string name;
  if (!column.numeric()) {
    name = column.text[row];
  } else if (!std::isnan(column.numbers[row])) {
    append_number(name, column.numbers[row]);
  }
  if (is_missing(name)) {
    throw InvalidData(
        fmt::format("{} has no group: column \"{}\" is \"{}\"; name its group, or drop the row.",
                    table.place(row), column.name, name));
  }
  return name;
}

void require_column(const TableSchema& schema, const std::string& name, std::string_view source) {
  std::vector<std::string> names;
  for (const ColumnInfo& column : schema) names.push_back(column.name);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw InvalidOption(prefix(source) + unknown_name("column", name, names));
  }
}

}  // namespace

std::vector<std::string> feature_names(const TableSchema& schema, const GroupColumns& columns,
                                       std::string_view source) {
  for (const auto* list : {&columns.features, &columns.drop}) {
    for (const std::string& name : *list) require_column(schema, name, source);
  }
  const auto contains = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (auto name = columns.features.begin(); name != columns.features.end(); ++name) {
    if (*name == columns.group || contains(columns.drop, *name)) {
      throw InvalidOption(fmt::format(
          "{}column \"{}\" is asked for as a feature and {}; choose one.", prefix(source), *name,
          *name == columns.group ? "tells the groups" : "dropped"));
    }
    if (std::find(columns.features.begin(), name, *name) != name) {
      throw InvalidOption(
          fmt::format("{}feature \"{}\" is named twice; name it once.", prefix(source), *name));
    }
  }
  if (!columns.features.empty()) return columns.features;
  std::vector<std::string> names;
  for (const ColumnInfo& column : schema) {
    if (column.type == ColumnType::kNumeric && column.name != columns.group &&
        !contains(columns.drop, column.name)) {
      names.push_back(column.name);
    }
  }
  if (names.empty()) {
    throw InvalidData(fmt::format("{}no numeric column is left as a feature; drop fewer columns.",
                                  prefix(source)));
  }
  return names;
}

std::vector<std::string> groups_of_rows(const Table& table, std::string_view column) {
  const Column& groups = table[column];
  std::vector<std::string> out;
  out.reserve(static_cast<std::size_t>(table.num_rows()));
  for (Index i = 0; i < table.num_rows(); ++i) out.push_back(group_name(table, groups, i));
  return out;
}

std::vector<std::string> listed_names(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    out.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return out;
}

std::vector<std::string> label_columns(const std::string& columns) {
  std::vector<std::string> out = listed_names(columns);
  std::erase(out, "");
  return out;
}

bool has_columns(const Table& table, const std::string& columns) {
  const std::vector<std::string> names = label_columns(columns);
  return !names.empty() && std::all_of(names.begin(), names.end(),
                                       [&](const std::string& name) { return table.has(name); });
}

std::vector<std::string> labels_of_rows(const Table& table, const std::string& columns) {
  const auto rows = static_cast<std::size_t>(table.num_rows());
  std::vector<std::string> out(rows);
  std::vector<char> known(rows, 1);
  for (const std::string& name : label_columns(columns)) {
    const Column& column = table[name];
    for (std::size_t i = 0; i < rows; ++i) {
      std::string cell;
      if (!column.numeric()) {
        cell = column.text[i];
      } else if (!std::isnan(column.numbers[i])) {
        append_number(cell, column.numbers[i]);
      }
      if (is_missing(cell)) known[i] = 0;
      if (!out[i].empty()) out[i] += "+";
      out[i] += cell;
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    if (known[i] == 0) out[i].clear();
  }
  return out;
}

Matrix features_of(const Table& table, const std::vector<std::string>& features) {
  const std::vector<const Column*> columns = numeric_columns(table, features);
  refuse_missing(table, columns);
  Matrix rows(table.num_rows(), static_cast<Index>(columns.size()));
  for (Index j = 0; j < rows.cols(); ++j) {
    rows.col(j) = Eigen::Map<const Vector>(columns[j]->numbers.data(), rows.rows());
  }
  return rows;
}

std::vector<Matrix> features_of_groups(const Table& table, const std::vector<std::string>& features,
                                       const std::vector<std::vector<Index>>& positions) {
  const std::vector<const Column*> columns = numeric_columns(table, features);
  refuse_missing(table, columns);
  std::vector<Matrix> out;
  for (const std::vector<Index>& own : positions) {
    Matrix& rows =
        out.emplace_back(static_cast<Index>(own.size()), static_cast<Index>(columns.size()));
    for (Index j = 0; j < rows.cols(); ++j) {
      const std::vector<double>& column = columns[j]->numbers;
      for (Index i = 0; i < rows.rows(); ++i) rows(i, j) = column[own[i]];
    }
  }
  return out;
}

GroupedTable groups_from_table(const Table& table, const GroupColumns& columns) {
  std::vector<std::string> row_groups = groups_of_rows(table, columns.group);
  const std::vector<std::string> features = feature_names(table.schema(), columns, table.source);
  refuse_missing(table, numeric_columns(table, features));
  if (table.num_rows() == 0) {
    throw InvalidData(fmt::format("{}there are no rows; add some.", prefix(table.source)));
  }

  GroupedTable out;
  std::vector<std::string> names;
  std::unordered_map<std::string, std::size_t> known;
  for (Index i = 0; i < table.num_rows(); ++i) {
    const auto [found, is_new] = known.try_emplace(std::move(row_groups[i]), names.size());
    if (is_new) {
      names.push_back(found->first);
      out.positions.emplace_back();
    }
    out.positions[found->second].push_back(i);
  }
  std::vector<Matrix> rows = features_of_groups(table, features, out.positions);
  for (std::size_t m = 0; m < names.size(); ++m) out.groups.add(names[m], std::move(rows[m]));
  out.groups.set_feature_names(features);
  return out;
}

GroupSet read_csv(const std::filesystem::path& path) {
  const Table table = read_table(path, {.format = "csv", .text = {"group"}});
  GroupColumns columns;
  for (const Column& column : table.columns) {
    if (column.name != columns.group) columns.features.push_back(column.name);
  }
  if (columns.features.empty()) {
    throw InvalidData(
        fmt::format("{}: there are groups but no features; add a column.", path.string()));
  }
  return groups_from_table(table, columns).groups;
}

void write_csv(const std::filesystem::path& path, const GroupSet& groups) {
  Table block;
  for (Index j = 0; j < groups.dim(); ++j) {
    const auto& names = groups.feature_names();
    block.add(names.empty() ? fmt::format("x{}", j) : names[j], std::vector<double>());
  }
  block.add("group", std::vector<std::string>());
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Group& group = groups[m];
    if (group.rows.rows() == 0 || !group.masses.empty() || is_missing(group.name)) {
      throw InvalidData(fmt::format(
          "group {} (\"{}\") has weights, no rows or no name; a table cannot hold that.", m,
          group.name));
    }
  }
  const auto writer = create_table(path, {.format = "csv"});
  writer->write(block);
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const SampleRows& rows = groups[m].rows;
    for (Index begin = 0; begin < rows.rows(); begin += kRowsPerWrite) {
      const Index count = std::min(kRowsPerWrite, rows.rows() - begin);
      for (Index j = 0; j < groups.dim(); ++j) {
        std::vector<double>& numbers = block.columns[j].numbers;
        numbers.resize(static_cast<std::size_t>(count));
        for (Index i = 0; i < count; ++i) numbers[i] = rows(begin + i, j);
      }
      block.columns.back().text.assign(static_cast<std::size_t>(count), groups[m].name);
      writer->write(block);
    }
  }
  writer->close();
}

}  // namespace conflux
