// Conditional maps: one feature at a time, by what the other features are.

#include "fitting/conditional_fit.h"
#include "fitting/layer_kinds.h"
#include "fitting/row_choice.h"

namespace conflux {

namespace {

// Draws of rows that must show nothing before the groups count as alike.
constexpr std::uint64_t kMostDraws = 5;

class ConditionalFitter final : public LayerFitter {
 public:
  /// No layer when the groups do not differ by more than chance.
  Fitted fit(const FitInput& input, Index layer, double strength) override {
    for (std::uint64_t draw = 0; draw < kMostDraws; ++draw) {
      const std::uint64_t name = static_cast<std::uint64_t>(layer) * kMostDraws + draw;
      const RowChoice search =
          draw_evidence(input.usable, input.sizes, name, input.options, input.comm);
      const auto tree = find_conditional_tree(input.groups(), search, name, input.gaps,
                                              input.options, input.comm, input.workers);
      if (!tree) continue;
      auto found = fit_conditional_layer(input.groups(), input.usable, *tree, strength,
                                         input.options, input.comm);
      if (found) {
        return plain_layer(std::make_shared<ConditionalLayer>(std::move(*found)), input.workers);
      }
    }
    return {};
  }
};

LayerPointer widen_conditional(const LayerPointer& layer, const NewGroup& added) {
  return std::make_shared<ConditionalLayer>(
      with_group(dynamic_cast<const ConditionalLayer&>(*layer), added.group, added.chosen));
}

}  // namespace

LayerKind conditional_kind() {
  return {.name = "conditional",
          .start = [](const FitInput&) -> std::unique_ptr<LayerFitter> {
            return std::make_unique<ConditionalFitter>();
          },
          .widen = widen_conditional};
}

}  // namespace conflux
