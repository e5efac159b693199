#include "fitting/empirical_bayes.h"

#include <algorithm>
#include <cmath>

#include "core/stop.h"

namespace conflux {

namespace {

// As in sva: a step that changes nothing by more than this fraction is the last.
constexpr double kChange = 1e-4;
// The steps of a feature are those of a contraction; some ten are usual.
constexpr int kMostSteps = 1000;

double variance_of(const Vector& values) {
  const double mean = values.mean();
  return (values.array() - mean).square().sum() / static_cast<double>(values.size() - 1);
}

double posterior_location(double estimate, double prior, double rows, double variance,
                          double prior_variance) {
  return (prior_variance * rows * estimate + variance * prior) / (prior_variance * rows + variance);
}

// sva divides by the old value with its sign, so that a negative location never asks for one more
// step.
double relative_change(double now, double before) {
  return before != 0 ? std::abs(now - before) / before : 0;
}

// The inverse gamma distribution with the mean and the variance of the estimates; without spread
// among them it is a point.
struct VariancePrior {
  explicit VariancePrior(const Vector& variances)
      : mean(variances.mean()), spread(variance_of(variances)) {}

  double posterior(double sum_of_squares, double rows) const {
    if (!(spread > 0)) return mean;
    const double shape = (2 * spread + mean * mean) / spread;
    const double scale = (mean * spread + mean * mean * mean) / spread;
    return (0.5 * sum_of_squares + scale) / (0.5 * rows + shape - 1);
  }

  double mean;
  double spread;
};

}  // namespace

LocationsAndVariances shrink_over_features(const LocationsAndVariances& estimates, double rows) {
  const auto& [locations, variances] = estimates;
  if (locations.size() < 2) return estimates;
  const double prior = locations.mean();
  const double prior_variance = variance_of(locations);
  const VariancePrior of_variances(variances);
  LocationsAndVariances now = estimates;
  double change = 1;
  for (int step = 0; change > kChange && step < kMostSteps; ++step) {
    throw_if_stopped();
    change = 0;
    for (Index j = 0; j < locations.size(); ++j) {
      const double location =
          posterior_location(locations(j), prior, rows, now.variances(j), prior_variance);
      const double off = locations(j) - location;
      const double sum_of_squares = (rows - 1) * variances(j) + rows * off * off;
      const double variance = of_variances.posterior(sum_of_squares, rows);
      change = std::max({change, relative_change(location, now.locations(j)),
                         relative_change(variance, now.variances(j))});
      now.locations(j) = location;
      now.variances(j) = variance;
    }
  }
  return now;
}

Vector shrink_locations_over_features(const Vector& locations, double rows) {
  if (locations.size() < 2) return locations;
  const double prior = locations.mean();
  const double prior_variance = variance_of(locations);
  return locations.unaryExpr([&](double estimate) {
    return posterior_location(estimate, prior, rows, 1, prior_variance);
  });
}

}  // namespace conflux
