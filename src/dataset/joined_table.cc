#include "dataset/joined_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "conflux/core/error.h"
#include "conflux/tables/table_groups.h"
#include "dataset/group_names.h"
#include "dataset/table_files.h"

namespace conflux {

namespace {

std::string key_of_table(const std::string& key) {
  const std::size_t equals = key.find('=');
  return equals == key.npos ? key : key.substr(equals + 1);
}

// An array of one value per row has no name for it but that of its file.
bool is_list(const TableSchema& schema, const std::string& path) {
  return schema.size() == 1 && schema.front().name == "c0" && table_format(path, {}) == "npy";
}

}  // namespace

std::string key_of_rows(const std::string& key) { return key.substr(0, key.find('=')); }

JoinedTableReader::JoinedTableReader(const std::string& path, JoinedTypes types, int threads)
    : path_(path) {
  TableOptions options{.threads = threads};
  options.numeric.emplace();
  schema_ = open_table(path, options)->schema();
  options.numeric.reset();
  if (is_list(schema_, path)) {
    list_ = stem_of(path);
    schema_.front().name = list_;
    reader_ = open_table(path, options);
    return;
  }
  if (types.numbers) {
    options.numeric = std::move(*types.numbers);
    keep_columns_of(schema_, *options.numeric);
  }
  options.text = std::move(types.text);
  keep_columns_of(schema_, options.text);
  reader_ = open_table(path, options);
}

bool JoinedTableReader::read(Table& block, Index max_rows) {
  if (!reader_->read(block, max_rows)) return false;
  name(block);
  return true;
}

Table JoinedTableReader::read_rest() {
  Table out = reader_->read_rest();
  name(out);
  return out;
}

void JoinedTableReader::name(Table& block) const {
  block.source = path_;
  if (!list_.empty()) block.columns.front().name = list_;
}

JoinedTable::JoinedTable(const std::string& path, const std::string& key, JoinedTypes types,
                         int threads)
    : key_(key_of_rows(key)), own_key_(key_of_table(key)) {
  if (!own_key_.empty()) types.text.push_back(own_key_);
  table_ = JoinedTableReader(path, std::move(types), threads).read_rest();
  if (own_key_.empty()) return;
  const std::vector<std::string> keys = groups_of_rows(table_, own_key_);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (place_of_.emplace(keys[i], static_cast<Index>(i)).second) continue;
    throw InvalidData(fmt::format("{}: key \"{}\" occurs twice in column \"{}\"; keys must differ.",
                                  table_.source, keys[i], own_key_));
  }
}

void JoinedTable::check_rows(Index rows, const std::string& source) const {
  if (!key_.empty() || table_.num_rows() == rows) return;
  throw InvalidData(fmt::format(
      "{} has {} rows and {} has {}; give both the same rows, or name a column of both with "
      "--meta-key.",
      table_.source, table_.num_rows(), source, rows));
}

std::vector<Index> JoinedTable::places_of(const Table& rows, Index first) const {
  std::vector<Index> out;
  if (key_.empty()) {
    if (first + rows.num_rows() > table_.num_rows()) {
      check_rows(first + rows.num_rows(), rows.source + " (at least)");
    }
    out.resize(static_cast<std::size_t>(rows.num_rows()));
    std::iota(out.begin(), out.end(), first);
    return out;
  }
  for (const std::string& wanted : groups_of_rows(rows, key_)) {
    const auto found = place_of_.find(wanted);
    if (found == place_of_.end()) {
      throw InvalidData(fmt::format(
          "{}: the key is \"{}\", which {} does not have; add its row there, or drop this one.",
          rows.place(static_cast<Index>(out.size())), wanted, table_.source));
    }
    out.push_back(found->second);
  }
  return out;
}

void JoinedTable::join(Table& rows, Index first) const {
  Table own = table_.rows(places_of(rows, first));
  for (Column& column : own.columns) {
    if (column.name == own_key_) continue;
    if (rows.has(column.name)) {
      throw InvalidData(fmt::format("{} and {} both have a column \"{}\"; rename or drop one.",
                                    rows.source, table_.source, column.name));
    }
    rows.columns.push_back(std::move(column));
  }
}

}  // namespace conflux
