#include "dataset/row_draw.h"

#include <utility>

#include "dataset/labels.h"
#include "dataset/memory_limit.h"

namespace conflux {

namespace {

// A column without any cell may be of either type.
bool make_empty_text(Column& column) {
  if (!column.numeric() || count_missing(column) < column.size()) return false;
  column.text.assign(column.numbers.size(), "");
  column.numbers.clear();
  column.type = ColumnType::kText;
  return true;
}

}  // namespace

void append_rows(Table& table, Table more) {
  for (Column& column : more.columns) {
    if (!table.has(column.name) || table[column.name].type == column.type) continue;
    if (!make_empty_text(column)) make_empty_text(table.columns[table.find(column.name)]);
  }
  table.append(more);
}

void RowDraw::add(TableRows more) {
  std::vector<Index> groups, labels;
  for (const std::string& group : more.groups) {
    const auto [found, is_new] = group_codes_.try_emplace(group, drawn_.groups.size());
    if (is_new) drawn_.groups.push_back(group);
    groups.push_back(static_cast<Index>(found->second));
  }
  if (!options_.label.empty()) {
    for (const std::string& label : labels_of_rows(more.table, options_.label)) {
      const auto [found, is_new] = label_codes_.try_emplace(label, label_codes_.size());
      labels.push_back(label.empty() ? -1 : static_cast<Index>(found->second));
    }
  }
  const std::vector<Index> kept = draw_.offer(groups, labels);
  if (kept.size() < groups.size()) keep_rows(more, kept);
  if (rows_.table.columns.empty()) {
    rows_ = std::move(more);
  } else {
    rows_.groups.insert(rows_.groups.end(), more.groups.begin(), more.groups.end());
    append_rows(rows_.table, std::move(more.table));
  }
  if (draw_.should_thin()) keep_rows(rows_, draw_.thin());
}

double RowDraw::memory() const {
  return memory_of_table(rows_.table.num_rows(), rows_.table.num_columns());
}

TableRows RowDraw::finish() {
  const std::vector<Index> left = draw_.thin();
  if (left.size() < rows_.groups.size()) keep_rows(rows_, left);
  const Pool pool = draw_.finish();
  if (pool.whole()) return std::move(rows_);
  drawn_.sizes = pool.sizes;
  drawn_.fitted.assign(rows_.groups.size(), 0);
  for (const auto& rows : pool.fitted) {
    for (const Index i : rows) drawn_.fitted[static_cast<std::size_t>(i)] = 1;
  }
  rows_.drawn = std::move(drawn_);
  return std::move(rows_);
}

}  // namespace conflux
