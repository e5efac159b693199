#include "fitting/gates.h"

#include <algorithm>
#include <limits>

#include "conflux/core/error.h"
#include "fitting/row_choice.h"
#include "kernels/dense.h"

namespace conflux {

namespace {

constexpr Index kMostGating = 15;
constexpr int kBackfittingSteps = 50;
constexpr int kShiftSteps = 20;

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

// Sums of the coordinates of rows whose kind is known, by mass, of all processes.
struct KindSums {
  std::vector<Matrix> sums;  // of each group, one row per kind
  Matrix masses;             // groups x kinds
};

KindSums sums_by_kind(const std::vector<Matrix>& coordinates, const GroupSet& groups,
                      const RowChoice& chosen, const RowKinds& kinds, Communicator& comm) {
  KindSums out{{}, Matrix::Zero(groups.num_groups(), kinds.count)};
  for (Index m = 0; m < groups.num_groups(); ++m) {
    Matrix& sums = out.sums.emplace_back(Matrix::Zero(kinds.count, coordinates[m].cols()));
    for (Index i = 0; i < coordinates[m].rows(); ++i) {
      const Index kind = kinds.of[m][chosen[m][i]];
      if (kind < 0) continue;
      const double mass = mass_of(groups[m], chosen[m][i]);
      sums.row(kind) += mass * coordinates[m].row(i);
      out.masses(m, kind) += mass;
    }
    comm.sum(std::span(sums.data(), static_cast<std::size_t>(sums.size())));
  }
  comm.sum(std::span(out.masses.data(), static_cast<std::size_t>(out.masses.size())));
  return out;
}

// Centres of kinds in groups. What a group has few rows of, or none, is where its shift from the
// other groups would take it: means are fitted as a part of the kind and a part of the group.
std::vector<Matrix> kind_centres(const KindSums& seen, const std::vector<Matrix>& coordinates) {
  const auto count = static_cast<Index>(seen.sums.size());
  const Index kinds = seen.masses.cols();
  const Index gating = seen.sums.front().cols();
  Matrix of_group = Matrix::Zero(count, gating);
  Matrix of_kind = Matrix::Zero(kinds, gating);
  for (int step = 0; step < kBackfittingSteps; ++step) {
    for (Index c = 0; c < kinds; ++c) {
      Eigen::RowVectorXd sum = -seen.masses.col(c).transpose() * of_group;
      for (Index m = 0; m < count; ++m) sum += seen.sums[m].row(c);
      of_kind.row(c) = sum / std::max(1.0, seen.masses.col(c).sum());
    }
    for (Index m = 0; m < count; ++m) {
      const Eigen::RowVectorXd sum = seen.sums[m].colwise().sum() - seen.masses.row(m) * of_kind;
      of_group.row(m) = sum / std::max(1.0, seen.masses.row(m).sum());
    }
  }
  std::vector<Matrix> out;
  for (Index m = 0; m < count; ++m) {
    if (seen.masses.row(m).sum() == 0) of_group.row(m) = shift_from(of_kind, coordinates[m]);
    Matrix& centres = out.emplace_back(of_kind.rowwise() + of_group.row(m));
    for (Index c = 0; c < kinds; ++c) {
      centres.row(c) = (seen.sums[m].row(c) + kRowsOfDoubt * centres.row(c)) /
                       (seen.masses(m, c) + kRowsOfDoubt);
    }
  }
  return out;
}

}  // namespace

GateSettings gate_settings(const FitOptions& options, Index dim) {
  return {.gating = std::min(kMostGating, dim - *options.directions),
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

RowKinds kinds_by_label(const GroupSet& groups) {
  RowKinds out{.count = static_cast<Index>(groups.label_names().size()), .of = {}};
  for (Index m = 0; m < groups.num_groups(); ++m) {
    std::vector<Index>& own = out.of.emplace_back(groups[m].rows.rows());
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = groups[m].label(static_cast<Index>(i));
  }
  return out;
}

Gate fit_gate(const GroupSet& groups, const RowChoice& chosen, const Matrix& basis,
              const RowKinds& kinds, const GateSettings& settings, Stream& stream,
              Communicator& comm, const Workers& workers) {
  const Matrix mixed = basis * Frame::random(basis.cols(), settings.gating, stream).columns();
  Frame frame = Frame::orthonormalized(mixed);
  const std::vector<Matrix> coordinates = coordinates_of(frame, groups, chosen, workers);
  const KindSums seen = sums_by_kind(coordinates, groups, chosen, kinds, comm);
  std::vector<Matrix> centres = kind_centres(seen, coordinates);
  std::vector<double> spread = {0, 0};
  for (Index m = 0; m < groups.num_groups(); ++m) {
    for (Index i = 0; i < coordinates[m].rows(); ++i) {
      const Index kind = kinds.of[m][chosen[m][i]];
      if (kind < 0) continue;
      const double mass = mass_of(groups[m], chosen[m][i]);
      spread[0] += mass * (coordinates[m].row(i) - centres[m].row(kind)).squaredNorm();
      spread[1] += mass;
    }
  }
  comm.sum(spread);
  const double scale = scale_of(spread[0] / std::max(1.0, spread[1]), frame.directions(), settings);
  return Gate(std::move(frame), std::move(centres), scale);
}

std::vector<Matrix> shares_of(const Gate& gate, const GroupSet& groups, const RowChoice& chosen,
                              const RowKinds& kinds, const Workers& workers) {
  std::vector<Matrix> out = coordinates_of(gate.frame(), groups, chosen, workers);
  for (Index m = 0; m < groups.num_groups(); ++m) {
    Matrix shares(out[m].rows(), gate.kinds());
    for (Index i = 0; i < shares.rows(); ++i) {
      const Index kind = kinds.of[m][chosen[m][i]];
      const double certain = kind >= 0 ? kinds.certainty : 0;
      if (certain < 1) {
        gate.shares(m, &out[m](i, 0), &shares(i, 0));
        shares.row(i) *= 1 - certain;
      } else {
        shares.row(i).setZero();
      }
      if (kind >= 0) shares(i, kind) += certain;
    }
    out[m] = std::move(shares);
  }
  return out;
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
