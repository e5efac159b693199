// Fits a layer that moves one feature by maps that depend on the others.
//
// Some rows, drawn anew for every layer, choose the feature whose groups differ most beyond chance,
// and the tree whose leaves they differ in (fitting/evidence.h). Then all rows make the maps: in
// every leaf the groups move to their barycenter on the line, by as much of the way as the
// difference is more than chance. A leaf that shows no more than chance stays as it is.

#pragma once

#include <optional>
#include <span>

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "conflux/options/options.h"
#include "fitting/evidence.h"
#include "fitting/line_maps.h"
#include "flow/conditional_layer.h"

namespace conflux {

/// Features that may move in one layer are tried a few at a time, in an order that is random for
/// each layer: which of many comes first hardly matters, because the next layers move the others.
inline constexpr Index kMovedAtOnce = 8;
Index blocks_of_moved(Index dim);

/// Names the random choice of features: a layer, and a block of those that may move.
struct TreeDraw {
  std::uint64_t layer = 0;
  Index block = 0;
};

/// The tree, for a feature of the block, with the largest gain on the rows `search` of all
/// processes; none if the gain is within chance.
std::optional<ConditionalTree> find_conditional_tree(const GroupSet& groups,
                                                     const RowChoice& search, const TreeDraw& draw,
                                                     const FitOptions& options, Communicator& comm,
                                                     const Workers& workers);

/// The layer of a tree, from the rows `maps` of all processes; none when no leaf moves.
std::optional<ConditionalLayer> fit_conditional_layer(const GroupSet& groups, const RowChoice& maps,
                                                      const ConditionalTree& tree, double strength,
                                                      const FitOptions& options, Communicator& comm,
                                                      const Workers& workers);

/// How far the rows `unseen` differ in the leaves, beyond chance and in deviations of chance.
double excess_of(const ConditionalLayer& layer, const GroupSet& groups, const RowChoice& unseen,
                 Communicator& comm);

/// The layer with maps of the only group of `group`, which goes as far as the others have gone.
ConditionalLayer with_group(const ConditionalLayer& layer, const GroupSet& group,
                            const RowChoice& chosen);

}  // namespace conflux
