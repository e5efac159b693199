#include "fitting/gated_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "fitting/cluster_maps.h"
#include "fitting/row_choice.h"
#include "slicing/sliced_wasserstein.h"
#include "univariate/barycenter.h"
#include "univariate/quantiles.h"

namespace conflux {

namespace {

// A cluster with fewer rows in the search takes no part in it: they cannot tell a direction.
constexpr std::size_t kLeastSearchRows = 10;

// Moves a group that is too small for a map of its own by its mean, less the fewer rows it has.
PiecewiseLinearMap shift_to(double mean, double mass, double target, double strength) {
  const double certain = mass / (mass + kRowsOfDoubt);
  return PiecewiseLinearMap({mean}, {mean + strength * certain * (target - mean)});
}

/// The sum over clusters of the spread of the groups in it.
class ClusterSpread final : public AscentProblem {
 public:
  void add(SearchSample<float> sample, std::vector<double> weights, double mass, Index directions,
           const Workers& workers) {
    Cluster& cluster = clusters_.emplace_back();
    cluster.sample = std::make_unique<SearchSample<float>>(std::move(sample));
    cluster.factor = mass * cluster.sample->scale * cluster.sample->scale;
    cluster.spread = std::make_unique<SlicedSpread<float>>(*cluster.sample, std::move(weights),
                                                           directions, workers);
  }
  bool empty() const { return clusters_.empty(); }

  double start(const Frame& frame) override {
    return sum([&](Cluster& cluster) { return cluster.spread->start(frame); });
  }
  Matrix gradient() override {
    Matrix out;
    for (Cluster& cluster : clusters_) {
      const Matrix part = cluster.factor * cluster.spread->gradient();
      if (out.size() == 0) {
        out = part;
      } else {
        out += part;
      }
    }
    return out;
  }
  void set_direction(const Matrix& basis) override {
    for (Cluster& cluster : clusters_) cluster.spread->set_direction(basis);
  }
  double trial(const SpanStep& step) override {
    return sum([&](Cluster& cluster) { return cluster.spread->trial(step); });
  }
  void accept(const Frame& frame) override {
    for (Cluster& cluster : clusters_) cluster.spread->accept(frame);
  }
  Work work() const {
    Work out;
    for (const Cluster& cluster : clusters_) out += cluster.spread->work();
    return out;
  }
  Index passes() const {
    Index most = 0;
    for (const Cluster& cluster : clusters_) most = std::max(most, cluster.spread->passes());
    return most;
  }

 private:
  struct Cluster {
    std::unique_ptr<SearchSample<float>> sample;
    std::unique_ptr<SlicedSpread<float>> spread;
    double factor = 0;
  };
  template <class F>
  double sum(F f) {
    double out = 0;
    for (Cluster& cluster : clusters_) out += cluster.factor * f(cluster);
    return out;
  }
  std::vector<Cluster> clusters_;
};

// Columns without their part in the span of the gate.
Matrix beside(const Matrix& columns, const Matrix& gate) {
  return columns - gate * (gate.transpose() * columns);
}

// Twice, because rounding leaves a remainder the first time.
Frame frame_beside(const Matrix& columns, const Matrix& gate) {
  const Frame once = Frame::orthonormalized(beside(columns, gate));
  return Frame::orthonormalized(beside(once.columns(), gate));
}

// For each cluster, the positions in `chosen` of the rows whose largest membership is there.
std::vector<RowChoice> sort_into_clusters(const RowChoice& chosen,
                                          const std::vector<Matrix>& shares) {
  std::vector<RowChoice> out(static_cast<std::size_t>(shares.front().cols()),
                             RowChoice(chosen.size()));
  for (std::size_t m = 0; m < chosen.size(); ++m) {
    for (std::size_t i = 0; i < chosen[m].size(); ++i) {
      Index cluster = 0;
      shares[m].row(chosen[m][i]).maxCoeff(&cluster);
      out[cluster][m].push_back(static_cast<Index>(i));
    }
  }
  return out;
}

// Differences of the groups in clusters with these rows, in what the columns of `gate` leave.
ClusterSpread spread_in_clusters(const GroupSet& groups, const std::vector<RowChoice>& in_cluster,
                                 const Matrix& gate, const std::vector<double>& weights,
                                 Index directions, Communicator& comm, const Workers& workers) {
  const Index count = groups.num_groups();
  ClusterSpread problem;
  double all_rows = 0;
  for (const RowChoice& rows : in_cluster) {
    for (const auto& of_group : rows) all_rows += static_cast<double>(of_group.size());
  }
  for (const RowChoice& rows : in_cluster) {
    std::vector<double> counts;
    for (const auto& of_group : rows) counts.push_back(static_cast<double>(of_group.size()));
    comm.sum(counts);
    GroupSet cluster;
    RowChoice cluster_rows;
    std::vector<Index> members;
    double mass = 0;
    for (Index m = 0; m < count; ++m) {
      if (counts[m] < static_cast<double>(kLeastSearchRows)) continue;
      cluster.add(groups[m].name, groups[m].rows, groups[m].masses);
      cluster_rows.push_back(rows[m]);
      members.push_back(m);
      mass += counts[m];
    }
    if (members.size() < 2) continue;
    const std::vector<double> cluster_weights = subset_weights(weights, members);
    SearchSample<float> sample =
        gather_search_sample<float>(cluster, cluster_rows, cluster_weights, comm, workers);
    const MatrixOf<float> narrow = gate.cast<float>();
    for (auto& part : sample.rows) part -= (part * narrow) * narrow.transpose();
    problem.add(std::move(sample), cluster_weights, mass / all_rows, directions, workers);
  }
  return problem;
}

}  // namespace

SearchResult find_gated_directions(const GroupSet& groups, const RowChoice& chosen,
                                   const Gate& gate, const std::vector<Matrix>& shares,
                                   const std::vector<double>& weights, Index directions,
                                   const AscentOptions& ascent, Stream& stream, Communicator& comm,
                                   const Workers& workers) {
  const Matrix& b = gate.frame().columns();
  const Frame start = frame_beside(Frame::random(groups.dim(), directions, stream).columns(), b);
  if (ascent.max_steps == 0) return {.frame = start, .spreads = {}};
  std::vector<RowChoice> in_cluster = sort_into_clusters(chosen, shares);
  for (RowChoice& rows : in_cluster) {
    for (std::size_t m = 0; m < rows.size(); ++m) {
      std::vector<Index> own;
      for (const Index i : rows[m]) own.push_back(chosen[m][i]);
      rows[m] = std::move(own);
    }
  }
  ClusterSpread problem =
      spread_in_clusters(groups, in_cluster, b, weights, directions, comm, workers);
  if (problem.empty()) return {.frame = start, .spreads = {}};
  const AscentResult climbed = ascend(start, problem, ascent);
  return {.frame = frame_beside(climbed.frame.columns(), b),
          .spreads = {},
          .start_value = climbed.start_value,
          .value = climbed.value,
          .steps = climbed.steps,
          .evaluations = climbed.evaluations,
          .passes = problem.passes(),
          .work = problem.work()};
}

double spread_within_clusters(const GroupSet& groups, const RowChoice& chosen,
                              const std::vector<Matrix>& shares, const std::vector<double>& weights,
                              const Frame& frame, Communicator& comm, const Workers& workers) {
  // Values on few lines are all that the spread along them needs.
  GroupSet values;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    values.add(groups[m].name, project_rows(groups[m], chosen[m], frame.columns(), workers),
               chosen_masses(groups[m], chosen[m]));
  }
  const Index k = frame.directions();
  ClusterSpread problem = spread_in_clusters(values, sort_into_clusters(chosen, shares),
                                             Matrix(k, 0), weights, k, comm, workers);
  return problem.empty() ? 0 : problem.start(Frame(Matrix::Identity(k, k)));
}

namespace {

// The only group that counts, to which all others are moved; -1 if several count. It has as much as
// it has of every cluster, however little, and stays where it is.
Index target_of(const std::vector<double>& weights) {
  const auto counts = [](double weight) { return weight > 0; };
  if (std::count_if(weights.begin(), weights.end(), counts) != 1) return -1;
  return std::find_if(weights.begin(), weights.end(), counts) - weights.begin();
}

}  // namespace

GatedLayer fit_gated_layer(const GroupSet& groups, const SharedRows& rows, const Frame& frame,
                           const Gate& gate, MapDetail detail, double strength,
                           const GateSettings& settings, const FitOptions& options,
                           Communicator& comm, const Workers& workers) {
  const Index k = frame.directions();
  const Index target = target_of(options.weights.list);
  GatedLayer::Maps maps(
      static_cast<std::size_t>(groups.num_groups()),
      std::vector<PiecewiseLinearMap>(static_cast<std::size_t>(gate.clusters() * k)));
  GatedLayer::Barycenters barycenters;
  for (Index c = 0; c < gate.clusters(); ++c) {
    // A label may have been read that none of these rows has.
    if (!(rows.masses.col(c).maxCoeff() > 0)) {
      barycenters.resize(barycenters.size() + static_cast<std::size_t>(k));
      continue;
    }
    const ClusterMaps fitted =
        fit_cluster(groups, rows, c, settings.min_cluster, strength, options, comm, workers);
    for (Index line = 0; line < k; ++line) {
      const auto row = fitted.lines.barycenters.row(line);
      barycenters.emplace_back(row.begin(), row.end());
      // A group that is alone in a cluster is not moved there.
      for (std::size_t j = 0; j < fitted.members.size() && fitted.members.size() > 1; ++j) {
        if (fitted.members[j] == target) continue;
        maps[fitted.members[j]][c * k + line] = fitted.map(j, line, detail, strength);
      }
      for (Index m = 0; m < groups.num_groups(); ++m) {
        const double mass = rows.masses(m, c);
        const bool shifted = mass < settings.min_cluster && mass > 1 && takes_part(rows, m, c);
        if (!shifted || m == target || fitted.members.front() == m) continue;
        maps[m][c * k + line] = shift_to(rows.sums[m](c, line) / mass, mass, row.mean(), strength);
      }
    }
  }
  return GatedLayer(frame, gate, std::move(maps), std::move(barycenters));
}

GatedLayer with_group(const GatedLayer& layer, const GroupSet& group, const RowChoice& chosen,
                      double strength, const GateSettings& settings, const Workers& workers) {
  Gate gate = with_group(layer.gate(), group, chosen, workers);
  const Index k = layer.frame().directions();
  const Index number = static_cast<Index>(gate.centers().size()) - 1;
  const Matrix lines = project_rows(group[0], chosen[0], layer.frame().columns(), workers);
  const Matrix seen = project_rows(group[0], chosen[0], gate.frame().columns(), workers);
  Matrix shares;
  gate.shares(number, seen.data(), seen.cols(), seen.rows(), shares);
  for (Index i = 0; i < shares.rows(); ++i) shares.row(i) *= mass_of(group[0], chosen[0][i]);
  std::vector<PiecewiseLinearMap> maps(static_cast<std::size_t>(gate.clusters() * k));
  for (Index c = 0; c < gate.clusters(); ++c) {
    const double mass = shares.col(c).sum();
    if (mass <= 1) continue;
    std::vector<std::pair<double, double>> values;
    for (Index line = 0; line < k; ++line) {
      const std::vector<double>& barycenter = layer.barycenters()[c * k + line];
      if (barycenter.empty()) continue;
      if (mass < settings.min_cluster) {
        const double target = std::accumulate(barycenter.begin(), barycenter.end(), 0.0) /
                              static_cast<double>(barycenter.size());
        maps[c * k + line] =
            shift_to(shares.col(c).dot(lines.col(line)) / mass, mass, target, strength);
        continue;
      }
      values.clear();
      for (Index i = 0; i < lines.rows(); ++i) {
        if (shares(i, c) > 0) values.emplace_back(lines(i, line), shares(i, c));
      }
      std::stable_sort(values.begin(), values.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      std::vector<double> sorted;
      std::vector<double> masses;
      for (const auto& [value, share] : values) {
        sorted.push_back(value);
        masses.push_back(share);
      }
      const auto knots = static_cast<Index>(barycenter.size());
      maps[c * k + line] = fit_quantile_map_to(summarize(sorted, masses, kPointsPerKnot * knots),
                                               barycenter, strength);
    }
  }
  GatedLayer::Maps all = layer.maps();
  all.push_back(std::move(maps));
  return GatedLayer(layer.frame(), std::move(gate), std::move(all), layer.barycenters());
}

}  // namespace conflux
