#include "conflux/columns/find_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "columns/cells.h"
#include "columns/expectation.h"
#include "columns/feature_scales.h"
#include "columns/kept_columns.h"
#include "columns/meaning.h"
#include "columns/nested_values.h"
#include "columns/units.h"
#include "conflux/core/error.h"
#include "core/nearest_name.h"

namespace conflux {

namespace {

// A feature with so few different values, each repeated so often, shows them all.
constexpr Index kMostHeld = 1000;
constexpr double kRowsPerHeldValue = 5;

void check_names(const Table& table, const ColumnOptions& options) {
  const std::vector<std::string> known = table.names();
  const auto check = [&](const std::string& name) {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    throw InvalidOption(fmt::format("{}: {}", table.source, unknown_name("column", name, known)));
  };
  for (const auto* list : {&options.features, &options.drop}) {
    for (const std::string& name : *list) check(name);
  }
  for (const auto* pairs : {&options.as, &options.support}) {
    for (const auto& [name, word] : *pairs) check(name);
  }
  if (!options.key.empty()) check(options.key);
  for (const std::string& name : options.features) {
    if (std::find(options.drop.begin(), options.drop.end(), name) == options.drop.end()) continue;
    throw InvalidOption(fmt::format(
        "column \"{}\" is asked for as a feature and as something else; choose one.", name));
  }
}

// Rows of one key would have the same noise.
void check_keys(const Table& table, const std::string& key) {
  std::unordered_map<std::string, Index> first;
  for (Index i = 0; i < table.num_rows(); ++i) {
    const auto [found, is_new] = first.emplace(cell_text(table[key], i), i);
    if (is_new) continue;
    throw InvalidData(
        fmt::format("{}: the key \"{}\" of column \"{}\" is also that of {}; name a column with "
                    "--key that differs between rows, or leave it out.",
                    table.place(i), found->first, key, table.place(found->second)));
  }
}

bool is_asked_for(const std::string& name, const ColumnOptions& options) {
  return std::find(options.features.begin(), options.features.end(), name) !=
             options.features.end() ||
         std::any_of(options.as.begin(), options.as.end(),
                     [&](const auto& word) { return word.first == name; });
}

/// The features of a table with their values as numbers.
struct FoundFeatures {
  std::vector<Meaning> meanings;
  std::vector<CarriedColumn> carried;
};

FoundFeatures find_features(const Table& table, std::span<const Index> groups, Index num_groups,
                            const ColumnOptions& options, const Workers& workers) {
  std::vector<std::string> names = options.features;
  if (names.empty()) {
    for (const std::string& name : table.names()) {
      const auto dropped = std::find(options.drop.begin(), options.drop.end(), name);
      if (dropped == options.drop.end() && name != options.key) names.push_back(name);
    }
  }
  std::vector<Meaning> all(names.size());
  workers.for_each(static_cast<Index>(names.size()), [&](Index j) {
    const std::string& name = names[static_cast<std::size_t>(j)];
    Meaning& meaning = all[static_cast<std::size_t>(j)];
    meaning = meaning_of(table, table[name], groups, num_groups, options);
    if (meaning.why_carried.empty() && !is_asked_for(name, options)) {
      meaning.why_carried = why_nested_is_carried(meaning, groups, num_groups);
    }
  });
  FoundFeatures out;
  for (Meaning& meaning : all) {
    if (meaning.why_carried.empty()) {
      out.meanings.push_back(std::move(meaning));
    } else {
      out.carried.push_back({meaning.feature.name, meaning.why_carried});
    }
  }
  if (out.meanings.empty()) {
    const std::string why = out.carried.empty()
                                ? ""
                                : fmt::format(" (\"{}\" is not, {})", out.carried.front().name,
                                              out.carried.front().why);
    throw InvalidData(fmt::format(
        "{}: no column is left as a feature{}; name some with --features, or drop fewer.",
        table.source, why));
  }
  return out;
}

void set_held(Meaning& meaning, std::span<const Index> groups, Index num_groups) {
  Feature& feature = meaning.feature;
  const ValueFacts& facts = meaning.facts;
  feature.held.assign(static_cast<std::size_t>(num_groups), {});
  for (Index m = 0; m < num_groups; ++m) feature.held[m].range = facts.ranges[m];
  const auto rows = static_cast<double>(meaning.values.size());
  const bool few = kRowsPerHeldValue * static_cast<double>(facts.repeated.size()) <= rows;
  if (!meaning.only_repeated() || !few) return;
  const auto values = different_values(meaning.values, groups, num_groups, kMostHeld);
  for (std::size_t m = 0; m < values.size(); ++m) feature.held[m].values = values[m];
}

std::vector<Index> rows_of(std::span<const Index> groups, Index group) {
  std::vector<Index> out;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] == group) out.push_back(static_cast<Index>(i));
  }
  return out;
}

// Means and covariances of so many rows per group are as good as those of more.
constexpr Index kMostExpectedFrom = 20000;

void fill_covariates(const Columns& columns, std::vector<Matrix>& groups) {
  for (std::size_t m = 0; m < groups.size(); ++m) {
    for (Index i = 0; i < groups[m].rows(); ++i) {
      columns.fill_covariates(groups[m].row(i).data(), static_cast<Index>(m));
    }
  }
}

// Expected values from a sample of rows, spaced evenly in their groups.
std::vector<ExpectedRow> expectations_of_some(const Columns& columns, const Table& table,
                                              std::span<const Index> groups, Index num_groups,
                                              const Workers& workers) {
  std::vector<Index> chosen, chosen_groups;
  for (Index m = 0; m < num_groups; ++m) {
    const std::vector<Index> own = rows_of(groups, m);
    const auto count = static_cast<Index>(own.size());
    const Index step = (count + kMostExpectedFrom - 1) / kMostExpectedFrom;
    for (Index i = 0; i < count; i += std::max<Index>(step, 1)) {
      chosen.push_back(own[static_cast<std::size_t>(i)]);
      chosen_groups.push_back(m);
    }
  }
  std::vector<Matrix> rows =
      columns.coordinates_of_groups(table.rows(chosen), chosen_groups, num_groups, workers);
  fill_covariates(columns, rows);
  return fit_expectations(rows);
}

}  // namespace

namespace {

std::vector<Index> find_gaps(const std::vector<Feature>& features, const Table& table) {
  std::vector<Index> out;
  for (std::size_t j = 0; j < features.size(); ++j) {
    const auto missing = [&](double value) {
      return std::isnan(value) || features[j].is_missing_code(value);
    };
    const auto& column = table[features[j].name];
    if (std::any_of(column.numbers.begin(), column.numbers.end(), missing) ||
        std::any_of(column.text.begin(), column.text.end(), is_missing)) {
      out.push_back(static_cast<Index>(j));
    }
  }
  return out;
}

}  // namespace

namespace {

// Everything but what is expected in place of missing cells.
Columns find_features_of(const Table& table, std::span<const Index> groups, Index num_groups,
                         const ColumnOptions& requested, const Workers& workers) {
  check_names(table, requested);
  Columns out;
  out.kept = find_covariates(table, requested);
  find_kept_means(out, table, groups, num_groups);
  ColumnOptions options = requested;
  for (const Covariate& each : out.kept) options.drop.push_back(each.name);
  FoundFeatures found = find_features(table, groups, num_groups, options, workers);
  out.seed = options.seed;
  out.key = options.key;
  if (!out.key.empty()) {
    check_keys(table, out.key);
    found.carried.push_back({out.key, "because it names the rows"});
  }
  out.missing = options.missing;
  out.carried = std::move(found.carried);
  out.pixels = are_pixels(found.meanings);
  out.scale_reason = choose_scales(found.meanings, options.scale);
  out.doubts = doubts_about_units(found.meanings);
  workers.for_each(static_cast<Index>(found.meanings.size()), [&](Index j) {
    Meaning& meaning = found.meanings[static_cast<std::size_t>(j)];
    set_held(meaning, groups, num_groups);
  });
  for (Meaning& meaning : found.meanings) out.features.push_back(std::move(meaning.feature));
  out.gaps = find_gaps(out.features, table);
  return out;
}

}  // namespace

FoundColumns find_columns_and_rows(const Table& table, std::span<const Index> groups,
                                   Index num_groups, const ColumnOptions& options,
                                   const Workers& workers) {
  FoundColumns out{.columns = find_features_of(table, groups, num_groups, options, workers),
                   .rows = {}};
  Columns& columns = out.columns;
  const bool all = table.num_rows() <= kMostExpectedFrom * num_groups;
  if (!all) columns.expected = expectations_of_some(columns, table, groups, num_groups, workers);
  out.rows = columns.coordinates_of_groups(table, groups, num_groups, workers);
  fill_covariates(columns, out.rows);
  if (all) columns.expected = fit_expectations(out.rows);
  columns.shared = common_expectation(columns.expected);
  return out;
}

Columns find_columns(const Table& table, std::span<const Index> groups, Index num_groups,
                     const ColumnOptions& options, const Workers& workers) {
  return find_columns_and_rows(table, groups, num_groups, options, workers).columns;
}

void draw_missing(const Columns& columns, const Table& table, std::span<const Index> groups,
                  std::vector<Matrix>& rows) {
  const std::vector<std::uint64_t> names = columns.row_names(table);
  std::vector<std::vector<std::uint64_t>> own(rows.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    own[static_cast<std::size_t>(groups[i])].push_back(names[i]);
  }
  for (std::size_t m = 0; m < rows.size(); ++m) {
    draw_expected(columns.expected[m], Rows(rows[m]), own[m], columns.seed);
  }
}

std::vector<Matrix> coordinates_by_group(const Columns& columns, const Table& table,
                                         std::span<const Index> groups, Index num_groups,
                                         const Workers& workers) {
  std::vector<Matrix> out = columns.coordinates_of_groups(table, groups, num_groups, workers);
  fill_covariates(columns, out);
  draw_missing(columns, table, groups, out);
  return out;
}

void add_group(Columns& columns, const Table& table, const Workers& workers) {
  Matrix rows = columns.coordinates(table, workers);
  const std::vector<Index> group(static_cast<std::size_t>(rows.rows()), 0);
  const auto number = static_cast<Index>(columns.kept_means.size());
  find_kept_means(columns, table, group, 1);
  for (Index i = 0; i < rows.rows(); ++i) columns.fill_covariates(rows.row(i).data(), number);
  for (Index j = 0; j < static_cast<Index>(columns.features.size()); ++j) {
    Feature& feature = columns.features[static_cast<std::size_t>(j)];
    std::vector<double> values;
    for (const double coordinate : rows.col(j)) {
      values.push_back(std::isnan(coordinate) ? coordinate
                                              : feature.gathered(feature.point(coordinate)));
    }
    const ValueFacts facts = value_facts(values, group, 1);
    HeldValues held{facts.ranges.front(), {}};
    const bool few = std::any_of(feature.held.begin(), feature.held.end(),
                                 [](const HeldValues& own) { return !own.values.empty(); });
    if (few) {
      const auto found = different_values(values, group, 1, kMostHeld);
      if (!found.empty()) held.values = found.front();
    }
    feature.held.push_back(std::move(held));
  }
  const ExpectedRow common = common_expectation(columns.expected);
  columns.expected.push_back(fit_expectation(rows, common));
}

void take_missing_codes(Columns& columns, const Columns& of_all_rows) {
  for (Feature& feature : columns.features) {
    for (const Feature& known : of_all_rows.features) {
      if (known.name == feature.name) feature.missing_codes = known.missing_codes;
    }
  }
}

std::vector<Index> complete_rows(const Table& table, const Columns& columns) {
  const auto is_gap = [&](const Feature& feature, Index row) {
    const Column& column = table[feature.name];
    return is_missing(cell_text(column, row)) ||
           (column.numeric() &&
            feature.is_missing_code(column.numbers[static_cast<std::size_t>(row)]));
  };
  std::vector<Index> out;
  for (Index i = 0; i < table.num_rows(); ++i) {
    const bool complete = std::none_of(columns.features.begin(), columns.features.end(),
                                       [&](const Feature& feature) { return is_gap(feature, i); });
    if (complete) out.push_back(i);
  }
  return out;
}

}  // namespace conflux
