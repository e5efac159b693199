#include "slicing/summary_spread.h"

#include <algorithm>
#include <numeric>

namespace conflux {

SummarySpread::SummarySpread(const std::vector<WeighedRows>& groups, Index directions, Index parts,
                             Communicator& comm, const Workers& workers)
    : groups_(groups), directions_(directions), parts_(parts), comm_(comm), workers_(workers) {}

std::vector<Matrix> SummarySpread::project(const Matrix& columns) const {
  std::vector<Matrix> out;
  for (const WeighedRows& group : groups_) out.emplace_back(group.rows * columns);
  return out;
}

// Rank r of n rows lies in part r Q / n.
Index SummarySpread::rows_in_part(Index group, Index part) const {
  const Index rows = groups_[static_cast<std::size_t>(group)].rows.rows();
  const auto first = [&](Index q) { return (q * rows + parts_ - 1) / parts_; };
  return first(part + 1) - first(part);
}

void SummarySpread::cut_into_parts(Seen& seen) const {
  const auto groups = static_cast<Index>(groups_.size());
  seen.part_of.resize(groups_.size());
  seen.means.assign(groups_.size(), Matrix::Zero(directions_, parts_));
  for (Index m = 0; m < groups; ++m) {
    seen.part_of[m].resize(static_cast<std::size_t>(seen.values[m].size()));
  }
  workers_.for_each(groups * directions_, [&](Index s) {
    const Index m = s / directions_;
    const Index k = s % directions_;
    const Matrix& values = seen.values[m];
    std::vector<Index> order(static_cast<std::size_t>(values.rows()));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return values(a, k) < values(b, k); });
    for (Index r = 0; r < values.rows(); ++r) {
      const Index q = r * parts_ / values.rows();
      seen.part_of[m][k * values.rows() + order[r]] = q;
      seen.means[m](k, q) += values(order[r], k);
    }
    for (Index q = 0; q < parts_; ++q) {
      seen.means[m](k, q) /= static_cast<double>(rows_in_part(m, q));
    }
  });
}

double SummarySpread::spread_of(Seen& seen) {
  cut_into_parts(seen);
  const Index knots = directions_ * parts_;
  std::vector<double> sums(static_cast<std::size_t>(knots + directions_), 0.0);
  for (std::size_t m = 0; m < groups_.size(); ++m) {
    for (Index k = 0; k < directions_; ++k) {
      for (Index q = 0; q < parts_; ++q) {
        const double mean = seen.means[m](k, q);
        sums[k * parts_ + q] += groups_[m].weight * mean;
        sums[knots + k] += groups_[m].weight * mean * mean;
      }
    }
  }
  comm_.sum(sums);
  seen.barycenter = Eigen::Map<const Matrix>(sums.data(), directions_, parts_);
  double total = 0;
  for (Index k = 0; k < directions_; ++k) {
    total += sums[knots + k] - seen.barycenter.row(k).squaredNorm();
  }
  return total / static_cast<double>(directions_ * parts_);
}

double SummarySpread::start(const Frame& frame) {
  here_.values = project(frame.columns());
  return spread_of(here_);
}

// The barycenter is where the spread is least, so how it moves with the frame does not count.
Matrix SummarySpread::gradient() {
  const Index dim = groups_.front().rows.cols();
  Matrix out = Matrix::Zero(dim, directions_);
  for (std::size_t m = 0; m < groups_.size(); ++m) {
    const Matrix& rows = groups_[m].rows;
    Matrix residuals(rows.rows(), directions_);
    for (Index k = 0; k < directions_; ++k) {
      for (Index i = 0; i < rows.rows(); ++i) {
        const Index q = here_.part_of[m][k * rows.rows() + i];
        residuals(i, k) = (here_.means[m](k, q) - here_.barycenter(k, q)) /
                          static_cast<double>(rows_in_part(static_cast<Index>(m), q));
      }
    }
    out += groups_[m].weight * (rows.transpose() * residuals);
  }
  out *= 2 / static_cast<double>(directions_ * parts_);
  comm_.sum(std::span(out.data(), static_cast<std::size_t>(out.size())));
  return out;
}

void SummarySpread::set_direction(const Matrix& basis) { direction_ = project(basis); }

double SummarySpread::trial(const SpanStep& step) {
  trial_.values.clear();
  for (std::size_t m = 0; m < groups_.size(); ++m) {
    trial_.values.emplace_back(here_.values[m] * step.a + direction_[m] * step.b);
  }
  return spread_of(trial_);
}

void SummarySpread::accept(const Frame&) { std::swap(here_, trial_); }

}  // namespace conflux
