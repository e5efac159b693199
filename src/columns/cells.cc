#include "columns/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "conflux/core/error.h"
#include "tables/number_text.h"

namespace conflux {

std::string cell_text(const Column& column, Index row) {
  const auto i = static_cast<std::size_t>(row);
  if (!column.numeric()) return column.text[i];
  std::string out;
  if (!std::isnan(column.numbers[i])) append_number(out, column.numbers[i]);
  return out;
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

void make_text(Column& column) {
  if (!column.numeric()) return;
  const Index rows = column.size();
  std::vector<std::string> text;
  for (Index i = 0; i < rows; ++i) text.push_back(cell_text(column, i));
  column.type = ColumnType::kText;
  column.text = std::move(text);
  column.numbers.clear();
}

void refuse_infinity(const Table& table, const Column& column, Index row, double value) {
  if (!std::isinf(value)) return;
  throw InvalidData(
      fmt::format("{}, column \"{}\" is {}; correct the cell, or leave it empty if it is missing.",
                  table.place(row), column.name, value));
}

void refuse_missing_cell(const Table& table, const Column& column, Index row) {
  const std::string cell = cell_text(column, row);
  throw InvalidData(fmt::format(
      "{}, column \"{}\" is {}, and missing cells are refused; fill the cell, or fit with "
      "--missing auto.",
      table.place(row), column.name,
      is_missing(cell) ? "missing" : cell + ", which stands for a missing cell"));
}

void refuse_missing_key(const Table& table, const Column& column, Index row) {
  throw InvalidData(fmt::format(
      "{}, column \"{}\" is missing, but it is the key that names the row; fill the cell, or fit "
      "without --key.",
      table.place(row), column.name));
}

namespace {

bool looks_like_number(std::string_view text) {
  constexpr std::string_view kAround[] = {"+", "-", "$", "%", "€", "£", " "};
  for (const std::string_view sign : kAround) {
    if (text.starts_with(sign)) text.remove_prefix(sign.size());
    if (text.ends_with(sign)) text.remove_suffix(sign.size());
  }
  constexpr std::string_view kDigits = "0123456789";
  return !text.empty() && kDigits.find(text.front()) != kDigits.npos &&
         text.find_first_not_of("0123456789.,' ") == text.npos;
}

}  // namespace

std::string hinted(std::string why, const std::unordered_map<std::string, Index>& cells) {
  const bool numbers = std::all_of(cells.begin(), cells.end(),
                                   [](const auto& cell) { return looks_like_number(cell.first); });
  if (why.empty() || cells.size() < 2 || !numbers) return why;
  return why + "; if these are numbers, write them plainly, say 12345.5, to use them";
}

std::uint64_t digest_of(std::string_view text) {
  std::uint64_t out = 0xcbf29ce484222325;
  for (const char c : text) {
    out ^= static_cast<unsigned char>(c);
    out *= 0x100000001b3;
  }
  return out;
}

}  // namespace conflux
