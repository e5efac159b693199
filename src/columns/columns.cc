#include "conflux/columns/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "columns/cells.h"
#include "columns/coder.h"
#include "columns/expectation.h"
#include "columns/kept_columns.h"
#include "columns/missing_codes.h"
#include "conflux/core/error.h"
#include "tables/number_text.h"

namespace conflux {

namespace {

// Rows of a task stay in the nearest cache while one feature after the other is written.
constexpr Index kRowsPerTask = 256;

// Positions of the features in a table.
std::vector<Index> places(const Columns& columns, const Table& table) {
  std::vector<Index> out;
  for (const Feature& feature : columns.features) out.push_back(table.find(feature.name));
  return out;
}

void require_numbers(const Table& table, const Column& column) {
  if (column.numeric()) return;
  throw InvalidData(
      fmt::format("{}: column \"{}\" holds text, but a number is expected; read it as numbers.",
                  table.source, column.name));
}

// Tells numbers that stand for missing cells, those that only new rows have among them.
struct MissingNumbers {
  const Feature* feature = nullptr;
  Interval held = {};

  bool contain(double value) const {
    return feature->is_missing_code(value) || is_new_code(held, value);
  }
};

std::vector<MissingNumbers> missing_numbers(const Columns& columns) {
  // Nothing lies far from an interval without a width.
  constexpr Interval kNone{0, 0};
  std::vector<MissingNumbers> out;
  out.reserve(columns.features.size());
  for (const Feature& feature : columns.features) {
    const bool sought = columns.missing != MissingRule::kEmpty && !feature.category();
    out.push_back({&feature, sought ? held_by_all(feature) : kNone});
  }
  return out;
}

// Missing numbers, missing texts and texts that the fit has not seen are all NaN.
double value_at(const Feature& feature, const MissingNumbers& codes, const Column& column,
                Index row) {
  if (!feature.category()) {
    const double value = column.numbers[static_cast<std::size_t>(row)];
    return codes.contain(value) ? kNan : value;
  }
  // Frequent categories come first, and none of them is a word for missing.
  const Index code = column.numeric()
                         ? feature.category_of(cell_text(column, row))
                         : feature.category_of(column.text[static_cast<std::size_t>(row)]);
  return code < 0 ? kNan : static_cast<double>(code);
}

std::vector<FeatureCoder> coders(const Columns& columns) {
  std::vector<FeatureCoder> out;
  for (std::size_t j = 0; j < columns.features.size(); ++j) {
    out.emplace_back(columns.features[j], columns.seed, j);
  }
  return out;
}

// Prefix, in the shared space, of a category that the fit has not seen; known categories are
// numbers there.
constexpr std::string_view kNew = "new:";

// Numbers, unless a new category has to be carried among them.
void put_shared_category(Column& column, std::vector<double> points) {
  bool carries = false;
  for (Index i = 0; i < column.size() && !carries; ++i) {
    carries = std::isnan(points[i]) && !is_missing(cell_text(column, i));
  }
  if (!carries) {
    column = {column.name, ColumnType::kNumeric, std::move(points), {}};
    return;
  }
  make_text(column);
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::string& cell = column.text[i];
    if (!std::isnan(points[i])) {
      cell.clear();
      append_number(cell, points[i]);
    } else if (is_missing(cell)) {
      cell.clear();
    } else {
      cell.insert(0, kNew);
    }
  }
}

// NaN where a cell is missing or holds a new category.
double shared_number(const Table& table, const Column& column, Index row) {
  if (column.numeric()) return column.numbers[static_cast<std::size_t>(row)];
  const std::string& cell = column.text[static_cast<std::size_t>(row)];
  if (is_missing(cell) || cell.starts_with(kNew)) return kNan;
  double out = 0;
  if (parse_number(cell, out)) return out;
  throw InvalidData(
      fmt::format("{}, column \"{}\": \"{}\" is not a number, as rows of the shared space have; "
                  "give a table that conflux transform wrote.",
                  table.place(row), column.name, cell));
}

}  // namespace

std::vector<std::string> Columns::feature_names() const {
  std::vector<std::string> out;
  for (const Feature& feature : features) out.push_back(feature.name);
  return out;
}

std::vector<std::string> Columns::category_names() const {
  std::vector<std::string> out;
  for (const Feature& feature : features) {
    if (feature.category()) out.push_back(feature.name);
  }
  return out;
}

std::vector<std::uint64_t> Columns::row_names(const Table& table) const {
  std::vector<std::uint64_t> out(static_cast<std::size_t>(table.num_rows()));
  if (key.empty()) {
    std::iota(out.begin(), out.end(), static_cast<std::uint64_t>(table.first_row));
    return out;
  }
  const Column& keys = table[key];
  for (Index i = 0; i < table.num_rows(); ++i) {
    const std::string text = cell_text(keys, i);
    if (is_missing(text)) refuse_missing_key(table, keys, i);
    out[static_cast<std::size_t>(i)] = digest_of(text);
  }
  return out;
}

Matrix Columns::coordinates(const Table& table, const Workers& workers) const {
  const std::vector<Index> one_group(static_cast<std::size_t>(table.num_rows()), 0);
  return std::move(coordinates_of_groups(table, one_group, 1, workers).front());
}

std::vector<Matrix> Columns::coordinates_of_groups(const Table& table,
                                                   std::span<const Index> groups, Index num_groups,
                                                   const Workers& workers) const {
  const std::vector<Index> at = places(*this, table);
  std::vector<std::uint64_t> names = row_names(table);
  for (std::uint64_t& name : names) name = mixed_bits(name);
  const std::vector<FeatureCoder> coder = coders(*this);
  const std::vector<MissingNumbers> codes = missing_numbers(*this);
  for (std::size_t j = 0; j < features.size(); ++j) {
    if (!features[j].category()) require_numbers(table, table.columns[at[j]]);
  }
  std::vector<Index> sizes(static_cast<std::size_t>(num_groups), 0), place;
  place.reserve(groups.size());
  for (const Index group : groups) place.push_back(sizes[static_cast<std::size_t>(group)]++);
  std::vector<Matrix> out;
  out.reserve(sizes.size());
  for (const Index size : sizes) out.emplace_back(size, width());
  const CovariateReader covariates(*this, table);
  workers.for_each_block(table.num_rows(), kRowsPerTask, [&](Index begin, Index end) {
    for (std::size_t j = 0; j < features.size(); ++j) {
      const Column& column = table.columns[at[j]];
      for (Index i = begin; i < end; ++i) {
        double& coordinate = out[groups[i]](place[i], static_cast<Index>(j));
        const double value = value_at(features[j], codes[j], column, i);
        if (std::isfinite(value)) {
          coordinate = coder[j].coordinate(value, names[static_cast<std::size_t>(i)]);
          continue;
        }
        refuse_infinity(table, column, i, value);
        if (missing == MissingRule::kRefuse) refuse_missing_cell(table, column, i);
        coordinate = kNan;
      }
    }
    for (Index i = begin; i < end; ++i) {
      covariates.read(i, out[groups[i]].row(place[i]).data() + features.size());
    }
  });
  return out;
}

void Columns::put_values(Table& table, ConstRows rows, std::span<const Index> from,
                         std::span<const Index> to, const Workers& workers) const {
  const std::vector<Index> at = places(*this, table);
  const std::vector<FeatureCoder> coder = coders(*this);
  for (std::size_t j = 0; j < features.size(); ++j) {
    const Feature& feature = features[j];
    Column& column = table.columns[at[j]];
    if (feature.category()) {
      make_text(column);
    } else {
      require_numbers(table, column);
    }
    workers.for_each_block(rows.rows(), kRowsPerTask, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const double coordinate = rows(i, static_cast<Index>(j));
        if (std::isnan(coordinate)) continue;
        const double point = coder[j].point(coordinate);
        double value =
            from[i] == to[i] ? feature.gathered(point) : feature.fitted_to_group(point, to[i]);
        if (!feature.category()) {
          column.numbers[i] = value;
          continue;
        }
        value =
            std::round(std::clamp(value, 0.0, static_cast<double>(feature.categories.size() - 1)));
        column.text[i] = feature.categories[static_cast<std::size_t>(value)];
      }
    });
  }
}

Matrix Columns::shared_coordinates(const Table& table, const Workers& workers) const {
  const std::vector<Index> at = places(*this, table);
  Matrix out(table.num_rows(), width());
  const std::vector<FeatureCoder> coder = coders(*this);
  const std::vector<MissingNumbers> codes = missing_numbers(*this);
  for (std::size_t j = 0; j < features.size(); ++j) {
    if (!features[j].category()) require_numbers(table, table.columns[at[j]]);
  }
  const CovariateReader covariates(*this, table);
  workers.for_each_block(out.rows(), kRowsPerTask, [&](Index begin, Index end) {
    for (std::size_t j = 0; j < features.size(); ++j) {
      const Column& column = table.columns[at[j]];
      for (Index i = begin; i < end; ++i) {
        const double point = shared_number(table, column, i);
        refuse_infinity(table, column, i, point);
        const bool missing_here = std::isnan(point) || codes[j].contain(point);
        out(i, static_cast<Index>(j)) = missing_here ? kNan : coder[j].coordinate_of_point(point);
      }
    }
    for (Index i = begin; i < end; ++i) {
      covariates.read(i, out.row(i).data() + features.size());
    }
  });
  return out;
}

void Columns::put_shared(Table& table, ConstRows rows, const Workers& workers) const {
  const std::vector<Index> at = places(*this, table);
  const std::vector<FeatureCoder> coder = coders(*this);
  for (std::size_t j = 0; j < features.size(); ++j) {
    Column& column = table.columns[at[j]];
    // A number that stands for a missing cell stays.
    std::vector<double> points(static_cast<std::size_t>(rows.rows()), kNan);
    if (!features[j].category() && column.numeric()) points = column.numbers;
    workers.for_each_block(rows.rows(), kRowsPerTask, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const double coordinate = rows(i, static_cast<Index>(j));
        if (!std::isnan(coordinate)) points[i] = coder[j].point(coordinate);
      }
    });
    if (features[j].category()) {
      put_shared_category(column, std::move(points));
    } else {
      column = {column.name, ColumnType::kNumeric, std::move(points), {}};
    }
  }
}

void Columns::unmark_new_categories(Table& table) const {
  for (const Feature& feature : features) {
    if (!feature.category()) continue;
    for (std::string& cell : table.columns[table.find(feature.name)].text) {
      if (cell.starts_with(kNew)) cell.erase(0, kNew.size());
    }
  }
}

std::map<std::string, Index> Columns::new_categories(const Table& table,
                                                     std::span<const std::string> names) const {
  std::map<std::string, Index> out;
  for (std::size_t j = 0; j < features.size(); ++j) {
    if (!features[j].category()) continue;
    const Column& column = table[names[j]];
    for (Index i = 0; i < column.size(); ++i) {
      const std::string text = cell_text(column, i);
      if (is_missing(text) || features[j].category_of(text) >= 0) continue;
      ++out[fmt::format("\"{}\" of column \"{}\"", text, column.name)];
    }
  }
  return out;
}

void Columns::fill_missing(Rows rows, Index group) const {
  for (Index i = 0; i < rows.rows(); ++i) fill_covariates(rows.row(i), group);
  fill_expected(expected[static_cast<std::size_t>(group)], rows);
}

}  // namespace conflux
