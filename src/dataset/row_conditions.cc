#include "dataset/row_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "conflux/core/error.h"
#include "conflux/tables/table_groups.h"
#include "core/nearest_name.h"
#include "tables/number_text.h"

namespace conflux {

namespace {

struct Condition {
  std::string column;
  /// =, !=, <, <=, >, >=
  std::string sign;
  std::string value;

  bool by_spelling() const { return sign == "=" || sign == "!="; }
};

Condition parse_one(const std::string& text) {
  const std::size_t at = text.find_first_of("=<>!");
  if (at == std::string::npos || at == 0 || (text[at] == '!' && text.substr(at, 2) != "!=")) {
    throw InvalidOption(fmt::format(
        "the condition is \"{}\"; write COLUMN=VALUE, say type=control or year<1981.", text));
  }
  const bool longer = text[at] != '=' && at + 1 < text.size() && text[at + 1] == '=';
  Condition out{std::string(without_blanks(text.substr(0, at))), text.substr(at, longer ? 2 : 1),
                std::string(without_blanks(text.substr(at + (longer ? 2 : 1))))};
  double ignored = 0;
  if (!out.by_spelling() && !parse_number(out.value, ignored)) {
    throw InvalidOption(
        fmt::format("the condition is \"{}\", but \"{}\" is no number; write, say, year<1981.",
                    text, out.value));
  }
  return out;
}

std::vector<Condition> parse_all(const std::string& text) {
  constexpr std::string_view kAnd = " and ";
  std::vector<Condition> out;
  if (text.empty()) return out;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(kAnd, begin);
    out.push_back(parse_one(text.substr(begin, end - begin)));
    if (end == text.npos) return out;
    begin = end + kAnd.size();
  }
}

bool compare(double a, const std::string& sign, double b) {
  if (sign == "<") return a < b;
  if (sign == "<=") return a <= b;
  if (sign == ">") return a > b;
  return a >= b;
}

std::vector<double> numbers_of(const Table& table, const Condition& condition) {
  const Column& column = table[condition.column];
  if (column.numeric()) return column.numbers;
  std::vector<double> out;
  for (Index i = 0; i < column.size(); ++i) {
    double number = std::numeric_limits<double>::quiet_NaN();
    if (!is_missing(column.text[i]) && !parse_number(column.text[i], number)) {
      throw InvalidData(fmt::format(
          "{}, column \"{}\": \"{}\" is no number, so it is neither above nor below {}; compare "
          "with = or !=.",
          table.place(i), condition.column, column.text[i], condition.value));
    }
    out.push_back(number);
  }
  return out;
}

std::vector<char> truth_of(const Table& table, const Condition& condition) {
  std::vector<char> out;
  if (condition.by_spelling()) {
    for (const std::string& value : groups_of_rows(table, condition.column)) {
      out.push_back((value == condition.value) == (condition.sign == "=") ? 1 : 0);
    }
    return out;
  }
  double limit = 0;
  parse_number(condition.value, limit);
  // Missing numbers satisfy nothing.
  for (const double value : numbers_of(table, condition)) {
    out.push_back(compare(value, condition.sign, limit) ? 1 : 0);
  }
  return out;
}

[[noreturn]] void refuse_nothing(const Table& table, const std::string& text) {
  const Condition first = parse_all(text).front();
  if (first.by_spelling() && parse_all(text).size() == 1) {
    std::vector<std::string> known = groups_of_rows(table, first.column);
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    throw InvalidData(fmt::format("{}: column \"{}\" has {}", table.source, first.column,
                                  unknown_name("value", first.value, known)));
  }
  std::string range;
  if (!first.by_spelling()) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const double number : numbers_of(table, first)) {
      least = std::fmin(least, number);
      most = std::fmax(most, number);
    }
    range = fmt::format(" (\"{}\" goes from {} to {})", first.column, least, most);
  }
  throw InvalidData(fmt::format("{}: \"{}\" is true of no row{}; choose another condition.",
                                table.source, text, range));
}

}  // namespace

std::vector<std::string> condition_columns(const std::string& condition) {
  std::vector<std::string> out;
  for (const Condition& each : parse_all(condition)) out.push_back(each.column);
  return out;
}

std::vector<std::string> spelled_in(const std::string& condition) {
  std::vector<std::string> out;
  for (const Condition& each : parse_all(condition)) {
    if (each.by_spelling()) out.push_back(each.column);
  }
  return out;
}

std::vector<Index> rows_where(const Table& table, const std::string& condition) {
  std::vector<char> all(static_cast<std::size_t>(table.num_rows()), 1);
  for (const Condition& each : parse_all(condition)) {
    const std::vector<char> truth = truth_of(table, each);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = all[i] != 0 && truth[i] != 0 ? 1 : 0;
  }
  std::vector<Index> kept;
  for (Index i = 0; i < table.num_rows(); ++i) {
    if (all[i]) kept.push_back(i);
  }
  if (kept.empty() && table.num_rows() > 0) refuse_nothing(table, condition);
  return kept;
}

}  // namespace conflux
