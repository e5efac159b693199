// What the cells of each column are, found in one pass.
//
//   FactsCollector collector;
//   for (Table block; reader->read(block, 65536);) collector.add(block);
//   for (const ColumnFacts& column : collector.facts()) ...
//
// Blocks may come from several files with the same column names; a column may be numeric in one and
// text in another. Memory does not grow with the number of rows: at most kMostDistinct values of a
// column are told apart. The result does not depend on how rows are cut into blocks, nor on the
// number of threads.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conflux/tables/table.h"

namespace conflux {

/// Columns with more values than this are not lists of codes or grades.
inline constexpr Index kMostDistinct = 4096;

/// Longer spellings are free text; they are counted, but not told apart.
inline constexpr std::size_t kLongestDistinct = 256;

/// A cell with the place to look for it.
struct CellPlace {
  /// The file.
  std::string source;
  /// "cells.csv, line 7"; rows instead of lines for files that have none. Both count from 1, and
  /// the header is line 1.
  std::string place;
  /// As it is spelled; numbers of binary formats with the fewest digits that read back.
  std::string value;
};

struct ColumnFacts {
  std::string name;

  /// Every cell is one of these three.
  Index missing = 0;
  Index numbers = 0;
  Index texts = 0;

  /// Numbers that are infinite; they are among `numbers`.
  Index infinite = 0;
  /// Smallest and largest finite number; NaN when there is none.
  double least = 0;
  double greatest = 0;
  /// Whether every finite number is a whole one; false when there is none.
  bool whole = false;

  /// Distinct finite numbers, increasing, with the number of cells that hold each. When
  /// `more_values` is set these are only the first kMostDistinct that occurred; their counts
  /// are complete.
  std::vector<std::pair<double, Index>> values;
  bool more_values = false;

  /// Distinct spellings, in the order of their bytes, of all cells that are not missing; filled
  /// for blocks in which the column is text. `more_spellings` as above.
  std::vector<std::pair<std::string, Index>> spellings;
  bool more_spellings = false;

  std::optional<CellPlace> first_number;
  std::optional<CellPlace> first_text;
  std::optional<CellPlace> first_missing;
  std::optional<CellPlace> first_infinite;

  Index rows() const { return missing + numbers + texts; }
};

class FactsCollector {
 public:
  /// threads = 0 uses every core.
  explicit FactsCollector(int threads = 0);
  ~FactsCollector();
  FactsCollector(FactsCollector&&) noexcept;
  FactsCollector& operator=(FactsCollector&&) noexcept;

  /// Throws InvalidData when a block does not have the columns of the first.
  void add(const Table& block);

  /// One for each column, in the order of the first block.
  std::vector<ColumnFacts> facts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether a column holds numbers apart from a few stray texts: at least nine of ten cells that
/// are not missing are numbers, and some are not.
bool has_stray_text(const ColumnFacts& column);

/// The sentence for such a column: names the first text with its place, how many there are, and
/// the remedies. Names both files when one file holds only numbers and another text.
std::string stray_text_message(const ColumnFacts& column);

}  // namespace conflux
