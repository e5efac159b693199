// Communities of a graph: Louvain's method.
//
// Nodes move to the neighboring community with the largest gain of modularity until none gains;
// communities become the nodes of the next level. Nodes are visited in a random order that depends
// on their number only, so that the same graph has the same communities.
//
// Cost: a few passes over the edges. Reference: Blondel et al., J. Stat. Mech. P10008, 2008.

#pragma once

#include <vector>

#include "conflux/core/matrix.h"

namespace conflux {

/// An undirected graph: each edge is listed at both of its ends.
struct NeighborGraph {
  /// Edges of node i: begins[i] .. begins[i + 1].
  std::vector<Index> begins = {};
  std::vector<Index> ends = {};
  std::vector<double> weights = {};

  Index nodes() const { return static_cast<Index>(begins.size()) - 1; }
};

/// The graph of the `count` nearest rows of each row: weight 1 where one row is near the other, 2
/// where both are.
NeighborGraph graph_of_neighbors(const MatrixOf<Index>& near, Index count);

/// Community of each node, numbered from 0. A higher resolution gives more of them.
std::vector<Index> find_communities(const NeighborGraph& graph, double resolution);

/// Modularity of communities.
double modularity(const NeighborGraph& graph, const std::vector<Index>& community_of,
                  double resolution);

}  // namespace conflux
