// NB: every feature of every group to the barycenter of that feature.

#include "fitting/layer_kinds.h"
#include "flow/coordinate_layer.h"

namespace conflux {

namespace {

class CoordinateFitter final : public LayerFitter {
 public:
  Fitted fit(const FitInput& input, Index, double strength) override {
    LineMaps lines = fit_line_maps(input.groups(), input.usable, nullptr, strength, input.options,
                                   input.comm, input.workers, input.places.most);
    return plain_layer(
        std::make_shared<CoordinateLayer>(std::move(lines.maps), std::move(lines.barycenters)),
        input.workers);
  }
};

LayerPointer widen_coordinate(const LayerPointer& layer, const NewGroup& added) {
  const auto& coordinate = dynamic_cast<const CoordinateLayer&>(*layer);
  LineMaps lines{coordinate.maps(), coordinate.barycenters()};
  if (!add_line_maps(lines, added.group, added.chosen, nullptr, added.strength, added.options,
                     added.workers)) {
    return nullptr;
  }
  return std::make_shared<CoordinateLayer>(std::move(lines.maps), std::move(lines.barycenters));
}

}  // namespace

LayerKind coordinate_kind() {
  return {.name = "coordinate",
          .start = [](const FitInput&) -> std::unique_ptr<LayerFitter> {
            return std::make_unique<CoordinateFitter>();
          },
          .widen = widen_coordinate};
}

}  // namespace conflux
