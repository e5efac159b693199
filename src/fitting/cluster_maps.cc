#include "fitting/cluster_maps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "fitting/row_choice.h"
#include "univariate/quantiles.h"

namespace conflux {

namespace {

// A group with less of itself in a cluster, compared with the group that has most, stays as it is.
constexpr double kLeastPart = 0.1;
// Maps have as many knots as the square root of the rows of the smallest group, but not fewer.
constexpr Index kLeastKnots = 4;
// Unseen rows of a group are compared by so many quantiles, and fewer rows do not tell.
constexpr Index kComparedQuantiles = 12;
constexpr double kFewestUnseen = 8;

// The groups that have a map of their own in a cluster; the largest if none has enough rows.
std::vector<Index> members_of(const SharedRows& rows, Index cluster, double min_cluster) {
  std::vector<Index> out;
  Index largest = 0;
  for (Index m = 0; m < rows.masses.rows(); ++m) {
    if (rows.masses(m, cluster) >= min_cluster && takes_part(rows, m, cluster)) out.push_back(m);
    if (rows.masses(m, cluster) > rows.masses(largest, cluster)) largest = m;
  }
  if (out.empty()) out.push_back(largest);
  return out;
}

ValueMoments moments_of(const SharedRows& rows, Index group, Index cluster, Index line) {
  const double mass = std::max(rows.masses(group, cluster), std::numeric_limits<double>::min());
  const double mean = rows.sums[group](cluster, line) / mass;
  const double square = rows.squares[group](cluster, line) / mass;
  return {.mean = mean, .deviation = std::sqrt(std::max(0.0, square - mean * mean))};
}

// Values of a group's rows on a line, with their masses in a cluster, from the smallest.
struct SortedValues {
  std::vector<double> values = {};
  std::vector<double> masses = {};
};

SortedValues sorted_values(const SharedRows& rows, Index group, Index cluster, Index line) {
  std::vector<std::pair<double, double>> pairs;
  const Matrix& shares = rows.shares[group];
  for (Index i = 0; i < shares.rows(); ++i) {
    if (shares(i, cluster) > 0) pairs.emplace_back(rows.lines[group](i, line), shares(i, cluster));
  }
  std::sort(pairs.begin(), pairs.end());
  SortedValues out;
  for (const auto& [value, mass] : pairs) {
    out.values.push_back(value);
    out.masses.push_back(mass);
  }
  return out;
}

// Means of parts of equal mass, after a map.
std::vector<double> quantiles_after(const PiecewiseLinearMap& map, const SortedValues& before) {
  std::vector<double> moved = before.values;
  map.forward(moved, nullptr);
  return equal_mass_means(summarize(moved, before.masses, kPointsPerKnot * kComparedQuantiles),
                          kComparedQuantiles);
}

// The mean squared distance of the members' quantiles from their mean.
double spread_of(const ClusterMaps& cluster, const std::vector<std::vector<double>>& quantiles) {
  double out = 0;
  for (Index q = 0; q < kComparedQuantiles; ++q) {
    double mean = 0, square = 0;
    for (std::size_t j = 0; j < quantiles.size(); ++j) {
      mean += cluster.weights[j] * quantiles[j][q];
      square += cluster.weights[j] * quantiles[j][q] * quantiles[j][q];
    }
    out += std::max(0.0, square - mean * mean) / static_cast<double>(kComparedQuantiles);
  }
  return out;
}

}  // namespace

SharedRows share_rows(const GroupSet& groups, const RowChoice& chosen,
                      const std::vector<Matrix>& lines, const std::vector<Matrix>& shares,
                      Communicator& comm) {
  const Index count = groups.num_groups();
  const Index clusters = shares.front().cols();
  SharedRows out;
  out.masses.resize(count, clusters);
  for (Index m = 0; m < count; ++m) {
    const auto rows = static_cast<Index>(chosen[m].size());
    Matrix& own_lines = out.lines.emplace_back(rows, lines[m].cols());
    Matrix& own_shares = out.shares.emplace_back(rows, clusters);
    for (Index i = 0; i < rows; ++i) {
      own_lines.row(i) = lines[m].row(chosen[m][i]);
      own_shares.row(i) = mass_of(groups[m], chosen[m][i]) * shares[m].row(chosen[m][i]);
    }
    for (Index c = 0; c < clusters; ++c) out.masses(m, c) = own_shares.col(c).sum();
    out.sums.push_back(own_shares.transpose() * own_lines);
    out.squares.push_back(own_shares.transpose() * own_lines.cwiseAbs2());
  }
  const auto add_over_processes = [&](Matrix& values) {
    comm.sum(std::span(values.data(), static_cast<std::size_t>(values.size())));
  };
  add_over_processes(out.masses);
  for (Matrix& of_group : out.sums) add_over_processes(of_group);
  for (Matrix& of_group : out.squares) add_over_processes(of_group);
  out.parts = out.masses;
  for (Index m = 0; m < count; ++m) {
    const auto of_group = std::span(&out.masses(m, 0), static_cast<std::size_t>(clusters));
    out.parts.row(m) /= std::accumulate(of_group.begin(), of_group.end(), 0.0);
  }
  return out;
}

bool takes_part(const SharedRows& rows, Index group, Index cluster) {
  return rows.parts(group, cluster) >= kLeastPart * rows.parts.col(cluster).maxCoeff();
}

std::vector<double> subset_weights(const std::vector<double>& weights,
                                   const std::vector<Index>& members) {
  std::vector<double> out;
  double sum = 0;
  for (const Index m : members) {
    out.push_back(weights[m]);
    sum += weights[m];
  }
  // Groups that count nothing may be alone in a cluster.
  for (double& each : out) each = sum > 0 ? each / sum : 1 / static_cast<double>(out.size());
  return out;
}

PiecewiseLinearMap ClusterMaps::map(std::size_t member, Index line, MapDetail detail,
                                    double strength) const {
  if (detail == MapDetail::kBend) return std::get<PiecewiseLinearMap>(lines.maps[member][line]);
  return map_of_moments(detail, moments[member][line], targets[line], strength);
}

ClusterMaps fit_cluster(const GroupSet& groups, const SharedRows& rows, Index cluster,
                        double min_cluster, double strength, const FitOptions& options,
                        Communicator& comm, const Workers& workers) {
  ClusterMaps out{.members = members_of(rows, cluster, min_cluster)};
  GroupSet in_cluster;
  RowChoice with_mass;
  double least = std::numeric_limits<double>::infinity();
  for (const Index m : out.members) {
    const Matrix& shares = rows.shares[m];
    std::vector<double> masses(static_cast<std::size_t>(shares.rows()));
    auto& chosen = with_mass.emplace_back();
    for (Index i = 0; i < shares.rows(); ++i) {
      masses[i] = shares(i, cluster);
      if (masses[i] > 0) chosen.push_back(i);
    }
    in_cluster.add(groups[m].name, Matrix(rows.lines[m]), std::move(masses));
    least = std::min(least, rows.masses(m, cluster));
  }
  std::vector<double> counting;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    counting.push_back(options.weights.list[m] * rows.parts(m, cluster));
  }
  out.weights = subset_weights(counting, out.members);
  FitOptions own = options;
  own.weights = out.weights;
  own.knots = std::clamp<Index>(std::lround(std::sqrt(least)), kLeastKnots, *options.knots);
  out.lines = fit_line_maps(in_cluster, with_mass, nullptr, strength, own, comm, workers);
  out.targets.resize(static_cast<std::size_t>(rows.lines.front().cols()));
  for (std::size_t j = 0; j < out.members.size(); ++j) {
    auto& moments = out.moments.emplace_back();
    for (std::size_t line = 0; line < out.targets.size(); ++line) {
      moments.push_back(moments_of(rows, out.members[j], cluster, static_cast<Index>(line)));
      out.targets[line].mean += out.weights[j] * moments.back().mean;
      out.targets[line].deviation += out.weights[j] * moments.back().deviation;
    }
  }
  return out;
}

std::vector<DetailLosses> losses_of_unseen(const GroupSet& groups, const SharedRows& seen,
                                           const SharedRows& unseen, double min_cluster,
                                           double strength, const FitOptions& options,
                                           Communicator& comm, const Workers& workers) {
  std::vector<DetailLosses> out(static_cast<std::size_t>(seen.masses.cols()), DetailLosses{});
  workers.for_each(seen.masses.cols(), [&](Index c) {
    // A rare cluster may have no row among those seen, so its members are found before its maps.
    const std::vector<Index> members = members_of(seen, c, min_cluster);
    const bool few = std::any_of(members.begin(), members.end(),
                                 [&](Index m) { return unseen.masses(m, c) < kFewestUnseen; });
    if (few || members.size() < 2) return;
    const ClusterMaps cluster =
        fit_cluster(groups, seen, c, min_cluster, strength, options, comm, Workers(1));
    for (Index line = 0; line < static_cast<Index>(cluster.targets.size()); ++line) {
      std::vector<SortedValues> values;
      for (const Index m : cluster.members) values.push_back(sorted_values(unseen, m, c, line));
      const double unit = std::max(cluster.targets[line].deviation, 1e-300);
      for (std::size_t v = 0; v < kMapDetails.size(); ++v) {
        std::vector<std::vector<double>> quantiles;
        for (std::size_t j = 0; j < values.size(); ++j) {
          quantiles.push_back(
              quantiles_after(cluster.map(j, line, kMapDetails[v], strength), values[j]));
        }
        out[c][v] += spread_of(cluster, quantiles) / (unit * unit);
      }
    }
  });
  return out;
}

}  // namespace conflux
