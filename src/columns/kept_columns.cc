// The covariates among the columns of a table.

#include "columns/kept_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "columns/cells.h"
#include "conflux/core/error.h"
#include "core/nearest_name.h"

namespace conflux {

namespace {

void refuse_as_feature(const std::string& name, const ColumnOptions& options) {
  const auto among = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (!among(options.features) && !among(options.drop) && name != options.key) return;
  throw InvalidOption(fmt::format(
      "column \"{}\" is to be kept and is asked for as something else; choose one.", name));
}

}  // namespace

std::vector<Covariate> find_covariates(const Table& table, const ColumnOptions& options) {
  const std::vector<std::string> names = table.names();
  std::vector<Covariate> out;
  for (const std::string& text : options.keep) {
    const KeptColumn kept = kept_column(text, names);
    if (!table.has(kept.name)) {
      throw InvalidOption(
          fmt::format("{}: {}", table.source, unknown_name("column", kept.name, names)));
    }
    refuse_as_feature(kept.name, options);
    const bool twice = std::any_of(out.begin(), out.end(),
                                   [&](const Covariate& each) { return each.name == kept.name; });
    if (twice) {
      throw InvalidOption(
          fmt::format("column \"{}\" is to be kept twice; name it once.", kept.name));
    }
    out.push_back(find_covariate(table, kept));
  }
  return out;
}

CovariateReader::CovariateReader(const Columns& columns, const Table& table)
    : columns_(columns), table_(table) {
  for (const Covariate& covariate : columns.kept) {
    places_.push_back(table.find(covariate.name));
    if (covariate.category() || table.columns[places_.back()].numeric()) continue;
    throw InvalidData(fmt::format(
        "{}: column \"{}\" holds text, but was a number in the fit; read it as numbers.",
        table.source, covariate.name));
  }
}

void CovariateReader::read(Index row, double* out) const {
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const Covariate& covariate = columns_.kept[k];
    covariate.coordinates(table_, table_.columns[places_[k]], row, out);
    out += covariate.width();
  }
}

void find_kept_means(Columns& columns, const Table& table, std::span<const Index> groups,
                     Index num_groups) {
  const Index width = columns.num_covariates();
  std::vector<Vector> sums(static_cast<std::size_t>(num_groups), Vector::Zero(width));
  std::vector<Vector> counts = sums;
  Vector row(width);
  const CovariateReader covariates(columns, table);
  for (Index i = 0; i < table.num_rows(); ++i) {
    covariates.read(i, row.data());
    for (Index k = 0; k < width; ++k) {
      if (std::isnan(row[k])) continue;
      sums[groups[i]][k] += row[k];
      counts[groups[i]][k] += 1;
    }
  }
  // Coordinates have mean 0 over all rows, which stands for a group that has none.
  for (std::size_t m = 0; m < sums.size(); ++m) {
    columns.kept_means.emplace_back(sums[m].cwiseQuotient(counts[m].cwiseMax(1.0)));
  }
}

Index Columns::num_covariates() const {
  Index out = 0;
  for (const Covariate& covariate : kept) out += covariate.width();
  return out;
}

std::vector<std::string> Columns::coordinate_names() const {
  std::vector<std::string> out = feature_names();
  for (const Covariate& covariate : kept) {
    for (std::string& name : covariate.coordinate_names()) out.push_back(std::move(name));
  }
  return out;
}

void Columns::fill_covariates(double* row, Index group) const {
  double* covariates = row + features.size();
  for (Index k = 0; k < num_covariates(); ++k) {
    if (!std::isnan(covariates[k])) continue;
    covariates[k] = group < 0 ? 0 : kept_means[static_cast<std::size_t>(group)][k];
  }
}

std::map<std::string, Index> Columns::far_covariates(const Table& table) const {
  std::map<std::string, Index> out;
  for (const Covariate& covariate : kept) {
    if (!covariate.low || !covariate.high) continue;
    const Column& column = table[covariate.name];
    Index rows = 0;
    for (Index i = 0; i < column.size(); ++i) rows += covariate.beyond(column, i) ? 1 : 0;
    if (rows == 0) continue;
    out[fmt::format("\"{}\" outside of {:.4g} to {:.4g}", covariate.name, *covariate.low,
                    *covariate.high)] = rows;
  }
  return out;
}

std::map<std::string, Index> Columns::unknown_covariates(const Table& table) const {
  std::map<std::string, Index> out;
  for (const Covariate& covariate : kept) {
    const Column& column = table[covariate.name];
    if (!covariate.category() && !column.numeric()) continue;
    for (Index i = 0; i < column.size(); ++i) {
      if (!covariate.knows(column, i)) ++out[covariate.name];
    }
  }
  return out;
}

}  // namespace conflux
