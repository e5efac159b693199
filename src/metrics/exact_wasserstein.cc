#include <fmt/format.h>
#include <lemon/network_simplex.h>
#include <lemon/smart_graph.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "metrics/clouds_internal.h"
#include "metrics/costs_internal.h"

namespace conflux {

namespace {

constexpr Index kLargestWhole = 2000;
constexpr Index kDefaultBlock = 500;

using Integer = std::int64_t;
using Graph = lemon::SmartDigraph;
using Simplex = lemon::NetworkSimplex<Graph, Integer, Integer>;

// A path through all nodes adds up to less than 2^62 for fewer than 2^18 nodes.
const double kCostUnits = std::ldexp(1.0, 44);
// More units than a sum of weights has significant bits would be noise.
const double kMassUnits = std::ldexp(1.0, 50);

struct Masses {
  std::vector<Integer> x;
  std::vector<Integer> y;
};

// Both sides sum to the least common multiple of the counts.
Masses equal_masses(Index rows_x, Index rows_y) {
  const Integer total = std::lcm<Integer>(rows_x, rows_y);
  return {std::vector<Integer>(rows_x, total / rows_x),
          std::vector<Integer>(rows_y, total / rows_y)};
}

// Rounds the running sums, so that the masses add up to kMassUnits exactly.
std::vector<Integer> weighted_masses(std::span<const double> weights, double sum) {
  std::vector<Integer> masses;
  double running = 0;
  Integer given = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    running += weights[i];
    const double share = i + 1 == weights.size() ? 1.0 : running / sum;
    const Integer upto = std::llround(share * kMassUnits);
    masses.push_back(upto - given);
    given = upto;
  }
  return masses;
}

// Arcs are numbered like the entries of the row-major cost matrix.
struct RoundedCosts {
  using Key = Graph::Arc;
  using Value = Integer;
  const double* cost;
  double largest;
  Value operator[](const Key& arc) const {
    return std::llround(cost[Graph::id(arc)] / largest * kCostUnits);
  }
};

struct Supplies {
  using Key = Graph::Node;
  using Value = Integer;
  const Masses* masses;
  Value operator[](const Key& node) const {
    const auto id = static_cast<std::size_t>(Graph::id(node));
    const std::size_t sources = masses->x.size();
    return id < sources ? masses->x[id] : -masses->y[id - sources];
  }
};

// LEMON numbers arcs by int.
void check_size(Index rows_x, Index rows_y) {
  if (rows_x <= std::numeric_limits<int>::max() / rows_y) return;
  throw InvalidOption(fmt::format(
      "{} x {} rows are too many to compare whole; choose smaller blocks or fewer rows.", rows_x,
      rows_y));
}

void make_complete_bipartite(Graph& graph, Index rows_x, Index rows_y) {
  graph.reserveNode(static_cast<int>(rows_x + rows_y));
  graph.reserveArc(static_cast<int>(rows_x * rows_y));
  for (Index k = 0; k < rows_x + rows_y; ++k) graph.addNode();
  for (Index i = 0; i < rows_x; ++i) {
    for (Index j = 0; j < rows_y; ++j) {
      graph.addArc(Graph::nodeFromId(static_cast<int>(i)),
                   Graph::nodeFromId(static_cast<int>(rows_x + j)));
    }
  }
}

double cheapest_plan(ConstRows x, ConstRows y, const Masses& masses, const Workers& workers) {
  check_size(x.rows(), y.rows());
  const Matrix cost = squared_distances<double>(x, y, workers);
  const double largest = cost.maxCoeff();
  if (largest == 0) return 0;
  Graph graph;
  make_complete_bipartite(graph, x.rows(), y.rows());
  Simplex simplex(graph);
  simplex.costMap(RoundedCosts{cost.data(), largest}).supplyMap(Supplies{&masses});
  [[maybe_unused]] const auto outcome = simplex.run();
  assert(outcome == Simplex::OPTIMAL);
  double total = 0;
  for (Index k = 0; k < cost.size(); ++k) {
    const Integer flow = simplex.flow(Graph::arcFromId(static_cast<int>(k)));
    if (flow > 0) total += static_cast<double>(flow) * cost.data()[k];
  }
  const Integer mass = std::accumulate(masses.x.begin(), masses.x.end(), Integer{0});
  return total / static_cast<double>(mass);
}

}  // namespace

double exact_w2_squared(ConstRows x, ConstRows y, const ExactWassersteinOptions& options,
                        const Workers& workers) {
  check_clouds(x, y);
  std::optional<Index> block = options.block;
  if (!block && std::max(x.rows(), y.rows()) > kLargestWhole) block = kDefaultBlock;
  const std::vector<BlockPair> blocks = cut_in_step(x, y, block);
  std::vector<double> values(blocks.size());
  workers.for_each(static_cast<Index>(blocks.size()), [&](Index b) {
    const BlockPair& pair = blocks[b];
    values[b] = cheapest_plan(pair.x, pair.y, equal_masses(pair.x.rows(), pair.y.rows()), workers);
  });
  double mean = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) mean += blocks[b].share * values[b];
  return mean;
}

double exact_w2_squared(ConstRows x, std::span<const double> x_weights, ConstRows y,
                        std::span<const double> y_weights, const Workers& workers) {
  check_clouds(x, y);
  const double x_sum = check_weights(x_weights, x.rows(), "rows of the first cloud");
  const double y_sum = check_weights(y_weights, y.rows(), "rows of the second cloud");
  const Masses masses{weighted_masses(x_weights, x_sum), weighted_masses(y_weights, y_sum)};
  return cheapest_plan(x, y, masses, workers);
}

}  // namespace conflux
