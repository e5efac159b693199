#include "tables/sparse_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "tables/table_format.h"

namespace conflux {

namespace {

// Numbers that are read at a time.
constexpr Index kNumbersPerSlice = Index{1} << 20;

class DenseTable final : public TableReader {
 public:
  explicit DenseTable(std::unique_ptr<SparseReader> rows) : rows_(std::move(rows)) {
    for (const std::string& name : rows_->features()) {
      schema_.push_back({name, ColumnType::kNumeric});
    }
    schema_.insert(schema_.end(), rows_->others().begin(), rows_->others().end());
  }

  const TableSchema& schema() override { return schema_; }
  std::vector<std::string> notes() override { return rows_->notes(); }

  bool read(Table& block, Index max_rows) override {
    start_block(block, schema_, rows_->name(), done_, max_rows);
    block.extras = rows_->extras();
    const auto cols = static_cast<Index>(rows_->features().size());
    const Index slice = std::max<Index>(1, kNumbersPerSlice / std::max<Index>(1, cols));
    Index filled = 0;
    while (filled < max_rows) {
      const Index wanted = std::min(slice, max_rows - filled);
      slice_.clear();
      const Index got = rows_->read(slice_, block, cols, wanted);
      add_slice(block, cols, filled);
      filled += got;
      if (got < wanted) break;
    }
    done_ += filled;
    return filled > 0;
  }

 private:
  void add_slice(Table& block, Index cols, Index before) const {
    for (Index j = 0; j < cols; ++j) {
      block.columns[j].numbers.resize(static_cast<std::size_t>(before + slice_.rows()));
    }
    for (Index i = 0; i < slice_.rows(); ++i) {
      for (Index k = slice_.starts[i]; k < slice_.starts[i + 1]; ++k) {
        block.columns[slice_.columns[k]].numbers[before + i] += slice_.values[k];
      }
    }
  }

  std::unique_ptr<SparseReader> rows_;
  TableSchema schema_;
  SparseBlock slice_;
  Index done_ = 0;
};

}  // namespace

void SparseBlock::clear() {
  starts.assign(1, 0);
  columns.clear();
  values.clear();
}

std::unique_ptr<TableReader> dense_table(std::unique_ptr<SparseReader> rows) {
  return std::make_unique<DenseTable>(std::move(rows));
}

std::string DifferentNames::take(const std::string& name, const std::string& prefix) {
  std::string unique = name;
  for (Index k = 2; !taken_.insert(unique).second; ++k) {
    unique =
        taken_.count(prefix + name) == 0 ? prefix + name : fmt::format("{}{}-{}", prefix, name, k);
  }
  return unique;
}

}  // namespace conflux
