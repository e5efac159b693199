#include "matching/label_split.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace conflux {

namespace {

// Labeled rows agree if so large a fraction of them and of one more row, of unknown label, has the
// same label: two of two do, and three of four.
constexpr double kClear = 0.6;
// A smaller part of the labeled rows may be mistakes.
constexpr double kLeastPart = 0.1;
// Labels are predictable by position if the nearest means of other rows' labels are right for this
// fraction of the errors of always predicting the most frequent label.
constexpr double kTold = 0.5;
constexpr int kSettlingSteps = 3;
// Rows of a label that are enough for a cluster of their own, if they have no other.
constexpr double kFewest = 3;

bool contains(const std::vector<Index>& labels, Index label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// Sums over labeled points of each cluster and label: coordinates, then the number of points.
class LabelSums {
 public:
  LabelSums(const Matrix& points, const std::vector<Index>& labels, Index count,
            const std::vector<Index>& cluster_of, Index clusters, Communicator& comm)
      : dim_(points.cols()), count_(count), sums_(Matrix::Zero(clusters * count, dim_ + 1)) {
    for (Index i = 0; i < points.rows(); ++i) {
      if (labels[i] < 0) continue;
      auto sum = sums_.row(cluster_of[i] * count_ + labels[i]);
      sum.head(dim_) += points.row(i);
      sum(dim_) += 1;
    }
    comm.sum(std::span(sums_.data(), static_cast<std::size_t>(sums_.size())));
  }

  double rows(Index cluster, Index label) const { return sums_(cluster * count_ + label, dim_); }
  double rows(Index cluster) const {
    return sums_.col(dim_).segment(cluster * count_, count_).sum();
  }
  Eigen::RowVectorXd mean(Index cluster, Index label) const {
    return sums_.row(cluster * count_ + label).head(dim_) / rows(cluster, label);
  }
  double rows_of_label(Index label) const { return sum_of_label(label)(dim_); }
  Eigen::RowVectorXd mean_of_label(Index label) const {
    const Eigen::RowVectorXd sum = sum_of_label(label);
    return sum.head(dim_) / sum(dim_);
  }
  /// Squared distance to the mean of the label's rows, without that of the point itself.
  double squared_distance(const Eigen::RowVectorXd& point, Index cluster, Index label,
                          bool own) const {
    const double others = rows(cluster, label) - (own ? 1 : 0);
    Eigen::RowVectorXd sum = sums_.row(cluster * count_ + label).head(dim_);
    if (own) sum -= point;
    return (point - sum / others).squaredNorm();
  }

 private:
  Eigen::RowVectorXd sum_of_label(Index label) const {
    Eigen::RowVectorXd out = Eigen::RowVectorXd::Zero(dim_ + 1);
    for (Index row = label; row < sums_.rows(); row += count_) out += sums_.row(row);
    return out;
  }

  Index dim_;
  Index count_;
  Matrix sums_;
};

/// Labels that a cluster would have to be split into.
std::vector<Index> labels_in(const LabelSums& sums, Index cluster, Index count, double fewest) {
  const double least = std::max(fewest, kLeastPart * sums.rows(cluster));
  std::vector<Index> out;
  for (Index l = 0; l < count; ++l) {
    if (sums.rows(cluster, l) >= least) out.push_back(l);
  }
  return out;
}

/// The label on which so many labeled rows agree, by their numbers; -1 if there is none.
Index agreed(const Vector& rows) {
  Index best = 0;
  return rows.maxCoeff(&best) >= kClear * (rows.sum() + 1) ? best : -1;
}

/// The label on which the labeled rows of a cluster agree, or else those of its neighbors and of
/// itself. Pieces of one cloud lie nearer to each other than the points of a piece to its center.
Index label_of_cluster(const LabelSums& sums, const Clusters& found, Index cluster, Index count) {
  Vector own = Vector::Zero(count), around = own;
  for (Index c = 0; c < found.centers.rows(); ++c) {
    const double squared = (found.centers.row(c) - found.centers.row(cluster)).squaredNorm();
    for (Index l = 0; l < count; ++l) {
      if (c == cluster) own(l) = sums.rows(c, l);
      if (squared <= found.spread) around(l) += sums.rows(c, l);
    }
  }
  return agreed(own) >= 0 ? agreed(own) : agreed(around);
}

/// Clusters with several labels that are predictable by the positions of their rows.
std::vector<bool> can_be_told(const Matrix& points, const std::vector<Index>& labels,
                              const std::vector<Index>& cluster_of, const LabelSums& sums,
                              const std::vector<std::vector<Index>>& held, Communicator& comm) {
  std::vector<double> right(held.size(), 0.0);
  for (Index i = 0; i < points.rows(); ++i) {
    const std::vector<Index>& among = held[cluster_of[i]];
    if (among.size() < 2 || !contains(among, labels[i])) {
      continue;
    }
    double least = std::numeric_limits<double>::infinity();
    Index prediction = -1;
    for (const Index l : among) {
      const double squared = sums.squared_distance(points.row(i), cluster_of[i], l, l == labels[i]);
      if (squared >= least) continue;
      least = squared;
      prediction = l;
    }
    right[cluster_of[i]] += prediction == labels[i] ? 1 : 0;
  }
  comm.sum(right);
  std::vector<bool> out;
  for (std::size_t c = 0; c < held.size(); ++c) {
    double all = 0, most = 0;
    for (const Index l : held[c]) {
      const double rows = sums.rows(static_cast<Index>(c), l);
      all += rows;
      most = std::max(most, rows);
    }
    out.push_back(held[c].size() > 1 && right[c] - most >= kTold * (all - most));
  }
  return out;
}

bool allowed(Index label, Index of_cluster) {
  return label < 0 || of_cluster < 0 || label == of_cluster;
}

/// Centers move to the points that are nearest to them and may be theirs.
void settle(const Matrix& points, const Vector& masses, const std::vector<Index>& labels,
            Clusters& clusters, Communicator& comm) {
  const Index dim = points.cols();
  for (int step = 0; step <= kSettlingSteps; ++step) {
    Matrix sums = Matrix::Zero(clusters.centers.rows(), dim + 1);
    const std::vector<Index> cluster_of = nearest_clusters(points, labels, clusters);
    for (Index i = 0; i < points.rows(); ++i) {
      sums.row(cluster_of[i]).head(dim) += masses(i) * points.row(i);
      sums(cluster_of[i], dim) += masses(i);
    }
    comm.sum(std::span(sums.data(), static_cast<std::size_t>(sums.size())));
    clusters.masses = sums.col(dim);
    if (step == kSettlingSteps) return;
    for (Index c = 0; c < sums.rows(); ++c) {
      if (sums(c, dim) > 0) clusters.centers.row(c) = sums.row(c).head(dim) / sums(c, dim);
    }
  }
}

}  // namespace

std::vector<Index> nearest_clusters(const Matrix& points, const std::vector<Index>& labels,
                                    const Clusters& clusters) {
  std::vector<Index> out = nearest_centers(points, clusters.centers);
  if (clusters.labels.empty()) return out;
  for (Index i = 0; i < points.rows(); ++i) {
    if (allowed(labels[i], clusters.labels[out[i]])) continue;
    double least = std::numeric_limits<double>::infinity();
    for (Index c = 0; c < clusters.centers.rows(); ++c) {
      if (!allowed(labels[i], clusters.labels[c])) continue;
      const double squared = (clusters.centers.row(c) - points.row(i)).squaredNorm();
      if (squared >= least) continue;
      least = squared;
      out[i] = c;
    }
  }
  return out;
}

Clusters split_by_labels(const LabeledPoints& all, Index count, const SplitRule& rule,
                         const Clusters& found, Communicator& comm) {
  const Matrix& points = all.points;
  const Index clusters = found.centers.rows();
  const std::vector<Index> cluster_of = nearest_centers(points, found.centers);
  const LabelSums sums(points, all.labels, count, cluster_of, clusters, comm);
  std::vector<std::vector<Index>> held;
  for (Index c = 0; c < clusters; ++c) held.push_back(labels_in(sums, c, count, rule.fewest));
  const std::vector<bool> told = can_be_told(points, all.labels, cluster_of, sums, held, comm);
  Clusters out{.centers = Matrix((clusters + 1) * (count + 1), points.cols()), .masses = {}};
  const auto add = [&](const Eigen::RowVectorXd& center, Index label) {
    out.centers.row(static_cast<Index>(out.labels.size())) = center;
    out.labels.push_back(label);
  };
  for (Index c = 0; c < clusters; ++c) {
    if (held[c].size() > 1 && (told[c] || !rule.must_be_told)) {
      for (const Index l : held[c]) add(sums.mean(c, l), l);
    } else {
      add(found.centers.row(c), label_of_cluster(sums, found, c, count));
    }
  }
  for (Index l = 0; l < count; ++l) {
    if (sums.rows_of_label(l) < kFewest || contains(out.labels, l)) continue;
    add(sums.mean_of_label(l), l);
  }
  out.centers.conservativeResize(static_cast<Index>(out.labels.size()), Eigen::NoChange);
  settle(points, all.masses, all.labels, out, comm);
  return without_empty(std::move(out));
}

}  // namespace conflux
