// Finds out what the columns of a table mean.
//
// Numbers that are all multiples of a decimal unit are whole; values that many rows have are atoms;
// a text with few values is a category; a text with many values, or a column that numbers the rows,
// is copied unchanged. A feature that is never negative, or never leaves [0, 1], has that support.
// Features in different units are divided by their standard deviation within groups; those with a
// dominant atom or very heavy tails get the normal-score transform; coordinates of one unit
// (principal components, pixels) are not scaled. Every choice can be overruled by name.
//
// Cost: one pass over the table and a sort of at most 50,000 values per group and feature.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conflux/columns/columns.h"
#include "conflux/core/group_set.h"

namespace conflux {

enum class ScaleChoice { kAuto, kStandard, kNormal, kNone };
/// Whether repeated values are spread over their cells.
enum class Repeats { kSpread, kKeep };

struct ColumnOptions {
  /// Columns that are no features, such as ids, groups and labels.
  std::vector<std::string> drop = {};
  /// Columns that are read and never moved, each alone or with a word: "age", "age:linear",
  /// "month:cyclic", "angle:cyclic:360", "dose:category". See covariate.h.
  std::vector<std::string> keep = {};
  /// Features in this order; empty: all columns that can be.
  std::vector<std::string> features = {};
  /// Column and what it is: number, whole, repeated, category, ignore, or arcsinh:C for numbers
  /// that are scaled as arcsinh(value / C).
  std::vector<std::pair<std::string, std::string>> as = {};
  /// Column and its support: any, positive, unit, or LOW:HIGH.
  std::vector<std::pair<std::string, std::string>> support = {};
  /// The same cofactor for all numbers that have no word of their own; 0: none.
  double arcsinh = 0;
  ScaleChoice scale = ScaleChoice::kAuto;
  Repeats repeats = Repeats::kSpread;
  MissingRule missing = MissingRule::kAuto;
  std::uint64_t seed = 0;
  /// Column with an id per row, on which its noise depends; empty: noise depends on the position.
  std::string key = {};
};

/// Sets "scale", "repeats" or "missing" by one of its words, as every front end spells them. Throws
/// InvalidOption that names the words for another one.
void set_column_choice(ColumnOptions& options, std::string_view name, std::string_view word);
std::vector<std::string> column_choice_words(std::string_view name);

/// groups[i] is the group of row i, from 0 to num_groups - 1. Throws InvalidOption for names and
/// words that are unknown, InvalidData for cells that cannot be what their column is.
Columns find_columns(const Table& table, std::span<const Index> groups, Index num_groups,
                     const ColumnOptions& options, const Workers& workers);

/// The columns, and the coordinates of each group's rows, NaN for missing cells.
struct FoundColumns {
  Columns columns;
  std::vector<Matrix> rows;
};

/// As find_columns(), with the coordinates that it has computed on the way.
FoundColumns find_columns_and_rows(const Table& table, std::span<const Index> groups,
                                   Index num_groups, const ColumnOptions& options,
                                   const Workers& workers);

/// Replaces NaN in coordinates by draws from what is expected, so that their spread is kept.
void draw_missing(const Columns& columns, const Table& table, std::span<const Index> groups,
                  std::vector<Matrix>& rows);

/// The coordinates to fit on, one matrix per group: missing ones are drawn from what is expected,
/// so that their spread is kept.
std::vector<Matrix> coordinates_by_group(const Columns& columns, const Table& table,
                                         std::span<const Index> groups, Index num_groups,
                                         const Workers& workers);

/// Lets the columns know a group that is new to them: what it holds and what is expected in it.
void add_group(Columns& columns, const Table& table, const Workers& workers);

/// Rows without a missing cell among the features.
std::vector<Index> complete_rows(const Table& table, const Columns& columns);
/// Columns that were found among complete rows learn from those of all rows which numbers stand for
/// missing cells, for rows that come later.
void take_missing_codes(Columns& columns, const Columns& of_all_rows);

/// Finds the subject of each row (say, a patient): by the first copied column that is named like a
/// subject and has several rows, but not many, for each value. Empty if there is none. A row
/// without a value is a subject of its own. `rows` are the rows of each group in the table.
std::optional<RowsOfSubjects> find_subjects(const Table& table, const Columns& columns,
                                            const std::vector<std::vector<Index>>& rows);

}  // namespace conflux
