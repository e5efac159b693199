#include "matching/moved_copy.h"

#include <algorithm>
#include <limits>

#include "matching/partial_transport.h"

namespace conflux {

namespace {

// Both of two partners move, so that half of the way takes each to where the other was last.
constexpr double kStep = 0.5;
constexpr double kRounding = 1e-9;

Matrix squared_distances(const Matrix& a, const Matrix& b) {
  Matrix out(a.rows(), b.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    out.row(i) = (b.rowwise() - a.row(i)).rowwise().squaredNorm().transpose();
  }
  return out;
}

// Cost of matching two clusters: their squared distance, or infinity if their labels differ.
Matrix costs_of(const Clusters& a, const Clusters& b, const Matrix& at_a, const Matrix& at_b) {
  Matrix out = squared_distances(at_a, at_b);
  if (a.labels.empty() || b.labels.empty()) return out;
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) {
      const bool differ = a.labels[i] >= 0 && b.labels[j] >= 0 && a.labels[i] != b.labels[j];
      if (differ) out(i, j) = std::numeric_limits<double>::infinity();
    }
  }
  return out;
}

// Clusters of the same label are matched at any price, the nearest first; others have what is left.
PartialPlan match_clusters(const Clusters& a, const Clusters& b, const Matrix& costs,
                           double price) {
  if (a.labels.empty() || b.labels.empty()) {
    return partial_transport(costs, a.masses, b.masses, price, 1);
  }
  Matrix known = costs;
  for (Index i = 0; i < known.rows(); ++i) {
    for (Index j = 0; j < known.cols(); ++j) {
      if (a.labels[i] >= 0 && a.labels[i] == b.labels[j]) continue;
      known(i, j) = std::numeric_limits<double>::infinity();
    }
  }
  PartialPlan out =
      partial_transport(known, a.masses, b.masses, std::numeric_limits<double>::infinity(), 1);
  const Vector left_of_a = (a.masses - out.shipped.rowwise().sum()).cwiseMax(0.0);
  const Vector left_of_b = (b.masses - out.shipped.colwise().sum().transpose()).cwiseMax(0.0);
  const PartialPlan rest = partial_transport(costs, left_of_a, left_of_b, price, 1);
  out.shipped += rest.shipped;
  out.mass += rest.mass;
  return out;
}

struct Pair {
  Index a = 0;
  Index b = 0;
  double need = 0;  // the price at which enough of the two is matched
  PartialPlan plan = {};
};

std::vector<Pair> all_pairs(Index num_groups) {
  std::vector<Pair> out;
  for (Index a = 0; a < num_groups; ++a) {
    for (Index b = a + 1; b < num_groups; ++b) out.push_back({.a = a, .b = b});
  }
  return out;
}

// The smallest price at which all groups are linked, directly or through others: the largest edge
// of the tree that links them at least cost (Prim's algorithm). Labels may forbid some links.
double price_that_links(const std::vector<Pair>& pairs, Index num_groups) {
  Matrix need = Matrix::Zero(num_groups, num_groups);
  for (const Pair& pair : pairs) need(pair.a, pair.b) = need(pair.b, pair.a) = pair.need;
  Vector nearest = need.col(0);
  std::vector<bool> inside(static_cast<std::size_t>(num_groups), false);
  inside[0] = true;
  double largest = 0;
  for (Index step = 1; step < num_groups; ++step) {
    Index next = -1;
    for (Index m = 0; m < num_groups; ++m) {
      if (!inside[m] && (next < 0 || nearest(m) < nearest(next))) next = m;
    }
    inside[next] = true;
    if (nearest(next) < std::numeric_limits<double>::infinity()) {
      largest = std::max(largest, nearest(next));
    }
    nearest = nearest.cwiseMin(need.col(next));
  }
  return largest;
}

/// Displacement of one group's clusters towards their partners.
struct Pull {
  Matrix towards;  // sums of partners, by the mass matched
  Vector mass;     // matched over all pairs
  Vector part;     // the largest part of the cluster that one pair matches
  Vector squared;  // sums of squared distances, by mass
};

// Clusters with partners move towards them; what has none follows its own group, the nearer
// clusters most.
Matrix moves_of(const Clusters& own, const Matrix& at, const Pull& pull) {
  const Index count = at.rows();
  Matrix moves = Matrix::Zero(count, at.cols());
  for (Index i = 0; i < count; ++i) {
    if (pull.mass(i) > 0) moves.row(i) = pull.towards.row(i) / pull.mass(i) - at.row(i);
  }
  const Matrix apart = squared_distances(own.centers, own.centers);
  const double width =
      std::max(apart.sum() / static_cast<double>(std::max<Index>(1, count * (count - 1))),
               std::numeric_limits<double>::min());
  Matrix out(count, at.cols());
  for (Index i = 0; i < count; ++i) {
    const Vector kernel =
        (-4 * apart.row(i).transpose() / width).array().exp().matrix().cwiseProduct(pull.mass);
    const double total = kernel.sum();
    out.row(i) = pull.part(i) * moves.row(i);
    if (total > 0) out.row(i) += (1 - pull.part(i)) * (kernel.transpose() * moves) / total;
  }
  return kStep * out;
}

std::vector<Pull> pulls_of(const std::vector<Pair>& pairs, const std::vector<Clusters>& clusters,
                           const std::vector<Matrix>& at) {
  std::vector<Pull> out;
  out.reserve(at.size());
  for (const Matrix& each : at) {
    out.push_back({.towards = Matrix::Zero(each.rows(), each.cols()),
                   .mass = Vector::Zero(each.rows()),
                   .part = Vector::Zero(each.rows()),
                   .squared = Vector::Zero(each.rows())});
  }
  for (const Pair& pair : pairs) {
    const Matrix& shipped = pair.plan.shipped;
    if (shipped.size() == 0) continue;
    const Matrix costs = squared_distances(at[pair.a], at[pair.b]).cwiseProduct(shipped);
    const auto add = [&](Index m, const Matrix& plan, const Matrix& paid, const Matrix& partners) {
      const Vector mass = plan.rowwise().sum();
      out[m].towards += plan * partners;
      out[m].mass += mass;
      out[m].part = out[m].part.cwiseMax(mass.cwiseQuotient(clusters[m].masses)).cwiseMin(1.0);
      out[m].squared += paid.rowwise().sum();
    };
    add(pair.a, shipped, costs, at[pair.b]);
    add(pair.b, shipped.transpose(), costs.transpose(), at[pair.a]);
  }
  return out;
}

// False when the price is nothing: enough of the groups has met. Labels may tell of more.
bool match(std::vector<Pair>& pairs, const std::vector<Clusters>& clusters,
           const std::vector<Matrix>& at, const MatchOptions& options, const Workers& workers) {
  const auto count = static_cast<Index>(pairs.size());
  const auto costs = [&](const Pair& pair) {
    return costs_of(clusters[pair.a], clusters[pair.b], at[pair.a], at[pair.b]);
  };
  workers.for_each(count, [&](Index p) {
    Pair& pair = pairs[p];
    const PartialPlan enough =
        partial_transport(costs(pair), clusters[pair.a].masses, clusters[pair.b].masses,
                          std::numeric_limits<double>::infinity(), options.fraction);
    const bool can_be_linked = enough.mass >= options.fraction - kRounding;
    pair.need = can_be_linked ? enough.price : std::numeric_limits<double>::infinity();
  });
  const double linking = price_that_links(pairs, static_cast<Index>(at.size()));
  // The price stays positive: mass is matched in any case where that costs nothing.
  const double price = std::max(options.slack * linking, std::numeric_limits<double>::min());
  workers.for_each(count, [&](Index p) {
    Pair& pair = pairs[p];
    const double paid = pair.need <= price ? price : 0;
    pair.plan = match_clusters(clusters[pair.a], clusters[pair.b], costs(pair), paid);
  });
  const bool labeled = !clusters.front().labels.empty();
  return linking > 0 || labeled;
}

}  // namespace

MovedCopy draw_together(const std::vector<Clusters>& clusters, const MatchOptions& options,
                        const Workers& workers) {
  MovedCopy out;
  for (const Clusters& each : clusters) out.centers.push_back(each.centers);
  const auto num_groups = static_cast<Index>(clusters.size());
  std::vector<Pair> pairs = all_pairs(num_groups);
  for (Index round = 0; round < options.rounds; ++round) {
    const bool apart = match(pairs, clusters, out.centers, options, workers);
    if (!apart && round > 0) break;
    const std::vector<Pull> pulls = pulls_of(pairs, clusters, out.centers);
    for (Index m = 0; m < num_groups; ++m) {
      if (round == 0) {
        out.matched.push_back(pulls[m].part);
        out.squared_distances.push_back(
            pulls[m].squared.cwiseQuotient(pulls[m].mass.cwiseMax(1e-300)));
      }
      out.centers[m] += moves_of(clusters[m], out.centers[m], pulls[m]);
    }
    if (round > 0) continue;
    for (const Pair& pair : pairs) {
      if (pair.plan.mass > 0) out.links.emplace_back(pair.a, pair.b);
    }
  }
  return out;
}

}  // namespace conflux
