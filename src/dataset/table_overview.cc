#include "dataset/table_overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "conflux/tables/table.h"
#include "core/stop.h"
#include "tables/number_text.h"

namespace conflux {

namespace {

constexpr Index kRowsPerBlock = 4096;
// A column with more different values tells no groups.
constexpr std::size_t kMostValues = 1000;
constexpr std::size_t kValuesShown = 30;
// With so many numeric columns, as with genes and pixels, none of them is proposed as the group.
constexpr Index kManyNumbers = 200;
// A page with more names than this is of no use.
constexpr std::size_t kMostColumns = 5000;

// Usual names of group columns, the most specific first.
constexpr std::array<std::string_view, 13> kGroupNames = {
    "group",  "groups", "batch",  "batch_id", "dataset", "domain",    "donor",
    "sample", "site",   "source", "cohort",   "plate",   "instrument"};

struct SeenColumn {
  std::string name;
  bool numeric = true;
  bool fractions = false;
  // Empty once there are too many.
  std::map<std::string, Index> values = {};
  bool too_many = false;

  void see(const std::string& cell) {
    if (is_missing(cell)) return;
    double number = 0;
    if (numeric && !parse_number(cell, number)) numeric = false;
    if (numeric && number != static_cast<double>(static_cast<long long>(number))) fractions = true;
    if (too_many) return;
    ++values[cell];
    too_many = values.size() > kMostValues;
    if (too_many) values.clear();
  }

  bool may_tell_groups() const {
    if (too_many || values.size() < 2 || (numeric && fractions)) return false;
    // A value that only one row has is no group.
    return std::any_of(values.begin(), values.end(),
                       [](const auto& each) { return each.second > 1; });
  }
};

std::string small_letters(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

std::string likely_group(const std::vector<SeenColumn>& columns) {
  for (const std::string_view name : kGroupNames) {
    for (const SeenColumn& each : columns) {
      if (small_letters(each.name) == name && each.may_tell_groups()) return each.name;
    }
  }
  for (const SeenColumn& each : columns) {
    if (!each.numeric && each.may_tell_groups() && each.values.size() <= kValuesShown) {
      return each.name;
    }
  }
  return "";
}

void see_block(const Table& block, std::vector<SeenColumn>& columns) {
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const Column& column = block.columns[j];
    for (Index i = 0; i < block.num_rows(); ++i) {
      if (!column.numeric()) {
        columns[j].see(column.text[i]);
      } else if (!columns[j].too_many) {
        std::string cell;
        append_number(cell, column.numbers[i]);
        columns[j].see(cell);
      }
    }
  }
}

Json column_json(const SeenColumn& column) {
  Json values = Json::array();
  for (const auto& [value, count] : column.values) {
    if (values.size() == kValuesShown) break;
    values.push_back({{"value", value}, {"rows", count}});
  }
  Json count;
  if (!column.too_many) count = column.values.size();
  return {{"name", column.name},
          {"numeric", column.numeric},
          {"different", count},
          {"may_tell_groups", column.may_tell_groups()},
          {"values", column.may_tell_groups() ? values : Json::array()}};
}

}  // namespace

Json look_at_columns(const std::string& path, int threads) {
  TableOptions options;
  options.threads = threads;
  // Cells of text files as they are spelled: what they mean is found when they are used.
  options.numeric.emplace();
  const auto reader = open_table(path, options);
  std::vector<SeenColumn> columns;
  const TableSchema& schema = reader->schema();
  const bool many_numbers = std::count_if(schema.begin(), schema.end(), [](const ColumnInfo& each) {
                              return each.type == ColumnType::kNumeric;
                            }) > kManyNumbers;
  for (const ColumnInfo& each : schema) {
    if (columns.size() == kMostColumns) break;
    columns.push_back({.name = each.name});
    columns.back().too_many = many_numbers && each.type == ColumnType::kNumeric;
  }
  Index rows = 0;
  for (Table block; reader->read(block, kRowsPerBlock);) {
    throw_if_stopped();
    see_block(block, columns);
    rows += block.num_rows();
  }
  Json described = Json::array();
  for (const SeenColumn& each : columns) described.push_back(column_json(each));
  return {{"rows", rows},
          {"columns", described},
          {"all_columns", schema.size()},
          {"group", likely_group(columns)}};
}

}  // namespace conflux
