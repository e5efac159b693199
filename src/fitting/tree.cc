// Trees: mass of all groups moves across the cuts of a decision tree that tells them apart.

#include "fitting/layer_kinds.h"
#include "fitting/row_choice.h"
#include "fitting/tree_fit.h"

namespace conflux {

namespace {

class TreeFitter final : public LayerFitter {
 public:
  Fitted fit(const FitInput& input, Index layer, double strength) override {
    check_split(input.given().names(), input.places, input.options.split);
    const LayerRows rows = choose_rows(input.usable, input.places, layer, input.options);
    return plain_layer(std::make_shared<TreeLayer>(
                           fit_tree_layer(input.groups(), rows.search, rows.maps(), strength,
                                          input.options, input.comm, input.workers)),
                       input.workers);
  }
};

// A tree without a cut moves no group; files of earlier versions know no barycenter.
LayerPointer widen_tree(const LayerPointer& layer, const NewGroup& added) {
  const auto& tree = dynamic_cast<const TreeLayer&>(*layer);
  if (!tree.nodes().empty() && tree.barycenter().empty()) return nullptr;
  return std::make_shared<TreeLayer>(
      with_group(tree, added.group, added.chosen, added.strength, added.options.tree_uniform));
}

}  // namespace

LayerKind tree_kind() {
  return {.name = "tree",
          .start = [](const FitInput&) -> std::unique_ptr<LayerFitter> {
            return std::make_unique<TreeFitter>();
          },
          .widen = widen_tree};
}

}  // namespace conflux
