#include "conflux/columns/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "columns/cells.h"
#include "columns/expectation.h"
#include "conflux/core/error.h"
#include "core/rng.h"

namespace conflux {

namespace {

constexpr Index kRowsPerTask = 4096;

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

// Missing numbers, missing texts and texts that the fit has not seen are all NaN.
double value_at(const Feature& feature, const Column& column, Index row) {
  if (!feature.category()) return column.numbers[static_cast<std::size_t>(row)];
  const std::string text = cell_text(column, row);
  if (is_missing(text)) return kNan;
  const Index code = feature.category_of(text);
  return code < 0 ? kNan : static_cast<double>(code);
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

Matrix Columns::coordinates(const Table& table, const Workers& workers) const {
  const std::vector<Index> at = places(*this, table);
  Matrix out(table.num_rows(), static_cast<Index>(features.size()));
  for (std::size_t j = 0; j < features.size(); ++j) {
    if (!features[j].category()) require_numbers(table, table.columns[at[j]]);
  }
  workers.for_each_block(out.rows(), kRowsPerTask, [&](Index begin, Index end) {
    for (std::size_t j = 0; j < features.size(); ++j) {
      const Feature& feature = features[j];
      const Column& column = table.columns[at[j]];
      for (Index i = begin; i < end; ++i) {
        const double value = value_at(feature, column, i);
        refuse_infinity(table, column, i, value);
        if (std::isnan(value)) {
          if (missing == MissingRule::kRefuse) refuse_missing_cell(table, column, i);
          out(i, static_cast<Index>(j)) = kNan;
          continue;
        }
        double point = value;
        if (feature.has_cell(value)) {
          Stream noise(seed, Purpose::kJitter, static_cast<std::uint64_t>(table.first_row + i), j);
          point = feature.spread(value, noise.uniform());
        }
        out(i, static_cast<Index>(j)) = feature.coordinate(point);
      }
    }
  });
  return out;
}

void Columns::put_values(Table& table, ConstRows rows, std::span<const Index> from,
                         std::span<const Index> to, const Workers& workers) const {
  const std::vector<Index> at = places(*this, table);
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
        const double point = feature.point(coordinate);
        double value =
            from[i] == to[i] ? feature.gathered(point) : feature.fitted_to_group(point, to[i]);
        if (!feature.category()) {
          column.numbers[i] = value;
          continue;
        }
        value = std::clamp(value, 0.0, static_cast<double>(feature.categories.size() - 1));
        column.text[i] = feature.categories[static_cast<std::size_t>(value)];
      }
    });
  }
}

Matrix Columns::shared_coordinates(const Table& table, const Workers& workers) const {
  const std::vector<Index> at = places(*this, table);
  Matrix out(table.num_rows(), static_cast<Index>(features.size()));
  for (const Index place : at) require_numbers(table, table.columns[place]);
  workers.for_each_block(out.rows(), kRowsPerTask, [&](Index begin, Index end) {
    for (std::size_t j = 0; j < features.size(); ++j) {
      const Column& column = table.columns[at[j]];
      for (Index i = begin; i < end; ++i) {
        const double point = column.numbers[i];
        refuse_infinity(table, column, i, point);
        out(i, static_cast<Index>(j)) = std::isnan(point) ? kNan : features[j].coordinate(point);
      }
    }
  });
  return out;
}

void Columns::put_shared(Table& table, ConstRows rows, const Workers& workers) const {
  const std::vector<Index> at = places(*this, table);
  for (std::size_t j = 0; j < features.size(); ++j) {
    Column& column = table.columns[at[j]];
    column.type = ColumnType::kNumeric;
    column.text.clear();
    column.numbers.resize(static_cast<std::size_t>(rows.rows()));
    workers.for_each_block(rows.rows(), kRowsPerTask, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const double coordinate = rows(i, static_cast<Index>(j));
        column.numbers[i] = std::isnan(coordinate) ? kNan : features[j].point(coordinate);
      }
    });
  }
}

void Columns::fill_missing(Rows rows, Index group) const {
  fill_expected(expected[static_cast<std::size_t>(group)], rows);
}

namespace {

std::string decimals_text(const Feature& feature) {
  if (feature.decimals == 0) return "whole numbers";
  return fmt::format("multiples of {:g}", std::pow(10.0, -feature.decimals));
}

std::string kind_text(const Feature& feature) {
  switch (feature.kind) {
    case FeatureKind::kNumber:
      return "numbers";
    case FeatureKind::kWhole:
      return decimals_text(feature);
    case FeatureKind::kCategory:
      return fmt::format("{} categories", feature.categories.size());
    case FeatureKind::kRepeated:
      break;
  }
  const auto largest =
      std::max_element(feature.atoms.begin(), feature.atoms.end(),
                       [](const Atom& a, const Atom& b) { return a.share < b.share; });
  return fmt::format(
      "numbers, {} in up to {:.0f} % of a group's rows{}", largest->value, 100 * largest->share,
      feature.atoms.size() > 1 ? fmt::format(" and {} more that repeat", feature.atoms.size() - 1)
                               : "");
}

std::string support_text(const Feature& feature) {
  const auto [low, high] = feature.support;
  if (std::isinf(low) && std::isinf(high)) return "";
  if (std::isinf(high)) return low == 0 ? ", never negative" : fmt::format(", from {:g}", low);
  if (std::isinf(low)) return fmt::format(", up to {:g}", high);
  return fmt::format(", from {:g} to {:g}", low, high);
}

std::string scale_text(const Feature& feature) {
  switch (feature.scale) {
    case FeatureScale::kStandard:
      return ", standardised";
    case FeatureScale::kNormal:
      return ", as normal scores";
    case FeatureScale::kNone:
      break;
  }
  return ", as they are";
}

}  // namespace

std::vector<std::string> Columns::describe() const {
  std::vector<std::string> out;
  for (const Feature& feature : features) {
    out.push_back(fmt::format("{}: {}{}{}", feature.name, kind_text(feature), support_text(feature),
                              scale_text(feature)));
  }
  for (const CarriedColumn& column : carried) {
    out.push_back(fmt::format("{}: carried along, {}", column.name, column.why));
  }
  return out;
}

}  // namespace conflux
