// Where groups differ, feature by feature.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "comparing/feature_difference.h"
#include "comparing/rank_tests.h"
#include "report/facts.h"

namespace conflux {

namespace {

constexpr std::size_t kFeaturesWithDensities = 12;
constexpr Index kSteps = 48;
// As check() has it: the prediction and the features share the error rate.
constexpr double kTests = 2;
constexpr double kErrorRate = 0.05;

std::vector<double> column_of(const Matrix& rows, Index j) {
  return {rows.col(j).begin(), rows.col(j).end()};
}

double quantile_of(std::vector<double> values, double level) {
  const auto at = static_cast<std::ptrdiff_t>(level * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

// Counts in fine cells, smoothed by a normal law of Silverman's width.
void add_density(const std::vector<double>& values, double low, double high,
                 Eigen::Ref<Eigen::RowVectorXd> out) {
  double mean = 0, square = 0;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) mean += value / count;
  for (const double value : values) square += (value - mean) * (value - mean) / count;
  const double cell = (high - low) / static_cast<double>(kSteps - 1);
  const double width = std::max(0.75 * cell, 0.7 * std::sqrt(square) * std::pow(count, -0.2));
  std::vector<double> counts(static_cast<std::size_t>(kSteps), 0.0);
  for (const double value : values) {
    const double place = (value - low) / cell;
    if (!(place > -0.5 && place < static_cast<double>(kSteps) - 0.5)) continue;
    counts[static_cast<std::size_t>(std::lround(place))] += 1;
  }
  for (Index i = 0; i < kSteps; ++i) {
    for (Index k = 0; k < kSteps; ++k) {
      const double z = static_cast<double>(i - k) * cell / width;
      if (std::abs(z) < 5) {
        out(i) += counts[static_cast<std::size_t>(k)] * std::exp(-0.5 * z * z) /
                  (2.5066282746310002 * width * count);
      }
    }
  }
}

Matrix densities_of(const Matrix& rows, const ReportRows& all, Index feature, double low,
                    double high) {
  Matrix out = Matrix::Zero(all.groups(), kSteps);
  for (Index m = 0; m < all.groups(); ++m) {
    if (all.before.sizes[m] == 0) continue;
    const auto column = rows.col(feature).segment(all.begins[m], all.before.sizes[m]);
    add_density({column.begin(), column.end()}, low, high, out.row(m));
  }
  return out;
}

// Powers of ten are for numbers that would not fit otherwise.
std::string digits_of(double value, int digits) {
  constexpr double kLong = 1e7;
  const double size = std::abs(value);
  if (!(size >= std::pow(10, digits)) || size >= kLong)
    return fmt::format("{:.{}g}", value, digits);
  const double unit = std::pow(10, std::floor(std::log10(size)) + 1 - digits);
  return fmt::format("{:.0f}", std::round(value / unit) * unit);
}

bool is_category(const Model& model, Index feature) {
  return !model.columns.empty() &&
         model.columns.features[static_cast<std::size_t>(feature)].category();
}

// Beside values of several units, 0.000942 is 0.
std::string mark_of(const Model& model, Index feature, double at, const FeatureDensities& range) {
  if (is_category(model, feature)) return value_text(model, feature, at, 3);
  const double wide = value_of(model, feature, range.high) - value_of(model, feature, range.low);
  const double value = value_of(model, feature, at);
  if (!(wide > 0)) return digits_of(value, 3);
  const double unit = std::pow(10, std::floor(std::log10(wide)) - 2);
  // Adding nothing turns a negative zero into zero.
  return digits_of(std::round(value / unit) * unit + 0.0, 3);
}

FeatureDensities describe_densities(const Model& model, const ReportRows& rows, Index feature) {
  FeatureDensities out{.feature = feature};
  std::vector<double> both = column_of(rows.before.rows, feature);
  const std::vector<double> after = column_of(rows.after, feature);
  both.insert(both.end(), after.begin(), after.end());
  out.low = quantile_of(both, 0.002);
  out.high = quantile_of(both, 0.998);
  const double room = 0.05 * (out.high - out.low);
  out.low -= room > 0 ? room : 0.5;
  out.high += room > 0 ? room : 0.5;
  out.before = densities_of(rows.before.rows, rows, feature, out.low, out.high);
  out.after = densities_of(rows.after, rows, feature, out.low, out.high);
  for (const double level : {0.05, 0.5, 0.95}) {
    const double at = quantile_of(both, level);
    out.marks.emplace_back(at, mark_of(model, feature, at, out));
  }
  return out;
}

// A feature that differed, or still does, comes before one that never did.
std::vector<Index> order_by_shift(const std::vector<FeatureChange>& features) {
  std::vector<Index> out(features.size());
  std::iota(out.begin(), out.end(), Index{0});
  const auto worst = [&](Index j) {
    return std::max(features[j].before.shift, features[j].after.shift);
  };
  std::stable_sort(out.begin(), out.end(), [&](Index a, Index b) { return worst(a) > worst(b); });
  return out;
}

}  // namespace

double value_of(const Model& model, Index feature, double coordinate, Index group) {
  if (model.columns.empty()) return coordinate;
  const Feature& column = model.columns.features[static_cast<std::size_t>(feature)];
  const double point = column.point(coordinate);
  return group < 0 ? column.gathered(point) : column.fitted_to_group(point, group);
}

std::string value_text(const Model& model, Index feature, double coordinate, int digits,
                       Index group) {
  const double value = value_of(model, feature, coordinate, group);
  if (model.columns.empty()) return digits_of(value, digits);
  const Feature& column = model.columns.features[static_cast<std::size_t>(feature)];
  if (!column.category()) return digits_of(value, digits);
  const auto last = static_cast<double>(column.categories.size()) - 1;
  const double place = std::clamp(std::round(value), 0.0, std::max(0.0, last));
  return column.categories.empty() ? "" : column.categories[static_cast<std::size_t>(place)];
}

void find_features(Report& report, const Model& model, const ReportRows& rows,
                   const Workers& workers) {
  const Index count = rows.after.cols();
  report.features.resize(static_cast<std::size_t>(count));
  workers.for_each(count, [&](Index j) {
    FeatureChange& change = report.features[j];
    change.name = report.feature_names[j];
    if (report.check) change.before = report.check->features[j];
    change.after = describe_feature(column_of(rows.after, j), rows.before);
  });
  std::vector<double> p_values;
  for (const FeatureChange& each : report.features) p_values.push_back(each.after.p_value);
  const std::vector<double> rates = false_discovery_rates(p_values);
  for (std::size_t j = 0; j < rates.size(); ++j) {
    FeatureDifference& after = report.features[j].after;
    after.false_discovery_rate = std::min(1.0, kTests * rates[j]);
    after.differs = after.false_discovery_rate <= kErrorRate;
    if (report.evaluation.judgement) {
      after.importance = report.evaluation.judgement->prediction_after.importance[j];
    }
  }
  report.worst_features = order_by_shift(report.features);
  const std::size_t drawn = std::min(kFeaturesWithDensities, report.worst_features.size());
  report.densities.resize(drawn);
  workers.for_each(static_cast<Index>(drawn), [&](Index i) {
    report.densities[i] = describe_densities(model, rows, report.worst_features[i]);
  });
}

void find_moves(Report& report, const ReportRows& rows) {
  report.move_levels = {0.01};
  for (int level = 5; level < 100; level += 5) report.move_levels.push_back(level / 100.0);
  report.move_levels.push_back(0.99);
  report.move_quantiles =
      Matrix::Zero(rows.groups(), static_cast<Index>(report.move_levels.size()));
  for (Index m = 0; m < rows.groups(); ++m) {
    std::vector<double> moves;
    for (Index i = rows.begins[m]; i < rows.begins[m] + rows.before.sizes[m]; ++i) {
      const Eigen::RowVectorXd move = rows.after.row(i) - rows.before.rows.row(i);
      const double square = (move.transpose().cwiseProduct(rows.factors)).squaredNorm();
      moves.push_back(std::sqrt(square / static_cast<double>(rows.after.cols())));
    }
    std::sort(moves.begin(), moves.end());
    if (moves.empty()) continue;
    for (std::size_t q = 0; q < report.move_levels.size(); ++q) {
      const double place = report.move_levels[q] * static_cast<double>(moves.size() - 1);
      report.move_quantiles(m, static_cast<Index>(q)) = moves[static_cast<std::size_t>(place)];
    }
  }
}

}  // namespace conflux
