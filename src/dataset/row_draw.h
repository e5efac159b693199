// Draws the rows that are fitted from rows that are read a block at a time.

#pragma once

#include <string>
#include <unordered_map>

#include "dataset/table_rows.h"
#include "training/pool_draw.h"

namespace conflux {

/// Appends the rows of a file to those of others.
void append_rows(Table& table, Table more);

class RowDraw {
 public:
  /// `options` must outlive this.
  explicit RowDraw(const DatasetOptions& options)
      : options_(options), draw_(options.fit_rows, options.seed) {}

  void add(TableRows more);
  /// Bytes of the rows that are kept.
  double memory() const;
  /// The rows that were drawn, or all of them if none had to be left out.
  TableRows finish();

 private:
  const DatasetOptions& options_;
  PoolDraw draw_;
  TableRows rows_;
  DrawnRows drawn_;
  std::unordered_map<std::string, std::size_t> group_codes_;
  std::unordered_map<std::string, std::size_t> label_codes_;
};

}  // namespace conflux
