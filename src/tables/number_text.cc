#include "tables/number_text.h"

#include <fast_float/fast_float.h>
#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace conflux {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] | 0x20) != lower[i]) return false;
  }
  return true;
}

}  // namespace

const char* read_decimal(const char* begin, const char* end, double& value) {
  const char* digits = begin;
  if (digits != end && (*digits == '-' || *digits == '+')) ++digits;
  // Keeps out the words and signs that fast_float would also take.
  if (digits == end || !(is_digit(*digits) || *digits == '.')) return nullptr;
  if (*begin == '+') begin = digits;
  const auto [stop, error] = fast_float::from_chars(begin, end, value);
  if (error == std::errc()) return std::isinf(value) ? nullptr : stop;
  // Too small for a double is zero, correctly rounded; too large is not a number we can hold.
  return error == std::errc::result_out_of_range && value == 0 ? stop : nullptr;
}

bool parse_number(std::string_view cell, double& value) {
  cell = without_blanks(cell);
  const char* end = cell.data() + cell.size();
  if (const char* stop = read_decimal(cell.data(), end, value)) return stop == end;
  if (cell.empty()) return false;
  const bool negative = cell.front() == '-';
  if (negative || cell.front() == '+') cell.remove_prefix(1);
  if (!equals_ignoring_case(cell, "inf") && !equals_ignoring_case(cell, "infinity")) return false;
  value =
      negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  return true;
}

bool parse_comma_number(std::string_view cell, double& value) {
  if (cell.find('.') != cell.npos) return false;
  std::string with_point(cell);
  const auto comma = with_point.find(',');
  if (comma != with_point.npos) with_point[comma] = '.';
  return parse_number(with_point, value);
}

void append_number(std::string& text, double value) {
  fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), value);
}

std::string_view without_blanks(std::string_view cell) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!cell.empty() && blank(cell.front())) cell.remove_prefix(1);
  while (!cell.empty() && blank(cell.back())) cell.remove_suffix(1);
  return cell;
}

}  // namespace conflux
