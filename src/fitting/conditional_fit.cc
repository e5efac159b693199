#include "fitting/conditional_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <variant>

#include "core/rng.h"
#include "univariate/barycenter.h"
#include "univariate/quantiles.h"

namespace conflux {

namespace {

// Features that may be cut in one layer. The next layer draws others.
constexpr Index kMostCut = 32;
// Knots of a leaf's map are the root of its smallest group's rows, divided by this: leaves are many
// and later layers come back to them.
constexpr double kRowsRootPerKnot = 2;
constexpr Index kMostLeafKnots = 40;

// Factor that makes the masses of a group sum to the rows that it is worth: fewer than it has if
// they weigh differently.
double unit_of_mass(const Group& group, const RowList& chosen, Communicator& comm) {
  std::vector<double> sums(2, 0.0);
  for (const Index i : chosen) {
    const double mass = mass_of(group, i);
    sums[0] += mass;
    sums[1] += mass * mass;
  }
  comm.sum(sums);
  return sums[1] > 0 ? sums[0] / sums[1] : 0;
}

// Rows of all processes, packed by `pack`(group, row, unit of mass, out).
template <class Pack>
std::vector<double> gather_packed(const GroupSet& groups, const RowChoice& chosen,
                                  Communicator& comm, Pack pack) {
  std::vector<double> packed;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const double unit = unit_of_mass(groups[m], chosen[m], comm);
    for (const Index i : chosen[m]) pack(m, i, unit, packed);
  }
  return comm.gather(packed);
}

EvidenceRows gather_evidence(const GroupSet& groups, const RowChoice& chosen, Communicator& comm) {
  const Index dim = groups.dim();
  std::vector<double> buffer;
  const std::vector<double> packed = gather_packed(
      groups, chosen, comm, [&](Index m, Index i, double unit, std::vector<double>& out) {
        out.insert(out.end(), {static_cast<double>(m), unit * mass_of(groups[m], i)});
        const double* row = groups[m].rows.row(i, buffer);
        out.insert(out.end(), row, row + dim);
      });
  const Eigen::Map<const Matrix> all(packed.data(), static_cast<Index>(packed.size()) / (dim + 2),
                                     dim + 2);
  EvidenceRows out{all.rightCols(dim), {}, {}};
  for (Index i = 0; i < all.rows(); ++i) {
    out.group.push_back(static_cast<Index>(all(i, 0)));
    out.mass.push_back(all(i, 1));
  }
  return out;
}

// `count` features in increasing order, from place `first` of a random order on.
std::vector<Index> some_features(Index dim, Index first, Index count, Stream stream) {
  const std::vector<Index> order = stream.permutation(dim);
  std::vector<Index> out(order.begin() + first, order.begin() + std::min(first + count, dim));
  std::sort(out.begin(), out.end());
  return out;
}

// Rows of each leaf.
std::vector<std::vector<RankedRow>> gather_leaves(const GroupSet& groups, const RowChoice& chosen,
                                                  const ConditionalTree& tree, Communicator& comm) {
  constexpr std::size_t kWidth = 4;
  const std::vector<double> packed = gather_packed(
      groups, chosen, comm, [&](Index m, Index i, double unit, std::vector<double>& out) {
        const Group& group = groups[m];
        const Index leaf =
            ConditionalLayer::leaf_of(tree.nodes, [&](Index j) { return group.rows(i, j); });
        out.insert(out.end(), {static_cast<double>(leaf), static_cast<double>(m),
                               unit * mass_of(group, i), group.rows(i, tree.moved)});
      });
  std::vector<std::vector<RankedRow>> leaves(tree.nodes.size() + 1);
  for (std::size_t at = 0; at < packed.size(); at += kWidth) {
    leaves[static_cast<std::size_t>(packed[at])].push_back(
        {packed[at + 3], packed[at + 2], static_cast<Index>(packed[at + 1])});
  }
  return leaves;
}

// A node comes before those below it, so counts add up from the last one.
std::vector<ConditionalLayer::Node> with_usual_sides(
    std::vector<ConditionalLayer::Node> nodes, const std::vector<std::vector<RankedRow>>& leaves) {
  std::vector<std::size_t> counts(nodes.size());
  const auto rows_of = [&](Index child) {
    return child < 0 ? leaves[static_cast<std::size_t>(-1 - child)].size()
                     : counts[static_cast<std::size_t>(child)];
  };
  for (std::size_t v = nodes.size(); v-- > 0;) {
    const std::size_t below = rows_of(nodes[v].below), above = rows_of(nodes[v].above);
    nodes[v].usually_below = below > above;
    counts[v] = below + above;
  }
  return nodes;
}

void sort_leaf(std::vector<RankedRow>& leaf) {
  std::sort(leaf.begin(), leaf.end(), [](const RankedRow& a, const RankedRow& b) {
    return std::tie(a.value, a.group, a.mass) < std::tie(b.value, b.group, b.mass);
  });
}

QuantileSummary summary_of(const std::vector<RankedRow>& leaf, Index group) {
  std::vector<double> values, masses;
  for (const RankedRow& row : leaf) {
    if (row.group != group) continue;
    values.push_back(row.value);
    masses.push_back(row.mass);
  }
  return summarize(values, masses, static_cast<Index>(values.size()));
}

double total(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

// The maps of a leaf; those of groups with few rows are the identity.
struct LeafMaps {
  std::vector<PiecewiseLinearMap> maps;
  ConditionalLayer::Barycenter barycenter;
};

LeafMaps fit_leaf(const std::vector<RankedRow>& leaf, double strength, const FitOptions& options) {
  const auto num_groups = static_cast<Index>(options.weights.list.size());
  LeafMaps out{std::vector<PiecewiseLinearMap>(static_cast<std::size_t>(num_groups)), {}};
  const double share = find_evidence(leaf, num_groups).share;
  if (share == 0) return out;
  std::vector<Index> present;
  std::vector<QuantileSummary> summaries;
  std::vector<double> weights;
  double smallest = static_cast<double>(leaf.size());
  for (Index m = 0; m < num_groups; ++m) {
    QuantileSummary summary = summary_of(leaf, m);
    const double mass = total(summary.masses);
    if (mass < kFewestOfLeaf) continue;
    present.push_back(m);
    smallest = std::min(smallest, mass);
    summaries.push_back(std::move(summary));
    weights.push_back(options.weights.list[m]);
  }
  // Groups without weight have no target.
  const double weight = total(weights);
  if (!(weight > 0)) return out;
  for (double& each : weights) each /= weight;
  const Index knots = std::clamp<Index>(static_cast<Index>(std::sqrt(smallest) / kRowsRootPerKnot),
                                        1, kMostLeafKnots);
  const std::vector<MonotoneMap> maps =
      fit_quantile_maps(summaries, weights, knots, strength * share, &out.barycenter.knots);
  out.barycenter.reach = strength * share;
  for (std::size_t k = 0; k < present.size(); ++k) {
    out.maps[static_cast<std::size_t>(present[k])] = std::get<PiecewiseLinearMap>(maps[k]);
  }
  return out;
}

}  // namespace

Index blocks_of_moved(Index dim) { return (dim + kMovedAtOnce - 1) / kMovedAtOnce; }

std::optional<ConditionalTree> find_conditional_tree(const GroupSet& groups,
                                                     const RowChoice& search, const TreeDraw& draw,
                                                     const FitOptions& options, Communicator& comm,
                                                     const Workers& workers) {
  const auto some = [&](Index first, Index count, std::uint64_t which) {
    return some_features(groups.features(), first, count,
                         Stream(options.seed, Purpose::kEvidence, draw.layer, which));
  };
  const std::vector<Index> moved = some(draw.block * kMovedAtOnce, kMovedAtOnce, 0);
  std::vector<Index> cut = some(0, kMostCut, 1);
  // Covariates, the last coordinates, are cut and never moved.
  for (Index j = groups.features(); j < groups.dim(); ++j) cut.push_back(j);
  const EvidenceRows data = gather_evidence(groups, search, comm);
  const BinnedRows binned(data, cut, workers);
  std::vector<ConditionalTree> found(moved.size());
  workers.for_each(static_cast<Index>(moved.size()), [&](Index k) {
    found[k] =
        grow_conditional_tree(binned, moved[k], cut, groups.num_groups(), options.tree_leaves);
  });
  auto best = std::max_element(found.begin(), found.end(),
                               [](const auto& a, const auto& b) { return a.worth < b.worth; });
  if (!(best->worth > 0)) return std::nullopt;
  return std::move(*best);
}

std::optional<ConditionalLayer> fit_conditional_layer(const GroupSet& groups, const RowChoice& maps,
                                                      const ConditionalTree& tree, double strength,
                                                      const FitOptions& options, Communicator& comm,
                                                      const Workers& workers) {
  std::vector<std::vector<PiecewiseLinearMap>> of_group(
      static_cast<std::size_t>(groups.num_groups()));
  std::vector<ConditionalLayer::Barycenter> barycenters;
  bool moves = false;
  std::vector<std::vector<RankedRow>> leaves = gather_leaves(groups, maps, tree, comm);
  std::vector<LeafMaps> all(leaves.size());
  workers.for_each(static_cast<Index>(leaves.size()), [&](Index leaf) {
    sort_leaf(leaves[leaf]);
    all[leaf] = fit_leaf(leaves[leaf], strength, options);
  });
  for (LeafMaps& fitted : all) {
    for (std::size_t m = 0; m < of_group.size(); ++m) {
      of_group[m].push_back(std::move(fitted.maps[m]));
    }
    moves = moves || !fitted.barycenter.knots.empty();
    barycenters.push_back(std::move(fitted.barycenter));
  }
  if (!moves) return std::nullopt;
  return ConditionalLayer(groups.dim(), tree.moved, with_usual_sides(tree.nodes, leaves),
                          std::move(of_group), std::move(barycenters));
}

double excess_of(const ConditionalLayer& layer, const GroupSet& groups, const RowChoice& unseen,
                 Communicator& comm) {
  const ConditionalTree tree{.moved = layer.moved(), .nodes = layer.nodes()};
  double excess = 0, freedom = 0;
  for (std::vector<RankedRow>& leaf : gather_leaves(groups, unseen, tree, comm)) {
    sort_leaf(leaf);
    const Evidence found = find_evidence(leaf, groups.num_groups());
    excess += found.chi_squared - found.freedom;
    freedom += found.freedom;
  }
  return freedom > 0 ? excess / std::sqrt(2 * freedom) : 0;
}

ConditionalLayer with_group(const ConditionalLayer& layer, const GroupSet& group,
                            const RowChoice& chosen) {
  SelfCommunicator alone;
  const ConditionalTree tree{.moved = layer.moved(), .nodes = layer.nodes()};
  std::vector<PiecewiseLinearMap> added;
  Index leaf = 0;
  for (std::vector<RankedRow>& rows : gather_leaves(group, chosen, tree, alone)) {
    sort_leaf(rows);
    const auto& [knots, reach] = layer.barycenters()[static_cast<std::size_t>(leaf++)];
    const QuantileSummary summary = summary_of(rows, 0);
    const bool moves = !knots.empty() && total(summary.masses) >= kFewestOfLeaf;
    added.push_back(moves ? fit_quantile_map_to(summary, knots, reach) : PiecewiseLinearMap());
  }
  auto maps = layer.maps();
  maps.push_back(std::move(added));
  return {layer.dim(), layer.moved(), layer.nodes(), std::move(maps), layer.barycenters()};
}

}  // namespace conflux
