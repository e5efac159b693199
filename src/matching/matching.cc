#include "matching/matching.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "matching/islands.h"
#include "matching/k_means.h"
#include "matching/label_split.h"
#include "matching/moved_copy.h"
#include "matching/mutual_neighbors.h"
#include "matching/within_axes.h"
#include "options/automatic.h"

namespace conflux {

namespace {

// More coordinates add noise to distances, not clusters.
constexpr Index kAxes = 20;
// Rows on which clusters are found: of all groups, and the least and most of one group. Centers of
// 15 clusters of 500 rows are as good as those of more.
constexpr Index kSampleRows = 100'000;
constexpr Index kLeastSample = 500;
constexpr Index kMostSample = 5000;
// A center needs some rows; more than 15 centers per group give the same matching.
constexpr Index kRowsPerCluster = 40;
constexpr Index kFewestClusters = 2;
constexpr Index kMostClusters = 15;
// How k-means cuts a group is partly chance, and so is what is matched then. Rows move by the mean
// of as many repeats; very many groups average by themselves.
constexpr Index kMostRepeats = 10;
constexpr Index kFewestRepeats = 2;
constexpr Index kGroupsInAllRepeats = 200;
// Directions of variance need fewer rows than clusters do.
constexpr Index kAxesRows = 4000;

// Clusters are split by labels that rows have or were given by what lies around them.
constexpr SplitRule kSplitOfClusters = {.fewest = kRowsPerCluster, .must_be_told = false};
constexpr Index kMostLabeled = 60;
// A single start often splits one cluster and joins two others.
constexpr int kClusterStarts = 4;
constexpr std::uint64_t kClusterStream = 1000;  // beyond those of the repeats
constexpr std::uint64_t kFineStream = 2000;
// Many small clusters vary little with the seed, and need not be exact.
constexpr int kFineSteps = 10;

using Choice = std::vector<std::vector<Index>>;

/// One way to cut each group into clusters, and where matching takes a copy of them.
struct Repeat {
  std::vector<Clusters> clusters;
  MovedCopy copy;
};

double nearest_distance(const Clusters& own, Index cluster) {
  double nearest = std::numeric_limits<double>::infinity();
  for (Index other = 0; other < own.centers.rows(); ++other) {
    if (other == cluster) continue;
    nearest = std::min(nearest, (own.centers.row(other) - own.centers.row(cluster)).squaredNorm());
  }
  return std::isfinite(nearest) ? nearest : 0;
}

/// The groups as they are matched: few coordinates, and clusters of each group by itself.
class Matcher {
 public:
  Matcher(const GroupSet& groups, const MatchOptions& options, Communicator& comm,
          const Workers& workers)
      : groups_(groups), options_(options), comm_(comm), workers_(workers) {
    if (options_.by_labels) steering_ = steering_labels(groups_, comm_);
    draw_rows();
    axes_ = find_within_axes(groups_, thinned(), kAxes, comm_, workers_);
    for (Index m = 0; m < groups_.num_groups(); ++m) {
      points_.push_back(axes_.of(groups_[m], chosen_[m], workers_));
      Vector& masses = masses_.emplace_back(points_[m].rows());
      std::vector<Index>& labels = labels_.emplace_back();
      for (Index i = 0; i < masses.size(); ++i) {
        masses(i) = mass_of(groups_[m], chosen_[m][i]);
        labels.push_back(steering_.of(groups_[m], chosen_[m][i]));
      }
    }
  }

  Matching match() {
    const Index count =
        std::clamp(kGroupsInAllRepeats / groups_.num_groups(), kFewestRepeats, kMostRepeats);
    for (Index repeat = 0; repeat < count; ++repeat) {
      std::vector<Clusters> clusters = find_clusters(repeat);
      MovedCopy copy = draw_together(clusters, options_, workers_);
      repeats_.push_back({.clusters = std::move(clusters), .copy = std::move(copy)});
    }
    Matching out;
    out.links = usual_links();
    for (Index m = 0; m < groups_.num_groups(); ++m) {
      out.groups.push_back(report(m));
      drawn_.push_back(drawn(m, points_[m], labels_[m]));
    }
    out.islands = count_islands(stacked(drawn_), options_.seed, 0, comm_);
    if (out.islands <= 1) refine();
    find_clusters(out);
    return out;
  }

 private:
  Index num_labels() const { return steering_.count(); }

  // At most so many rows of each group, spread over the processes by the rows that they have.
  void draw_rows() {
    const Index num_groups = groups_.num_groups();
    sizes_.assign(static_cast<std::size_t>(num_groups), 0.0);
    Choice usable(static_cast<std::size_t>(num_groups));
    for (Index m = 0; m < num_groups; ++m) {
      for (Index i = 0; i < groups_[m].rows.rows(); ++i) {
        if (mass_of(groups_[m], i) > 0) usable[m].push_back(i);
      }
      sizes_[m] = static_cast<double>(usable[m].size());
    }
    comm_.sum(sizes_);
    const Index most = std::clamp(kSampleRows / num_groups, kLeastSample, kMostSample);
    for (Index m = 0; m < num_groups; ++m) {
      const auto mine = static_cast<double>(usable[m].size());
      const auto count = static_cast<Index>(
          std::ceil(mine * std::min(1.0, static_cast<double>(most) / std::max(1.0, sizes_[m]))));
      Stream stream = stream_for(0, m);
      std::vector<Index> order = stream.permutation(static_cast<Index>(usable[m].size()));
      order.resize(static_cast<std::size_t>(count));
      std::sort(order.begin(), order.end());
      for (Index& i : order) i = usable[m][i];
      chosen_.push_back(std::move(order));
    }
  }

  // Every so many of the chosen rows.
  Choice thinned() const {
    Index total = 0;
    for (const auto& each : chosen_) total += static_cast<Index>(each.size());
    const Index step = std::max<Index>(1, total / kAxesRows);
    Choice out;
    for (const auto& each : chosen_) {
      std::vector<Index>& kept = out.emplace_back();
      for (Index i = 0; i < static_cast<Index>(each.size()); i += step) kept.push_back(each[i]);
    }
    return out;
  }

  std::vector<Clusters> find_clusters(Index repeat) {
    const Index num_groups = groups_.num_groups();
    std::vector<Clusters> out(static_cast<std::size_t>(num_groups));
    const auto find = [&](Index m) {
      const Index count = std::clamp(static_cast<Index>(sizes_[m]) / kRowsPerCluster,
                                     kFewestClusters, kMostClusters);
      out[m] = k_means(points_[m], masses_[m], count, 1, stream_for(1 + repeat, m), comm_);
      if (num_labels() > 0) {
        const LabeledPoints own{points_[m], masses_[m], labels_[m]};
        out[m] = split_by_labels(own, num_labels(), {}, out[m], comm_);
      }
      out[m].masses /= std::max(out[m].masses.sum(), std::numeric_limits<double>::min());
    };
    if (comm_.size() == 1) {
      workers_.for_each(num_groups, find);
    } else {
      for (Index m = 0; m < num_groups; ++m) find(m);  // processes must meet in the same order
    }
    return out;
  }

  // Groups that were matched directly in more than half of the repeats.
  std::vector<std::pair<Index, Index>> usual_links() const {
    std::map<std::pair<Index, Index>, std::size_t> times;
    for (const Repeat& each : repeats_) {
      for (const auto& link : each.copy.links) ++times[link];
    }
    std::vector<std::pair<Index, Index>> out;
    for (const auto& [link, count] : times) {
      if (2 * count > repeats_.size()) out.push_back(link);
    }
    return out;
  }

  MatchedGroup report(Index m) {
    MatchedGroup out{.name = groups_[m].name};
    const double part = 1 / static_cast<double>(repeats_.size());
    double partner_squared = 0;
    double own_squared = 0;
    for (const Repeat& each : repeats_) {
      const Clusters& own = each.clusters[m];
      const Vector matched = each.copy.matched[m].cwiseProduct(own.masses);
      out.matched += part * matched.sum();
      partner_squared += part * matched.dot(each.copy.squared_distances[m]);
      double own_distance = 0;
      for (Index c = 0; c < own.centers.rows(); ++c) {
        own_distance += own.masses(c) * nearest_distance(own, c);
      }
      own_squared += part * own_distance;
      for (Index c = 0; c < own.centers.rows(); ++c) {
        const bool far =
            each.copy.squared_distances[m](c) > kFarPartner * kFarPartner * own_distance;
        if (!far) out.near += part * matched(c);
      }
    }
    out.partner_distance = std::sqrt(partner_squared / std::max(out.matched, 1e-300));
    out.own_distance = std::sqrt(own_squared);
    return out;
  }

  // Points where the copies of their clusters are, in the mean over all repeats.
  Matrix drawn(Index m, const Matrix& points, const std::vector<Index>& labels) const {
    Matrix sums = Matrix::Zero(points.rows(), points.cols());
    for (const Repeat& each : repeats_) {
      const Matrix& centers = each.clusters[m].centers;
      const Matrix moves = each.copy.centers[m] - centers;
      const std::vector<Index> cluster_of = nearest_clusters(points, labels, each.clusters[m]);
      for (Index i = 0; i < points.rows(); ++i) sums.row(i) += moves.row(cluster_of[i]);
    }
    return points + sums / static_cast<double>(repeats_.size());
  }

  // Splits clusters further. Without separate clusters, many small ones describe better which rows
  // correspond; separate clusters, if split, would be drawn onto each other. Every process makes
  // small clusters of its own rows, and all processes use all of them.
  void refine() {
    const Index num_groups = groups_.num_groups();
    fine_.clusters.resize(static_cast<std::size_t>(num_groups));
    SelfCommunicator self;
    workers_.for_each(num_groups, [&](Index m) {
      const auto own = static_cast<double>(drawn_[m].rows());
      Clusters& found = fine_.clusters[m];
      found = k_means(drawn_[m], masses_[m], fine_clusters_of(own, num_groups), 1,
                      stream_for(kFineStream, m), self, kFineSteps);
      if (num_labels() == 0 || found.centers.rows() == 0) return;
      const LabeledPoints points{drawn_[m], masses_[m], labels_[m]};
      found = split_by_labels(points, num_labels(), {}, found, self);
    });
    for (Clusters& each : fine_.clusters) {
      each = gathered(each, comm_);
      each.masses /= std::max(each.masses.sum(), std::numeric_limits<double>::min());
    }
    fine_.moves = meet_neighbors(fine_.clusters, workers_);
  }

  Matrix moved(Index m, const Matrix& points, const std::vector<Index>& labels) const {
    return fine_.moved(m, drawn(m, points, labels));
  }

  // Every group has the same weight, as in the barycenter.
  void find_clusters(Matching& out) {
    for (Index m = 0; m < groups_.num_groups(); ++m) {
      drawn_[m] = fine_.moved(m, std::move(drawn_[m]));
    }
    const Matrix all = stacked(drawn_);
    Vector masses(all.rows());
    std::vector<Index> labels;
    Index at = 0;
    for (Index m = 0; m < groups_.num_groups(); ++m) {
      const Index count = points_[m].rows();
      masses.segment(at, count) = masses_[m] / std::max(comm_.sum(masses_[m].sum()), 1e-300);
      labels.insert(labels.end(), labels_[m].begin(), labels_[m].end());
      at += count;
    }
    const double rows = std::accumulate(sizes_.begin(), sizes_.end(), 0.0);
    const Index count = options_.clusters > 0
                            ? options_.clusters
                            : automatic::clusters_for(static_cast<Index>(rows), out.islands);
    Clusters clusters =
        k_means(all, masses, count, kClusterStarts, stream_for(kClusterStream, 0), comm_);
    if (num_labels() > 0) {
      label_sources_ = labeled_clusters({all, masses, labels}, rows, clusters);
      std::vector<Index> told;
      for (Index m = 0; m < groups_.num_groups(); ++m) {
        const std::vector<Index> of_group = told_labels(m, points_[m], drawn_[m], labels_[m]);
        told.insert(told.end(), of_group.begin(), of_group.end());
      }
      clusters =
          split_by_labels({all, masses, told}, num_labels(), kSplitOfClusters, clusters, comm_);
    }
    if (options_.count_islands) {
      for (Index m = 0; m < groups_.num_groups(); ++m) {
        out.groups[m].islands = count_islands(points_[m], options_.seed, 1 + m, comm_);
      }
    }
    for (const Index label : clusters.labels) {
      out.labels.push_back(label < 0 ? "" : steering_.names[label]);
    }
    out.shares = Matrix::Zero(groups_.num_groups(), clusters.centers.rows());
    for (Index m = 0; m < groups_.num_groups(); ++m) {
      out.clusters.push_back(sort_rows(m, clusters));
      for (Index i = 0; i < groups_[m].rows.rows(); ++i) {
        out.shares(m, out.clusters[m][i]) += mass_of(groups_[m], i);
      }
    }
    comm_.sum(std::span(out.shares.data(), static_cast<std::size_t>(out.shares.size())));
    for (Index m = 0; m < groups_.num_groups(); ++m) {
      out.shares.row(m) /= std::max(out.shares.row(m).sum(), std::numeric_limits<double>::min());
    }
  }

  // Clusters of the moved rows that are small enough to follow the borders of labels. One that has
  // no label takes the nearest of those that its cluster has, if any.
  Clusters labeled_clusters(const LabeledPoints& all, double rows, const Clusters& clusters) const {
    const Index count =
        std::clamp(static_cast<Index>(rows) / kRowsPerCluster, kFewestClusters, kMostLabeled);
    Clusters out = split_by_labels(
        all, num_labels(), {},
        k_means(all.points, all.masses, count, 1, stream_for(kClusterStream, 1), comm_), comm_);
    const std::vector<Index> cluster_of = nearest_centers(out.centers, clusters.centers);
    const std::vector<Index> known = out.labels;
    for (std::size_t c = 0; c < known.size(); ++c) {
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t other = 0; known[c] < 0 && other < known.size(); ++other) {
        if (known[other] < 0 || cluster_of[other] != cluster_of[c]) continue;
        const double squared =
            (out.centers.row(static_cast<Index>(other)) - out.centers.row(static_cast<Index>(c)))
                .squaredNorm();
        if (squared >= least) continue;
        least = squared;
        out.labels[c] = known[other];
      }
    }
    return out;
  }

  // The label of each point, or what labels say of it: those of its own group's clusters in most of
  // the repeats, or else those that the groups drawn together have around it; -1 without any.
  std::vector<Index> told_labels(Index m, const Matrix& points, const Matrix& moved_points,
                                 const std::vector<Index>& labels) const {
    Matrix votes = Matrix::Zero(points.rows(), num_labels());
    for (const Repeat& each : repeats_) {
      const std::vector<Index> cluster_of = nearest_clusters(points, labels, each.clusters[m]);
      for (Index i = 0; i < points.rows(); ++i) {
        const Index label = each.clusters[m].labels[cluster_of[i]];
        if (label >= 0) votes(i, label) += 1 / static_cast<double>(repeats_.size());
      }
    }
    std::vector<Index> out = nearest_clusters(moved_points, labels, label_sources_);
    for (Index i = 0; i < points.rows(); ++i) {
      Index best = 0;
      const bool own = votes.row(i).maxCoeff(&best) > 0.5;
      out[i] = labels[i] >= 0 ? labels[i] : own ? best : label_sources_.labels[out[i]];
    }
    return out;
  }

  // The cluster of every row of a group, in blocks that hold few coordinates at a time.
  std::vector<Index> sort_rows(Index m, const Clusters& clusters) const {
    const Index rows = groups_[m].rows.rows();
    std::vector<Index> out(static_cast<std::size_t>(rows));
    workers_.for_each_block(rows, 4096, [&](Index begin, Index end) {
      std::vector<Index> block(static_cast<std::size_t>(end - begin)), labels;
      std::iota(block.begin(), block.end(), begin);
      for (const Index i : block) labels.push_back(steering_.of(groups_[m], i));
      const Matrix points = axes_.of(groups_[m], block, workers_);
      const Matrix moved_points = moved(m, points, labels);
      if (num_labels() > 0) labels = told_labels(m, points, moved_points, labels);
      const std::vector<Index> found = nearest_clusters(moved_points, labels, clusters);
      std::copy(found.begin(), found.end(), out.begin() + begin);
    });
    return out;
  }

  Stream stream_for(std::uint64_t step, Index group) const {
    return Stream(options_.seed, Purpose::kMatching, step << 32 | static_cast<std::uint64_t>(group),
                  static_cast<std::uint64_t>(comm_.rank()));
  }

  const GroupSet& groups_;
  const MatchOptions& options_;
  Communicator& comm_;
  const Workers& workers_;
  SteeringLabels steering_;
  std::vector<double> sizes_;  // rows with mass over all processes
  Choice chosen_;
  WithinAxes axes_;
  std::vector<Matrix> points_;  // of the chosen rows
  std::vector<Vector> masses_;
  std::vector<std::vector<Index>> labels_;  // -1 where they are unknown, or do not count
  std::vector<Repeat> repeats_;
  std::vector<Matrix> drawn_;  // points_ where the repeats take them
  FineCopy fine_;
  Clusters label_sources_;  // clusters of the moved rows that tell labels of rows without one
};

}  // namespace

bool Matching::linked(Index a, Index b) const {
  return std::find(links.begin(), links.end(), std::pair(std::min(a, b), std::max(a, b))) !=
         links.end();
}

Matching match_groups(const GroupSet& groups, const MatchOptions& options, Communicator& comm,
                      const Workers& workers) {
  return Matcher(groups, options, comm, workers).match();
}

}  // namespace conflux
