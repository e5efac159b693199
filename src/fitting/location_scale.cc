// Layers of a location and a scale per feature.

#include "fitting/location_scale.h"

#include <fmt/format.h>

#include <cmath>

#include "fitting/empirical_bayes.h"
#include "fitting/layer_kinds.h"
#include "fitting/own_slopes.h"

namespace conflux {

namespace {

using Map = LocationScaleLayer::Map;
using Standard = LocationScaleLayer::Standard;

// A feature that is constant within a group tells nothing about its scale there, and sva takes no
// such feature either. A single row is no constant.
bool says_constant(const FeatureMoments& group, Index feature) {
  return group.rows > 1 && group.variances(feature) == 0;
}

// Features of a group whose scales are comparable.
std::vector<Index> standardized_features(const FeatureMoments& group, const Standard& standard) {
  std::vector<Index> out;
  for (Index j = 0; j < standard.spread.size(); ++j) {
    if (standard.spread(j) > 0 && !says_constant(group, j)) out.push_back(j);
  }
  return out;
}

LocationsAndVariances shrunk(const LocationsAndVariances& own, double rows,
                             const FitOptions& options) {
  if (!options.shrinkage) return own;
  if (options.scales && rows > 1) return shrink_over_features(own, rows);
  return {shrink_locations_over_features(own.locations, rows), own.variances};
}

// y = (1 - s) x + s t(x) for a map t with the same `from`, and own slopes of that way, if any.
Map part_of_the_way(Map map, double strength, Matrix* own_slopes) {
  const Vector scale = (1 - strength) + strength * map.scale.array();
  if (own_slopes != nullptr && strength < 1) {
    *own_slopes *= (strength * map.scale.cwiseQuotient(scale)).asDiagonal();
  }
  map.to = (1 - strength) * map.from + strength * map.to;
  map.scale = scale;
  return map;
}

Map stays_in_place(Index dim) { return {Vector::Zero(dim), Vector::Zero(dim), Vector::Ones(dim)}; }

// The common slopes are the weighted mean of those of the groups, or those of a target, which keeps
// every bit then.
void lead_to_common(const std::vector<double>& weights, Matrix& slopes, std::vector<Matrix>& own) {
  Matrix mean = Matrix::Zero(slopes.rows(), slopes.cols());
  for (std::size_t m = 0; m < own.size(); ++m) {
    if (weights[m] > 0) mean += weights[m] * own[m];
  }
  slopes += mean;
  for (Matrix& each : own) each -= mean;
}

class LocationScaleFitter final : public LayerFitter {
 public:
  Fitted fit(const FitInput& input, Index, double strength) override {
    const std::vector<double>& weights = input.options.weights.list;
    Matrix slopes = fit_covariate_slopes(input.groups(), input.usable, input.comm);
    std::vector<Matrix> own;
    if (input.options.interaction && slopes.size() > 0) {
      own =
          fit_own_slopes(input.groups(), input.usable, slopes, input.options.shrinkage, input.comm);
      lead_to_common(weights, slopes, own);
    }
    const std::vector<FeatureMoments> moments =
        fit_feature_moments(input.groups(), input.usable, slopes, own, input.comm);
    Standard standard = standard_of(moments, weights);
    std::vector<Map> maps;
    for (std::size_t m = 0; m < moments.size(); ++m) {
      // The target keeps every bit.
      maps.push_back(weights[m] == 1
                         ? stays_in_place(standard.location.size())
                         : part_of_the_way(location_scale_map(standard, moments[m], input.options),
                                           strength, own.empty() ? nullptr : &own[m]));
    }
    return plain_layer(std::make_shared<LocationScaleLayer>(std::move(maps), std::move(standard),
                                                            std::move(slopes), std::move(own)),
                       input.workers);
  }
};

LayerPointer widen_location_scale(const LayerPointer& layer, const NewGroup& added) {
  const auto& old = dynamic_cast<const LocationScaleLayer&>(*layer);
  if (old.standard().location.size() == 0) return nullptr;
  SelfCommunicator comm;
  std::vector<Matrix> own = old.own_slopes();
  std::vector<Matrix> own_of_new;
  if (!own.empty()) {
    own_of_new =
        fit_own_slopes(added.group, added.chosen, old.slopes(), added.options.shrinkage, comm);
    own.push_back(own_of_new.front());
  }
  const FeatureMoments moments =
      fit_feature_moments(added.group, added.chosen, old.slopes(), own_of_new, comm).front();
  std::vector<Map> maps = old.maps();
  maps.push_back(part_of_the_way(location_scale_map(old.standard(), moments, added.options),
                                 added.strength, own.empty() ? nullptr : &own.back()));
  return std::make_shared<LocationScaleLayer>(std::move(maps), old.standard(), old.slopes(),
                                              std::move(own));
}

void warn_location_scale(const GroupSet& groups, const std::vector<Index>& sizes,
                         const FitOptions& options, std::vector<std::string>& warnings) {
  for (Index m = 0; m < groups.num_groups() && options.scales; ++m) {
    if (sizes[m] > 1) continue;
    warnings.push_back(fmt::format(
        "group \"{}\" has a single row, so no standard deviation: only its mean is matched.",
        groups[m].name));
  }
}

}  // namespace

Standard standard_of(const std::vector<FeatureMoments>& groups, const std::vector<double>& weights,
                     SpreadsOf spreads) {
  const Index dim = groups.front().means.size();
  Standard out{Vector::Zero(dim), Vector::Zero(dim)};
  for (std::size_t m = 0; m < groups.size(); ++m) {
    if (weights[m] == 0) continue;
    out.location += weights[m] * groups[m].means;
    const double factor = spreads == SpreadsOf::kMeanSquares ? groups[m].bias() : 1;
    out.spread += weights[m] * factor * groups[m].variances;
  }
  out.spread = out.spread.cwiseSqrt();
  for (Index j = 0; j < dim; ++j) {
    for (const FeatureMoments& each : groups) {
      if (says_constant(each, j)) out.spread(j) = 0;
    }
  }
  return out;
}

Map location_scale_map(const Standard& standard, const FeatureMoments& group,
                       const FitOptions& options) {
  Map map{group.means, standard.location, Vector::Ones(group.means.size())};
  const std::vector<Index> features = standardized_features(group, standard);
  const auto count = static_cast<Index>(features.size());
  LocationsAndVariances own{Vector(count), Vector::Ones(count)};
  const bool scaled = options.scales && group.rows > 1;
  for (Index k = 0; k < count; ++k) {
    const Index j = features[k];
    own.locations(k) = (group.means(j) - standard.location(j)) / standard.spread(j);
    if (scaled) own.variances(k) = group.variances(j) / std::pow(standard.spread(j), 2);
  }
  const LocationsAndVariances taken = shrunk(own, group.rows, options);
  for (Index k = 0; k < count; ++k) {
    const Index j = features[k];
    if (options.shrinkage) {
      map.from(j) = standard.location(j) + standard.spread(j) * taken.locations(k);
    }
    map.scale(j) = 1 / std::sqrt(taken.variances(k));
  }
  return map;
}

LayerKind location_scale_kind() {
  return {.name = "location-scale",
          .start = [](const FitInput&) -> std::unique_ptr<LayerFitter> {
            return std::make_unique<LocationScaleFitter>();
          },
          .widen = widen_location_scale,
          .warn = warn_location_scale};
}

}  // namespace conflux
