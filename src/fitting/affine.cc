// GB: means and covariances of all groups to those of the Gaussian barycenter.

#include <fmt/format.h>

#include "fitting/gaussian_barycenter.h"
#include "fitting/layer_kinds.h"
#include "fitting/shrunken_barycenter.h"
#include "flow/affine_layer.h"

namespace conflux {

namespace {

class AffineFitter final : public LayerFitter {
 public:
  Fitted fit(const FitInput& input, Index, double strength) override {
    const auto fit_layer = input.options.shrinkage ? fit_shrunken_affine_layer : fit_affine_layer;
    return plain_layer(std::make_shared<AffineLayer>(fit_layer(input.groups(), input.usable,
                                                               input.options.weights.list, strength,
                                                               input.comm, input.workers)),
                       input.workers);
  }
};

LayerPointer widen_affine(const LayerPointer& layer, const NewGroup& added) {
  const auto& affine = dynamic_cast<const AffineLayer&>(*layer);
  if (affine.barycenter().mean.size() == 0) return nullptr;
  std::vector<AffineLayer::Map> maps = affine.maps();
  const auto fit_map = affine.barycenter().shrunken ? fit_shrunken_affine_map : fit_affine_map;
  maps.push_back(
      fit_map(added.group, added.chosen, affine.barycenter(), added.strength, added.workers));
  return std::make_shared<AffineLayer>(std::move(maps), affine.barycenter());
}

void warn_affine(const GroupSet& groups, const std::vector<Index>& sizes, const FitOptions& options,
                 std::vector<std::string>& warnings) {
  for (Index m = 0; m < groups.num_groups() && !options.shrinkage; ++m) {
    if (sizes[m] > groups.dim()) continue;
    warnings.push_back(fmt::format(
        "group \"{}\" has {} rows for {} features: its covariance is singular, and directions "
        "without variance are stretched far; set shrinkage on, or use fewer features.",
        groups[m].name, sizes[m], groups.dim()));
  }
}

// Each group needs its covariance, the map and its inverse, and both once more in padded rows.
// Beside them the barycenter, what it was shrunk to, and what fixed-point steps work on.
double memory_of_affine(const DataShape& data, const FitOptions&) {
  const auto groups = static_cast<double>(data.group_sizes.size());
  const double square = static_cast<double>(data.dim) * static_cast<double>(data.dim);
  return sizeof(double) * square * (5 * groups + 6);
}

}  // namespace

LayerKind affine_kind() {
  return {.name = "affine",
          .start = [](const FitInput&) -> std::unique_ptr<LayerFitter> {
            return std::make_unique<AffineFitter>();
          },
          .widen = widen_affine,
          .warn = warn_affine,
          .memory = memory_of_affine};
}

}  // namespace conflux
