#include "columns/measured_scales.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace conflux {

namespace {

// Between these scores, those of the first and the last tenth, lie as many deviations of a normal
// law.
constexpr double kOuterScore = 1.2816;
// A value that so many rows of a group share is most of what there is.
constexpr double kSharedByMost = 0.5;
// Different values of a feature between which gaps mean nothing.
constexpr std::size_t kFewValues = 10;
// Values farther out than so many deviations count by the logarithm.
constexpr double kFar = 4;

bool most_are_the_same(const Feature& feature) {
  return std::any_of(feature.atoms.begin(), feature.atoms.end(),
                     [](const Atom& atom) { return atom.share >= kSharedByMost; });
}

// A feature of a few numbers is a category in all but name: there are gaps between any two of them.
bool has_few_values(const Feature& feature) {
  std::set<double> values;
  for (const HeldValues& own : feature.held) {
    if (own.values.empty() && own.range.low <= own.range.high) return false;
    values.insert(own.values.begin(), own.values.end());
  }
  return !values.empty() && values.size() <= kFewValues;
}

double drawn_in(double value) {
  const double far = std::abs(value) - kFar;
  return far <= 0 ? value : std::copysign(kFar + std::log1p(far), value);
}

MeasuredScale measured_scale(const Feature& feature) {
  MeasuredScale out{.coordinates = feature.coordinate_knots, .values = feature.spread_knots};
  const double middle = out.value(0);
  const double unit = (out.value(kOuterScore) - out.value(-kOuterScore)) / (2 * kOuterScore);
  if (!(unit > 0) || !std::isfinite(unit)) return {};
  for (double& value : out.values) value = drawn_in((value - middle) / unit);
  return out;
}

}  // namespace

std::vector<MeasuredScale> measured_scales(const Columns& columns) {
  std::vector<MeasuredScale> out;
  bool any = false;
  for (const Feature& feature : columns.features) {
    const bool score = feature.scale == FeatureScale::kNormal && !feature.category() &&
                       feature.coordinate_knots.size() > 1 && !most_are_the_same(feature) &&
                       !has_few_values(feature);
    out.push_back(score ? measured_scale(feature) : MeasuredScale{});
    any = any || !out.back().coordinates.empty();
  }
  out.resize(static_cast<std::size_t>(columns.width()));
  if (!any) out.clear();
  return out;
}

std::function<double(Index feature, double coordinate)> value_of(const Columns& columns) {
  const bool none_repeat = std::all_of(
      columns.features.begin(), columns.features.end(),
      [](const Feature& feature) { return feature.decimals < 0 && feature.atoms.empty(); });
  if (none_repeat) return {};
  return [&columns](Index feature, double coordinate) {
    if (feature >= static_cast<Index>(columns.features.size())) return coordinate;
    const Feature& of = columns.features[static_cast<std::size_t>(feature)];
    return of.gathered(of.point(coordinate));
  };
}

}  // namespace conflux
