#include "slicing/summary_spread.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace conflux {

namespace {

// Step lengths relative to the last one that was accepted; the first step has only its own.
constexpr double kLengthsTried[] = {2, 1, 0.5, 0.25};

}  // namespace

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

std::vector<double> SummarySpread::spreads_of(std::span<Seen> seen) {
  const Index knots = directions_ * parts_;
  const Index length = knots + directions_;
  std::vector<double> sums(seen.size() * static_cast<std::size_t>(length), 0.0);
  for (std::size_t s = 0; s < seen.size(); ++s) {
    cut_into_parts(seen[s]);
    double* own = sums.data() + static_cast<Index>(s) * length;
    for (std::size_t m = 0; m < groups_.size(); ++m) {
      for (Index k = 0; k < directions_; ++k) {
        for (Index q = 0; q < parts_; ++q) {
          const double mean = seen[s].means[m](k, q);
          own[k * parts_ + q] += groups_[m].weight * mean;
          own[knots + k] += groups_[m].weight * mean * mean;
        }
      }
    }
  }
  comm_.sum(sums);
  std::vector<double> out;
  for (std::size_t s = 0; s < seen.size(); ++s) {
    const double* own = sums.data() + static_cast<Index>(s) * length;
    seen[s].barycenter = Eigen::Map<const Matrix>(own, directions_, parts_);
    double total = 0;
    for (Index k = 0; k < directions_; ++k) {
      total += own[knots + k] - seen[s].barycenter.row(k).squaredNorm();
    }
    out.push_back(total / static_cast<double>(directions_ * parts_));
  }
  return out;
}

double SummarySpread::start(const Frame& frame) {
  here_.values = project(frame.columns());
  return spreads_of(std::span(&here_, 1)).front();
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

SummarySpread::Seen SummarySpread::seen_after(const SpanStep& step) const {
  Seen out;
  for (std::size_t m = 0; m < groups_.size(); ++m) {
    out.values.emplace_back(here_.values[m] * step.a + direction_[m] * step.b);
  }
  return out;
}

AscentResult SummarySpread::climb(const Frame& start, const AscentOptions& options) {
  AscentResult out;
  out.frame = start;
  out.start_value = out.value = this->start(start);
  out.evaluations = 1;
  double length = 0;  // not chosen yet
  while (out.steps < options.max_steps) {
    const Matrix g = gradient();
    if (!g.allFinite()) break;
    const Direction direction(out.frame, g, options.polar ? Beside::kOrthonormal : Beside::kUnit);
    direction_ = project(direction.basis);
    const CayleyCurve curve(direction);
    if (curve.stationary()) break;
    if (length == 0) {
      length = options.initial_angle *
               std::sqrt(static_cast<double>(out.frame.directions()) / curve.slope());
    }
    std::vector<SpanStep> steps;
    std::vector<double> lengths;
    for (const double times : kLengthsTried) {
      lengths.push_back(times * length);
      steps.push_back(curve.at(lengths.back()));
    }
    if (options.polar) {
      if (const auto polar = polar_step(direction)) steps.push_back(*polar);
    }
    std::vector<Seen> seen;
    seen.reserve(steps.size());
    for (const SpanStep& step : steps) seen.push_back(seen_after(step));
    const std::vector<double> values = spreads_of(seen);
    out.evaluations += static_cast<Index>(values.size());
    const auto best =
        static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
    if (!(values[best] > out.value)) break;
    if (best < lengths.size()) length = lengths[best];
    out.frame = steps[best].apply(out.frame, direction.basis);
    out.value = values[best];
    here_ = std::move(seen[best]);
    ++out.steps;
  }
  return out;
}

}  // namespace conflux
