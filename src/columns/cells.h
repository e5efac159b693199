// Single cells of a table, as text or for messages.

#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>

#include "conflux/tables/table.h"

namespace conflux {

/// The value of a cell that is missing.
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A cell as it would be written; a missing number is empty.
std::string cell_text(const Column& column, Index row);

/// Letters of English in lower case.
std::string lower_case(std::string text);

/// Turns a column of numbers into one of text.
void make_text(Column& column);

/// Throws InvalidData if `value`, which stands there, is infinite.
void refuse_infinity(const Table& table, const Column& column, Index row, double value);

[[noreturn]] void refuse_missing_cell(const Table& table, const Column& column, Index row);
[[noreturn]] void refuse_missing_key(const Table& table, const Column& column, Index row);

/// `why` a column of text is no feature, and what to do if all its cells are numbers in disguise:
/// 12,345 or 1'000 or 20% or $9.50.
std::string hinted(std::string why, const std::unordered_map<std::string, Index>& cells);

/// 64 bits that tell one text from another (FNV-1a).
std::uint64_t digest_of(std::string_view text);

}  // namespace conflux
