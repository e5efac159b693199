#include "fitting/gates.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "conflux/core/error.h"
#include "fitting/row_choice.h"
#include "kernels/dense.h"
#include "kernels/product.h"

namespace conflux {

namespace {

constexpr Index kMostGating = 15;
constexpr int kBackfittingSteps = 50;
constexpr int kShiftSteps = 20;
constexpr Index kRowsPerBlock = 1024;

double scale_of(double mean_squared, Index gating, const GateSettings& settings) {
  // Spheres of the mean width of a cluster: exp(-distance^2 / (2 variance)).
  const double variance = mean_squared / static_cast<double>(gating);
  return std::max(2 * settings.softness * variance, std::numeric_limits<double>::min());
}

Matrix take(const Matrix& all, const RowList& chosen) {
  Matrix out(static_cast<Index>(chosen.size()), all.cols());
  for (Index i = 0; i < out.rows(); ++i) out.row(i) = all.row(chosen[i]);
  return out;
}

// Whether the cluster of some row is unknown.
bool gate_decides(const std::vector<Index>& clusters, Index begin, Index end) {
  return std::any_of(clusters.begin() + begin, clusters.begin() + end,
                     [](Index c) { return c < 0; });
}

// How far the points of a group lie from centers that suit the others, when most points are near
// one of them after the shift. Without labels there are two predictions to start from: that the
// group is where the others are, or that its mean is theirs.
Eigen::RowVectorXd shift_from(const Matrix& centers, const Matrix& points) {
  Eigen::RowVectorXd best = Eigen::RowVectorXd::Zero(centers.cols());
  if (points.rows() == 0) return best;
  double least = std::numeric_limits<double>::infinity();
  for (Eigen::RowVectorXd shift :
       {best, Eigen::RowVectorXd(points.colwise().mean() - centers.colwise().mean())}) {
    double distance = 0;
    for (int step = 0; step < kShiftSteps; ++step) {
      Eigen::RowVectorXd rest = Eigen::RowVectorXd::Zero(centers.cols());
      distance = 0;
      for (Index i = 0; i < points.rows(); ++i) {
        Index nearest = 0;
        distance += (centers.rowwise() - (points.row(i) - shift))
                        .rowwise()
                        .squaredNorm()
                        .minCoeff(&nearest);
        rest += points.row(i) - centers.row(nearest);
      }
      shift = rest / static_cast<double>(points.rows());
    }
    if (distance >= least) continue;
    least = distance;
    best = shift;
  }
  return best;
}

// Sums of the coordinates of rows whose cluster is known, by mass, of all processes.
struct ClusterSums {
  std::vector<Matrix> sums;  // of each group, one row per cluster
  Matrix masses;             // groups x clusters
};

ClusterSums sums_by_cluster(const std::vector<Matrix>& coordinates, const GroupSet& groups,
                            const RowChoice& chosen, const RowClusters& clusters,
                            Communicator& comm) {
  ClusterSums out{{}, Matrix::Zero(groups.num_groups(), clusters.count)};
  for (Index m = 0; m < groups.num_groups(); ++m) {
    Matrix& sums = out.sums.emplace_back(Matrix::Zero(clusters.count, coordinates[m].cols()));
    for (const Index i : chosen[m]) {
      const Index cluster = clusters.of[m][i];
      if (cluster < 0) continue;
      const double mass = mass_of(groups[m], i);
      sums.row(cluster) += mass * coordinates[m].row(i);
      out.masses(m, cluster) += mass;
    }
    comm.sum(std::span(sums.data(), static_cast<std::size_t>(sums.size())));
  }
  comm.sum(std::span(out.masses.data(), static_cast<std::size_t>(out.masses.size())));
  return out;
}

// Centers of clusters in groups. What a group has few rows of, or none, is where its shift from the
// other groups would take it: means are fitted as a part of the cluster and a part of the group.
std::vector<Matrix> cluster_centers(const ClusterSums& seen, const std::vector<Matrix>& coordinates,
                                    const RowChoice& chosen) {
  const auto count = static_cast<Index>(seen.sums.size());
  const Index clusters = seen.masses.cols();
  const Index gating = seen.sums.front().cols();
  Matrix of_group = Matrix::Zero(count, gating);
  Matrix of_cluster = Matrix::Zero(clusters, gating);
  for (int step = 0; step < kBackfittingSteps; ++step) {
    for (Index c = 0; c < clusters; ++c) {
      Eigen::RowVectorXd sum = -seen.masses.col(c).transpose() * of_group;
      for (Index m = 0; m < count; ++m) sum += seen.sums[m].row(c);
      of_cluster.row(c) = sum / std::max(1.0, seen.masses.col(c).sum());
    }
    for (Index m = 0; m < count; ++m) {
      const Eigen::RowVectorXd sum = seen.sums[m].colwise().sum() - seen.masses.row(m) * of_cluster;
      of_group.row(m) = sum / std::max(1.0, seen.masses.row(m).sum());
    }
  }
  std::vector<Matrix> out;
  for (Index m = 0; m < count; ++m) {
    if (seen.masses.row(m).sum() == 0) {
      of_group.row(m) = shift_from(of_cluster, take(coordinates[m], chosen[m]));
    }
    Matrix& centers = out.emplace_back(of_cluster.rowwise() + of_group.row(m));
    for (Index c = 0; c < clusters; ++c) {
      centers.row(c) = (seen.sums[m].row(c) + kRowsOfDoubt * centers.row(c)) /
                       (seen.masses(m, c) + kRowsOfDoubt);
    }
  }
  return out;
}

}  // namespace

GateSettings gate_settings(const FitOptions& options, Index dim) {
  return {.gating = std::min(kMostGating, dim - *options.directions),
          .min_cluster = static_cast<double>(options.min_cluster)};
}

Matrix gating_basis(const GroupSet& groups, const RowChoice& chosen,
                    const std::vector<double>& weights, Index count, Communicator& comm,
                    const Workers& workers) {
  const Index dim = groups.dim();
  Matrix covariance = Matrix::Zero(dim, dim);
  for (Index m = 0; m < groups.num_groups(); ++m) {
    std::vector<double> moments(static_cast<std::size_t>(dim) + 1, 0.0);
    for (const Index i : chosen[m]) {
      for (Index j = 0; j < dim; ++j) moments[j] += groups[m].rows(i, j);
      moments[dim] += 1;
    }
    comm.sum(moments);
    const double total = std::max(1.0, moments[dim]);
    const Eigen::Map<const Eigen::RowVectorXd> sums(moments.data(), dim);
    Matrix centered(static_cast<Index>(chosen[m].size()), dim);
    for (Index i = 0; i < centered.rows(); ++i) {
      groups[m].rows.copy_row(chosen[m][i], centered.row(i).data());
      centered.row(i) -= sums / total;
    }
    // Columns of the product in tasks of a fixed width, so that bits do not depend on threads.
    workers.for_each_block(dim, 64, [&](Index begin, Index end) {
      kernels::add_gram(centered, weights[m] / total, begin, end, covariance);
    });
  }
  comm.sum(std::span(covariance.data(), static_cast<std::size_t>(covariance.size())));
  Matrix vectors = covariance.selfadjointView<Eigen::Upper>();
  const kernels::SerialBlas serial;
  if (kernels::symmetric_eigen(vectors).size() == 0) {
    throw Error("the eigenvalues of the covariance did not converge; rescale the features.");
  }
  const Index kept = std::min(count, dim);
  return vectors.bottomRows(kept).colwise().reverse().transpose();
}

RowClusters clusters_by_label(const GroupSet& groups) {
  RowClusters out{.count = static_cast<Index>(groups.label_names().size()), .of = {}};
  for (Index m = 0; m < groups.num_groups(); ++m) {
    std::vector<Index>& own = out.of.emplace_back(groups[m].rows.rows());
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = groups[m].label(static_cast<Index>(i));
  }
  return out;
}

Frame gating_frame(const Matrix& basis, const GateSettings& settings, Stream& stream) {
  return Frame::orthonormalized(basis *
                                Frame::random(basis.cols(), settings.gating, stream).columns());
}

std::vector<Matrix> values_along(const Frame& frame, const GroupSet& groups,
                                 const Workers& workers) {
  std::vector<Matrix> out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    std::vector<Index> all(static_cast<std::size_t>(groups[m].rows.rows()));
    std::iota(all.begin(), all.end(), Index{0});
    out.push_back(project_rows(groups[m], all, frame.columns(), workers));
  }
  return out;
}

Gate fit_gate(Frame frame, const std::vector<Matrix>& coordinates, const GroupSet& groups,
              const RowChoice& chosen, const RowClusters& clusters, const GateSettings& settings,
              Communicator& comm) {
  const ClusterSums seen = sums_by_cluster(coordinates, groups, chosen, clusters, comm);
  std::vector<Matrix> centers = cluster_centers(seen, coordinates, chosen);
  std::vector<double> spread = {0, 0};
  for (Index m = 0; m < groups.num_groups(); ++m) {
    for (const Index i : chosen[m]) {
      const Index cluster = clusters.of[m][i];
      if (cluster < 0) continue;
      const double mass = mass_of(groups[m], i);
      spread[0] += mass * (coordinates[m].row(i) - centers[m].row(cluster)).squaredNorm();
      spread[1] += mass;
    }
  }
  comm.sum(spread);
  const double scale = scale_of(spread[0] / std::max(1.0, spread[1]), frame.directions(), settings);
  return Gate(std::move(frame), std::move(centers), scale);
}

std::vector<Matrix> shares_of(const Gate& gate, const std::vector<Matrix>& coordinates,
                              const RowClusters& clusters, const Workers& workers) {
  std::vector<Matrix> out;
  for (std::size_t m = 0; m < coordinates.size(); ++m) {
    const Matrix& own = coordinates[m];
    Matrix& shares = out.emplace_back(Matrix::Zero(own.rows(), gate.clusters()));
    workers.for_each_block(own.rows(), kRowsPerBlock, [&](Index begin, Index end) {
      thread_local Matrix block;
      const Index group = static_cast<Index>(m);
      if (clusters.certainty < 1 || gate_decides(clusters.of[m], begin, end)) {
        gate.shares(group, &own(begin, 0), own.cols(), end - begin, block);
      }
      for (Index i = begin; i < end; ++i) {
        const Index cluster = clusters.of[m][i];
        const double certain = cluster >= 0 ? clusters.certainty : 0;
        if (certain < 1) shares.row(i) = (1 - certain) * block.row(i - begin).head(gate.clusters());
        if (cluster >= 0) shares(i, cluster) += certain;
      }
    });
  }
  return out;
}

Gate with_group(const Gate& gate, const GroupSet& group, const RowChoice& chosen,
                const Workers& workers) {
  std::vector<Matrix> centers = gate.centers();
  if (centers.size() == 1) return gate;
  Matrix general = Matrix::Zero(gate.clusters(), gate.frame().directions());
  for (const Matrix& each : centers) general += each / static_cast<double>(centers.size());
  const Matrix points = project_rows(group[0], chosen[0], gate.frame().columns(), workers);
  centers.emplace_back(general.rowwise() + shift_from(general, points));
  return Gate(gate.frame(), std::move(centers), gate.scale());
}

}  // namespace conflux
