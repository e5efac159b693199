#include "fitting/gates.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "conflux/core/error.h"
#include "fitting/row_choice.h"
#include "kernels/dense.h"

namespace conflux {

namespace {

constexpr Index kMostGating = 15;
constexpr int kLloydSteps = 25;
constexpr int kStarts = 4;
constexpr int kBackfittingSteps = 50;
constexpr int kShiftSteps = 20;

// Centres by k-means from k-means++ seeds; rows of `points` of all processes are the same.
Matrix k_means(const Matrix& points, Index kinds, Stream& stream) {
  const Index n = points.rows();
  Matrix centres(kinds, points.cols());
  centres.row(0) = points.row(stream.below(n));
  Vector nearest = (points.rowwise() - centres.row(0)).rowwise().squaredNorm();
  for (Index c = 1; c < kinds; ++c) {
    double left = stream.uniform() * nearest.sum();
    Index pick = 0;
    while (pick + 1 < n && (left -= nearest(pick)) > 0) ++pick;
    centres.row(c) = points.row(pick);
    nearest = nearest.cwiseMin((points.rowwise() - centres.row(c)).rowwise().squaredNorm());
  }
  std::vector<Index> kind_of(static_cast<std::size_t>(n), -1);
  for (int step = 0; step < kLloydSteps; ++step) {
    Matrix sums = Matrix::Zero(kinds, points.cols());
    std::vector<Index> counts(static_cast<std::size_t>(kinds), 0);
    bool moved = false;
    for (Index i = 0; i < n; ++i) {
      Index best = 0;
      (centres.rowwise() - points.row(i)).rowwise().squaredNorm().minCoeff(&best);
      moved |= kind_of[i] != best;
      kind_of[i] = best;
      sums.row(best) += points.row(i);
      ++counts[best];
    }
    for (Index c = 0; c < kinds; ++c) {
      if (counts[c] > 0) centres.row(c) = sums.row(c) / static_cast<double>(counts[c]);
    }
    if (!moved) break;
  }
  return centres;
}

double mean_squared_distance(const Matrix& points, const Matrix& centres) {
  double sum = 0;
  for (Index i = 0; i < points.rows(); ++i) {
    sum += (centres.rowwise() - points.row(i)).rowwise().squaredNorm().minCoeff();
  }
  return sum / static_cast<double>(points.rows());
}

// A single start often splits one cluster and joins two others.
Matrix best_k_means(const Matrix& points, Index kinds, Stream& stream) {
  Matrix best;
  double least = std::numeric_limits<double>::infinity();
  for (int start = 0; start < kStarts; ++start) {
    Matrix centres = k_means(points, kinds, stream);
    const double distance = mean_squared_distance(points, centres);
    if (distance >= least) continue;
    least = distance;
    best = std::move(centres);
  }
  return best;
}

double scale_of(double mean_squared, Index gating, const GateSettings& settings) {
  // Spheres of the mean width of a kind: exp(-distance^2 / (2 variance)).
  const double variance = mean_squared / static_cast<double>(gating);
  return std::max(2 * settings.softness * variance, std::numeric_limits<double>::min());
}

std::vector<Matrix> coordinates_of(const Frame& frame, const GroupSet& groups,
                                   const RowChoice& chosen, const Workers& workers) {
  std::vector<Matrix> out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    out.push_back(project_rows(groups[m], chosen[m], frame.columns(), workers));
  }
  return out;
}

Gate gate_by_k_means(Frame frame, const std::vector<Matrix>& coordinates,
                     const GateSettings& settings, Stream& stream, Communicator& comm) {
  std::vector<double> mine;
  for (const Matrix& part : coordinates) {
    mine.insert(mine.end(), part.data(), part.data() + part.size());
  }
  const std::vector<double> all = comm.gather(mine);
  const Index gating = frame.directions();
  const Matrix points =
      Eigen::Map<const Matrix>(all.data(), static_cast<Index>(all.size()) / gating, gating);
  Matrix centres = best_k_means(points, std::min(settings.kinds, points.rows()), stream);
  const double scale = scale_of(mean_squared_distance(points, centres), gating, settings);
  return Gate(std::move(frame), {std::move(centres)}, scale);
}

// How far the points of a group lie from centres that suit the others, when most points are near
// one of them after the shift. Without labels there are two guesses to start from: that the group
// is where the others are, or that its mean is theirs.
Eigen::RowVectorXd shift_from(const Matrix& centres, const Matrix& points) {
  Eigen::RowVectorXd best = Eigen::RowVectorXd::Zero(centres.cols());
  if (points.rows() == 0) return best;
  double least = std::numeric_limits<double>::infinity();
  for (Eigen::RowVectorXd shift :
       {best, Eigen::RowVectorXd(points.colwise().mean() - centres.colwise().mean())}) {
    double distance = 0;
    for (int step = 0; step < kShiftSteps; ++step) {
      Eigen::RowVectorXd rest = Eigen::RowVectorXd::Zero(centres.cols());
      distance = 0;
      for (Index i = 0; i < points.rows(); ++i) {
        Index nearest = 0;
        distance += (centres.rowwise() - (points.row(i) - shift))
                        .rowwise()
                        .squaredNorm()
                        .minCoeff(&nearest);
        rest += points.row(i) - centres.row(nearest);
      }
      shift = rest / static_cast<double>(points.rows());
    }
    if (distance >= least) continue;
    least = distance;
    best = shift;
  }
  return best;
}

// Sums of the coordinates of labelled rows, of all processes.
struct LabelSums {
  std::vector<Matrix> sums;  // of each group, one row per label
  Matrix counts;             // groups x labels
};

LabelSums sums_by_label(const std::vector<Matrix>& coordinates, const GroupSet& groups,
                        const RowChoice& chosen, Communicator& comm) {
  const auto labels = static_cast<Index>(groups.label_names().size());
  LabelSums out{{}, Matrix::Zero(groups.num_groups(), labels)};
  for (Index m = 0; m < groups.num_groups(); ++m) {
    Matrix& sums = out.sums.emplace_back(Matrix::Zero(labels, coordinates[m].cols()));
    for (Index i = 0; i < coordinates[m].rows(); ++i) {
      const Index label = groups[m].label(chosen[m][i]);
      if (label < 0) continue;
      sums.row(label) += coordinates[m].row(i);
      out.counts(m, label) += 1;
    }
    comm.sum(std::span(sums.data(), static_cast<std::size_t>(sums.size())));
  }
  comm.sum(std::span(out.counts.data(), static_cast<std::size_t>(out.counts.size())));
  return out;
}

// Centres of labels in groups. What a group has few rows of, or none, is where its shift from the
// other groups would take it: means are fitted as a part of the label and a part of the group.
std::vector<Matrix> label_centres(const LabelSums& seen, const std::vector<Matrix>& coordinates) {
  const auto count = static_cast<Index>(seen.sums.size());
  const Index labels = seen.counts.cols();
  const Index gating = seen.sums.front().cols();
  Matrix of_group = Matrix::Zero(count, gating);
  Matrix of_label = Matrix::Zero(labels, gating);
  for (int step = 0; step < kBackfittingSteps; ++step) {
    for (Index c = 0; c < labels; ++c) {
      Eigen::RowVectorXd sum = -seen.counts.col(c).transpose() * of_group;
      for (Index m = 0; m < count; ++m) sum += seen.sums[m].row(c);
      of_label.row(c) = sum / std::max(1.0, seen.counts.col(c).sum());
    }
    for (Index m = 0; m < count; ++m) {
      const Eigen::RowVectorXd sum = seen.sums[m].colwise().sum() - seen.counts.row(m) * of_label;
      of_group.row(m) = sum / std::max(1.0, seen.counts.row(m).sum());
    }
  }
  std::vector<Matrix> out;
  for (Index m = 0; m < count; ++m) {
    if (seen.counts.row(m).sum() == 0) of_group.row(m) = shift_from(of_label, coordinates[m]);
    Matrix& centres = out.emplace_back(of_label.rowwise() + of_group.row(m));
    for (Index c = 0; c < labels; ++c) {
      centres.row(c) = (seen.sums[m].row(c) + kRowsOfDoubt * centres.row(c)) /
                       (seen.counts(m, c) + kRowsOfDoubt);
    }
  }
  return out;
}

Gate gate_by_label(Frame frame, const std::vector<Matrix>& coordinates, const GroupSet& groups,
                   const RowChoice& chosen, const GateSettings& settings, Communicator& comm) {
  const LabelSums seen = sums_by_label(coordinates, groups, chosen, comm);
  std::vector<Matrix> centres = label_centres(seen, coordinates);
  std::vector<double> spread = {0, 0};
  for (Index m = 0; m < groups.num_groups(); ++m) {
    for (Index i = 0; i < coordinates[m].rows(); ++i) {
      const Index label = groups[m].label(chosen[m][i]);
      if (label < 0) continue;
      spread[0] += (coordinates[m].row(i) - centres[m].row(label)).squaredNorm();
      spread[1] += 1;
    }
  }
  comm.sum(spread);
  const double scale = scale_of(spread[0] / std::max(1.0, spread[1]), frame.directions(), settings);
  return Gate(std::move(frame), std::move(centres), scale);
}

}  // namespace

GateSettings gate_settings(const FitOptions& options, Index dim) {
  return {.from = options.gate,
          .kinds = options.kinds.value_or(1),
          .gating = std::min(kMostGating, dim - *options.directions),
          .min_kind = static_cast<double>(options.min_kind)};
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
    Matrix centred(static_cast<Index>(chosen[m].size()), dim);
    for (Index i = 0; i < centred.rows(); ++i) {
      groups[m].rows.copy_row(chosen[m][i], centred.row(i).data());
      centred.row(i) -= sums / total;
    }
    // Columns of the product in tasks of a fixed width, so that bits do not depend on threads.
    workers.for_each_block(dim, 64, [&](Index begin, Index end) {
      covariance.middleCols(begin, end - begin).noalias() +=
          weights[m] / total * (centred.transpose() * centred.middleCols(begin, end - begin));
    });
  }
  comm.sum(std::span(covariance.data(), static_cast<std::size_t>(covariance.size())));
  Matrix vectors = 0.5 * (covariance + covariance.transpose());
  const kernels::SerialBlas serial;
  if (kernels::symmetric_eigen(vectors).size() == 0) {
    throw Error("the eigenvalues of the covariance did not converge; rescale the features.");
  }
  const Index kept = std::min(count, dim);
  return vectors.bottomRows(kept).colwise().reverse().transpose();
}

Gate fit_gate(const GroupSet& groups, const RowChoice& chosen, const Matrix& basis,
              const GateSettings& settings, Stream& stream, Communicator& comm,
              const Workers& workers) {
  const Matrix mixed = basis * Frame::random(basis.cols(), settings.gating, stream).columns();
  Frame frame = Frame::orthonormalized(mixed);
  const std::vector<Matrix> coordinates = coordinates_of(frame, groups, chosen, workers);
  return settings.from == Gating::kLabel
             ? gate_by_label(std::move(frame), coordinates, groups, chosen, settings, comm)
             : gate_by_k_means(std::move(frame), coordinates, settings, stream, comm);
}

std::vector<Matrix> shares_of(const Gate& gate, const GroupSet& groups, const RowChoice& chosen,
                              const GateSettings& settings, const Workers& workers) {
  std::vector<Matrix> out = coordinates_of(gate.frame(), groups, chosen, workers);
  for (Index m = 0; m < groups.num_groups(); ++m) {
    Matrix shares(out[m].rows(), gate.kinds());
    for (Index i = 0; i < shares.rows(); ++i) {
      const Index label = settings.from == Gating::kLabel ? groups[m].label(chosen[m][i]) : -1;
      if (label >= 0) {
        shares.row(i).setZero();
        shares(i, label) = 1;
      } else {
        gate.shares(m, &out[m](i, 0), &shares(i, 0));
      }
    }
    out[m] = std::move(shares);
  }
  return out;
}

double shared_mass(const std::vector<Matrix>& shares, const std::vector<double>& weights,
                   const GateSettings& settings, Communicator& comm) {
  const auto count = static_cast<Index>(shares.size());
  const Index kinds = shares.front().cols();
  std::vector<double> masses(static_cast<std::size_t>(count * kinds), 0.0);
  for (Index m = 0; m < count; ++m) {
    for (Index c = 0; c < kinds; ++c) masses[m * kinds + c] = shares[m].col(c).sum();
  }
  comm.sum(masses);
  double shared = 0;
  double total = 0;
  for (Index m = 0; m < count; ++m) {
    const auto of_group = std::span(masses).subspan(m * kinds, kinds);
    const double sum = std::accumulate(of_group.begin(), of_group.end(), 0.0);
    if (!(sum > 0)) continue;
    for (Index c = 0; c < kinds; ++c) {
      bool with_others = false;
      for (Index other = 0; other < count; ++other) {
        with_others |= other != m && masses[other * kinds + c] >= settings.min_kind;
      }
      if (with_others) shared += weights[m] * of_group[c] / sum;
    }
    total += weights[m];
  }
  return total > 0 ? shared / total : 0;
}

Gate with_group(const Gate& gate, const GroupSet& group, const RowChoice& chosen,
                const Workers& workers) {
  std::vector<Matrix> centres = gate.centres();
  if (centres.size() == 1) return gate;
  Matrix general = Matrix::Zero(gate.kinds(), gate.frame().directions());
  for (const Matrix& each : centres) general += each / static_cast<double>(centres.size());
  const Matrix points = project_rows(group[0], chosen[0], gate.frame().columns(), workers);
  centres.emplace_back(general.rowwise() + shift_from(general, points));
  return Gate(gate.frame(), std::move(centres), gate.scale());
}

}  // namespace conflux
