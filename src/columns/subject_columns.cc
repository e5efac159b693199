#include "columns/subject_columns.h"

#include <cctype>
#include <cmath>
#include <map>

#include "columns/cells.h"
#include "conflux/columns/find_columns.h"

namespace conflux {

namespace {

// Above 20 rows per subject, rows are treated as independent.
constexpr double kMostRowsOfSubject = 20;
// A few rows that were entered twice do not matter.
constexpr double kFewestRowsOfSubject = 1.1;

// Equal values get equal numbers, and each missing one its own.
template <class Value, class IsMissing>
std::vector<Index> numbered(const std::vector<Value>& values, IsMissing is_missing, Index& count) {
  std::map<Value, Index> known;
  std::vector<Index> out;
  count = 0;
  for (const Value& value : values) {
    if (is_missing(value)) {
      out.push_back(count++);
      continue;
    }
    const auto [place, is_new] = known.try_emplace(value, count);
    if (is_new) ++count;
    out.push_back(place->second);
  }
  return out;
}

}  // namespace

bool names_subjects(const std::string& column) {
  const std::string lower = lower_case(column);
  if (lower == "id" || lower == "pid" || lower == "uid") return true;
  if (lower.ends_with("_id") || lower.ends_with(" id")) return true;
  if (column.size() < 3 || !(column.ends_with("Id") || column.ends_with("ID"))) return false;
  return std::islower(static_cast<unsigned char>(column[column.size() - 3])) != 0;
}

std::optional<RowsOfSubjects> find_subjects(const Table& table, const Columns& columns,
                                            const std::vector<std::vector<Index>>& rows) {
  for (const CarriedColumn& carried : columns.carried) {
    if (!names_subjects(carried.name) || !table.has(carried.name)) continue;
    const Column& column = table[carried.name];
    Index count = 0;
    const std::vector<Index> things =
        column.numeric()
            ? numbered(
                  column.numbers, [](double value) { return std::isnan(value); }, count)
            : numbered(
                  column.text, [](const std::string& text) { return is_missing(text); }, count);
    const double rows_of_subject = static_cast<double>(things.size()) / static_cast<double>(count);
    if (!(rows_of_subject >= kFewestRowsOfSubject && rows_of_subject <= kMostRowsOfSubject))
      continue;
    RowsOfSubjects out{.column = carried.name};
    for (const std::vector<Index>& own : rows) {
      auto& of_group = out.subject_of.emplace_back();
      for (const Index row : own) of_group.push_back(things[static_cast<std::size_t>(row)]);
    }
    return out;
  }
  return std::nullopt;
}

}  // namespace conflux
