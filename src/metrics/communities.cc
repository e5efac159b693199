#include "metrics/communities.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>

#include "core/rng.h"

namespace conflux {

namespace {

// Passes over the nodes of one level, and levels: both end by themselves far earlier.
constexpr int kMostPasses = 100;
constexpr int kMostLevels = 50;
// Gains below this fraction of the weight of all edges are rounding.
constexpr double kNoGain = 1e-12;

using Edge = std::tuple<Index, Index, double>;

// Edges may be listed several times: their weights add up.
NeighborGraph graph_of_edges(Index nodes, std::vector<Edge> edges) {
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
  });
  NeighborGraph out{.begins = std::vector<Index>(static_cast<std::size_t>(nodes + 1), 0)};
  Index last_start = -1, last_end = -1;
  for (const auto& [start, end, weight] : edges) {
    if (start == last_start && end == last_end) {
      out.weights.back() += weight;
      continue;
    }
    out.ends.push_back(end);
    out.weights.push_back(weight);
    out.begins[start + 1] = static_cast<Index>(out.ends.size());
    last_start = start;
    last_end = end;
  }
  for (std::size_t i = 1; i < out.begins.size(); ++i) {
    out.begins[i] = std::max(out.begins[i], out.begins[i - 1]);
  }
  return out;
}

std::vector<double> degrees_of(const NeighborGraph& graph) {
  std::vector<double> out(static_cast<std::size_t>(graph.nodes()), 0.0);
  for (Index i = 0; i < graph.nodes(); ++i) {
    for (Index e = graph.begins[i]; e < graph.begins[i + 1]; ++e) out[i] += graph.weights[e];
  }
  return out;
}

// Moves nodes until none gains; returns whether any has moved.
bool move_nodes(const NeighborGraph& graph, double resolution, std::uint64_t level,
                std::vector<Index>& community_of) {
  const std::vector<double> degrees = degrees_of(graph);
  const double total = std::accumulate(degrees.begin(), degrees.end(), 0.0);
  if (total <= 0) return false;
  std::vector<double> mass = degrees;  // of each community
  std::iota(community_of.begin(), community_of.end(), Index{0});
  Stream stream(0, Purpose::kMetric, level, 9);
  const std::vector<Index> order = stream.permutation(graph.nodes());
  // Weights of the edges from a node to each community.
  std::vector<double> to(degrees.size(), 0.0);
  std::vector<Index> touched;
  bool any = false;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    bool moved = false;
    for (const Index i : order) {
      const Index old = community_of[i];
      touched.assign(1, old);
      for (Index e = graph.begins[i]; e < graph.begins[i + 1]; ++e) {
        if (graph.ends[e] == i) continue;
        const Index there = community_of[graph.ends[e]];
        if (to[there] == 0 && there != old) touched.push_back(there);
        to[there] += graph.weights[e];
      }
      mass[old] -= degrees[i];
      const auto gain = [&](Index there) {
        return to[there] - resolution * degrees[i] * mass[there] / total;
      };
      Index best = old;
      double best_gain = gain(old) + kNoGain * total;
      for (const Index there : touched) {
        if (const double here = gain(there); here > best_gain) {
          best = there;
          best_gain = here;
        }
      }
      mass[best] += degrees[i];
      community_of[i] = best;
      moved = moved || best != old;
      for (const Index there : touched) to[there] = 0;
    }
    any = any || moved;
    if (!moved) break;
  }
  return any;
}

// Numbers communities from 0, in the order of their first nodes.
Index renumber(std::vector<Index>& community_of) {
  std::vector<Index> number(community_of.size(), -1);
  Index count = 0;
  for (Index& each : community_of) {
    if (number[each] < 0) number[each] = count++;
    each = number[each];
  }
  return count;
}

NeighborGraph graph_of_communities(const NeighborGraph& graph,
                                   const std::vector<Index>& community_of, Index count) {
  std::vector<Edge> edges;
  edges.reserve(graph.ends.size());
  for (Index i = 0; i < graph.nodes(); ++i) {
    for (Index e = graph.begins[i]; e < graph.begins[i + 1]; ++e) {
      edges.emplace_back(community_of[i], community_of[graph.ends[e]], graph.weights[e]);
    }
  }
  return graph_of_edges(count, std::move(edges));
}

}  // namespace

NeighborGraph graph_of_neighbors(const MatrixOf<Index>& near, Index count) {
  std::vector<Edge> edges;
  edges.reserve(static_cast<std::size_t>(2 * near.rows() * count));
  for (Index i = 0; i < near.rows(); ++i) {
    for (Index k = 0; k < count; ++k) {
      edges.emplace_back(i, near(i, k), 1.0);
      edges.emplace_back(near(i, k), i, 1.0);
    }
  }
  return graph_of_edges(near.rows(), std::move(edges));
}

std::vector<Index> find_communities(const NeighborGraph& graph, double resolution) {
  std::vector<Index> out(static_cast<std::size_t>(graph.nodes()));
  std::iota(out.begin(), out.end(), Index{0});
  NeighborGraph level = graph;
  for (int depth = 0; depth < kMostLevels; ++depth) {
    std::vector<Index> community_of(static_cast<std::size_t>(level.nodes()));
    if (!move_nodes(level, resolution, static_cast<std::uint64_t>(depth), community_of)) break;
    const Index count = renumber(community_of);
    for (Index& each : out) each = community_of[each];
    if (count == level.nodes()) break;
    level = graph_of_communities(level, community_of, count);
  }
  renumber(out);
  return out;
}

double modularity(const NeighborGraph& graph, const std::vector<Index>& community_of,
                  double resolution) {
  const std::vector<double> degrees = degrees_of(graph);
  const double total = std::accumulate(degrees.begin(), degrees.end(), 0.0);
  std::vector<double> inside(degrees.size(), 0.0), mass(degrees.size(), 0.0);
  for (Index i = 0; i < graph.nodes(); ++i) {
    mass[community_of[i]] += degrees[i];
    for (Index e = graph.begins[i]; e < graph.begins[i + 1]; ++e) {
      if (community_of[i] == community_of[graph.ends[e]]) {
        inside[community_of[i]] += graph.weights[e];
      }
    }
  }
  double out = 0;
  for (std::size_t c = 0; c < mass.size(); ++c) {
    out += inside[c] / total - resolution * (mass[c] / total) * (mass[c] / total);
  }
  return out;
}

}  // namespace conflux
