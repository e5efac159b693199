// Conditional maps: one feature at a time, by what the other features are.

#include "fitting/conditional_fit.h"
#include "fitting/layer_kinds.h"
#include "fitting/row_choice.h"

namespace conflux {

namespace {

// Samples of rows in which no feature may show a difference before the groups count as equal.
constexpr Index kMostDraws = 5;

class ConditionalFitter final : public LayerFitter {
 public:
  /// No layer when the groups do not differ by more than chance.
  Fitted fit(const FitInput& input, Index layer, double strength) override {
    const Index blocks = blocks_of_moved(input.groups().features());
    for (Index k = 0; k < kMostDraws * blocks; ++k) {
      const auto place = static_cast<std::uint64_t>(layer);
      const RowChoice search =
          draw_evidence(input.usable, input.places.sizes,
                        (place << 32) + static_cast<std::uint64_t>(k), input.options, input.comm);
      const auto tree =
          find_conditional_tree(input.groups(), search, {.layer = place, .block = k % blocks},
                                input.options, input.comm, input.workers);
      if (!tree) continue;
      auto found = fit_conditional_layer(input.groups(), input.usable, *tree, strength,
                                         input.options, input.comm, input.workers);
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

double excess_of_conditional(const Layer& layer, const GroupSet& groups, const RowChoice& unseen,
                             Communicator& comm) {
  return excess_of(dynamic_cast<const ConditionalLayer&>(layer), groups, unseen, comm);
}

}  // namespace

LayerKind conditional_kind() {
  return {.name = "conditional",
          .start = [](const FitInput&) -> std::unique_ptr<LayerFitter> {
            return std::make_unique<ConditionalFitter>();
          },
          .widen = widen_conditional,
          .excess = excess_of_conditional};
}

}  // namespace conflux
