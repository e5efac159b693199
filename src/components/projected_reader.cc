#include <fmt/format.h>

#include <algorithm>

#include "components/gene_rows.h"
#include "tables/table_format.h"

namespace conflux {

namespace {

class GeneProjection final : public ProjectedReader {
 public:
  GeneProjection(std::unique_ptr<SparseReader> reader, const Components& components, int threads)
      : components_(components), workers_(threads), rows_(std::move(reader), components) {
    for (const std::string& name : components.names()) {
      schema_.push_back({name, ColumnType::kNumeric});
    }
    const TableSchema& others = rows_.reader().others();
    schema_.insert(schema_.end(), others.begin(), others.end());
  }

  const TableSchema& schema() override { return schema_; }
  const SparseBlock& last_rows() const override { return block_; }
  const Matrix& last_scores() const override { return scores_; }

  std::vector<std::string> notes() override {
    std::vector<std::string> out = rows_.reader().notes();
    if (rows_.left_out() > 0) {
      out.push_back(fmt::format("{}: {} genes that the model does not have are left out",
                                rows_.reader().name(), rows_.left_out()));
    }
    return out;
  }

  bool read(Table& block, Index max_rows) override {
    start_block(block, schema_, rows_.reader().name(), done_, max_rows);
    block.extras = rows_.reader().extras();
    const Index count = rows_.read(block_, block, components_.count(), max_rows);
    scores_ = components_.scores(block_, workers_);
    for (Index k = 0; k < components_.count(); ++k) {
      std::vector<double>& numbers = block.columns[k].numbers;
      for (Index i = 0; i < count; ++i) numbers.push_back(scores_(i, k));
    }
    done_ += count;
    return count > 0;
  }

  // Genes wait in blocks, components for all rows.
  Table read_rest() override {
    constexpr Index kBlock = 4096;
    Table whole;
    read(whole, kBlock);
    for (Table block; whole.num_rows() > 0 && read(block, kBlock);) whole.append(block);
    return whole;
  }

 private:
  const Components& components_;
  Workers workers_;
  GeneRows rows_;
  TableSchema schema_;
  SparseBlock block_;
  Matrix scores_;
  Index done_ = 0;
};

}  // namespace

std::unique_ptr<ProjectedReader> open_projected(const std::string& path, TableOptions table,
                                                const Components& components) {
  // An entry of obsm has as many columns as the model has features: rows of the shared space.
  if (table.use_rep.empty()) table.use_rep = "X";
  table.numeric = components.names();
  auto reader = path == "-" ? nullptr : open_sparse(path, table);
  if (!reader || !reader->measured()) return nullptr;
  return std::make_unique<GeneProjection>(std::move(reader), components, table.threads);
}

}  // namespace conflux
