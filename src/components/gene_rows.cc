#include "components/gene_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "conflux/core/error.h"

namespace conflux {

GeneRows::GeneRows(std::unique_ptr<SparseReader> reader, const Components& components)
    : reader_(std::move(reader)), components_(components) {
  const std::vector<std::string>& found = reader_->features();
  if (found == components.genes) return;
  std::unordered_map<std::string, Index> known;
  for (const std::string& gene : components.genes) {
    known.emplace(gene, static_cast<Index>(known.size()));
  }
  Index seen = 0;
  for (const std::string& name : found) {
    const auto gene = known.find(name);
    gene_of_.push_back(gene == known.end() ? -1 : gene->second);
    seen += gene == known.end() ? 0 : 1;
  }
  left_out_ = static_cast<Index>(found.size()) - seen;
  const Index missing = static_cast<Index>(components.genes.size()) - seen;
  if (missing == 0) return;
  for (const Index gene : gene_of_) {
    if (gene >= 0) known.erase(components.genes[gene]);
  }
  std::string first = known.begin()->first;
  for (const auto& [name, place] : known) {
    if (place < known.at(first)) first = name;
  }
  throw InvalidData(fmt::format(
      "{}: {} of {} genes are not there, the first is \"{}\"; give all files the same genes.",
      reader_->name(), missing, components.genes.size(), first));
}

Index GeneRows::read(SparseBlock& rows, Table& others, Index first_other, Index max_rows) {
  rows.clear();
  if (gene_of_.empty()) {
    const Index count = reader_->read(rows, others, first_other, max_rows);
    normalize(rows);
    return count;
  }
  read_.clear();
  const Index count = reader_->read(read_, others, first_other, max_rows);
  for (Index i = 0; i < count; ++i) {
    for (Index k = read_.starts[i]; k < read_.starts[i + 1]; ++k) {
      const Index gene = gene_of_[read_.columns[k]];
      if (gene >= 0) rows.add(gene, read_.values[k]);
    }
    rows.end_row();
  }
  normalize(rows);
  return count;
}

void GeneRows::normalize(SparseBlock& rows) {
  of_counts_ = of_counts_ && std::all_of(rows.values.begin(), rows.values.end(), [](double value) {
                 return value >= 0 && value == std::floor(value);
               });
  components_.normalize(rows);
}

Table table_of(const TableSchema& schema) {
  Table out;
  for (const ColumnInfo& column : schema) out.columns.push_back({column.name, column.type, {}, {}});
  return out;
}

}  // namespace conflux
