// GB: means and covariances of all groups to those of the Gaussian barycenter.

#include <fmt/format.h>

#include "fitting/gaussian_barycenter.h"
#include "fitting/layer_kinds.h"
#include "flow/affine_layer.h"

namespace conflux {

namespace {

class AffineFitter final : public LayerFitter {
 public:
  Fitted fit(const FitInput& input, Index, double strength) override {
    return plain_layer(std::make_shared<AffineLayer>(fit_affine_layer(
                           input.groups(), input.usable, input.options.weights.list, strength,
                           input.comm, input.workers)),
                       input.workers);
  }
};

LayerPointer widen_affine(const LayerPointer& layer, const NewGroup& added) {
  const auto& affine = dynamic_cast<const AffineLayer&>(*layer);
  if (affine.barycenter().mean.size() == 0) return nullptr;
  std::vector<AffineLayer::Map> maps = affine.maps();
  maps.push_back(fit_affine_map(added.group, added.chosen, affine.barycenter(), added.strength,
                                added.workers));
  return std::make_shared<AffineLayer>(std::move(maps), affine.barycenter());
}

void warn_affine(const GroupSet& groups, const std::vector<Index>& sizes, const FitOptions&,
                 std::vector<std::string>& warnings) {
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (sizes[m] > groups.dim()) continue;
    warnings.push_back(fmt::format(
        "group \"{}\" has {} rows for {} features: its covariance is singular, and directions "
        "without spread are stretched far; use inb, or fewer features.",
        groups[m].name, sizes[m], groups.dim()));
  }
}

// Each group needs its covariance, the map and its inverse, and both once more in padded rows.
// Beside them the barycenter and what its fixed-point steps work on.
double memory_of_affine(const DataShape& data, const FitOptions&) {
  const auto groups = static_cast<double>(data.group_sizes.size());
  const double square = static_cast<double>(data.dim) * static_cast<double>(data.dim);
  return sizeof(double) * square * (5 * groups + 4);
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
