#include "fitting/layer_kinds.h"

#include <fmt/format.h>

#include "conflux/core/error.h"
#include "options/methods.h"

namespace conflux {

namespace {

// Files of the first version left the strength unset.
constexpr double kStrengthOfVersion1 = 0.5;

}  // namespace

const std::vector<LayerKind>& layer_kinds() {
  static const std::vector<LayerKind> table{
      location_scale_kind(),
      sliced_kind(),       // maps along directions that a search finds
      gated_kind(),        // sliced, within clusters or labels
      coordinate_kind(),   // maps along every feature
      affine_kind(),       // Gaussian groups meet at their barycenter
      tree_kind(),         // boxes of a decision tree
      conditional_kind(),  // one feature, by what the others are
      destructor_kind(),   // to the uniform distribution
  };
  return table;
}

const LayerKind* find_layer_kind(std::string_view name) {
  for (const LayerKind& each : layer_kinds()) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

const LayerKind& layer_kind(std::string_view name) {
  if (const LayerKind* found = find_layer_kind(name)) return *found;
  throw Error(fmt::format("no layers of kind {} can be fitted.", name));
}

double strength_of(std::string_view kind, const FitOptions& options) {
  // Gated layers stand in for sliced ones.
  const std::string_view place = kind == "gated" ? "sliced" : kind;
  const MethodInfo& method = method_info(options.method);
  if (place == method.then) return method.then_strength;
  if (place == method.at_last) return method.last_strength;
  if (place != method.main_kind()) return 1;
  return options.strength.value_or(place == "sliced" ? kStrengthOfVersion1 : 1);
}

Fitted plain_layer(LayerPointer layer, const Workers& workers) {
  Fitted out;
  out.move = [layer, &workers](Latent& latent, Work&) { latent.move(*layer, workers); };
  out.layers = {std::move(layer)};
  return out;
}

}  // namespace conflux
