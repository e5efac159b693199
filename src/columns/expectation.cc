#include "columns/expectation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "core/rng.h"
#include "kernels/dense.h"

namespace conflux {

namespace {

// Second part of the name of a stream; the first ones are those of the features.
constexpr std::uint64_t kDraws = std::uint64_t{1} << 32;
constexpr int kRounds = 20;
// A group counts as much as what all groups have in common when it has this many rows per feature.
constexpr double kCommonRowsPerFeature = 2;
// Keeps regressions finite when features repeat each other: a part of their variance.
constexpr double kRidge = 1e-3;
// Part of the largest variance below which a direction is rounding.
constexpr double kFlat = 1e-14;

Pattern pattern_of(const double* row, Index dim) {
  Pattern out;
  for (Index j = 0; j < dim; ++j) (std::isnan(row[j]) ? out.missing : out.there).push_back(j);
  return out;
}

// A feature that never varies, or repeats others, tells nothing more: directions without variance
// have no slope.
Matrix solve_without_flat_directions(Matrix covariance, const Matrix& right) {
  if (std::optional<Matrix> solved = kernels::solve_positive(covariance, right)) return *solved;
  const Vector values = kernels::symmetric_eigen(covariance);
  if (values.size() == 0) return Matrix::Zero(right.rows(), right.cols());
  Matrix along = covariance * right;
  for (Index k = 0; k < values.size(); ++k) {
    const bool flat = !(values(k) > kFlat * values(values.size() - 1));
    along.row(k) *= flat ? 0 : 1 / values(k);
  }
  return covariance.transpose() * along;
}

Regression regress(const ExpectedRow& expected, Pattern pattern) {
  Regression out{std::move(pattern), {}, {}};
  const auto& [missing, there] = out.pattern;
  const auto few = static_cast<Index>(missing.size());
  const auto many = static_cast<Index>(there.size());
  out.slopes = Matrix::Zero(few, many);
  if (expected.covariance.size() == 0) {
    out.residual = Matrix::Zero(few, few);
    return out;
  }
  Matrix among = expected.covariance(there, there);
  const Matrix across = expected.covariance(missing, there);
  among.diagonal() *= 1 + kRidge;
  if (many > 0) {
    out.slopes = solve_without_flat_directions(std::move(among), across.transpose()).transpose();
  }
  out.residual = expected.covariance(missing, missing);
  if (many > 0) out.residual -= out.slopes * across.transpose();
  return out;
}

}  // namespace

const Regression& Regressions::of(const double* row, Index dim) {
  Pattern pattern = pattern_of(row, dim);
  const auto found = known_.find(pattern.missing);
  if (found != known_.end()) return found->second;
  std::vector<Index> key = pattern.missing;
  return known_.emplace(std::move(key), regress(expected_, std::move(pattern))).first->second;
}

Vector expected_missing(const ExpectedRow& expected, const Regression& regression,
                        const double* row) {
  const auto& [missing, there] = regression.pattern;
  Vector offset(static_cast<Index>(there.size()));
  for (Index k = 0; k < offset.size(); ++k) offset[k] = row[there[k]] - expected.mean[there[k]];
  return expected.mean(missing) + regression.slopes * offset;
}

namespace {

void replace_missing(const ExpectedRow& expected, Rows rows,
                     const std::function<void(Index, const Regression&, Vector&)>& change) {
  Regressions regressions(expected);
  for (Index i = 0; i < rows.rows(); ++i) {
    double* row = rows.row(i);
    if (std::none_of(row, row + rows.cols(), [](double x) { return std::isnan(x); })) continue;
    const Regression& regression = regressions.of(row, rows.cols());
    const std::vector<Index>& missing = regression.pattern.missing;
    Vector values = expected_missing(expected, regression, row);
    change(i, regression, values);
    for (Index k = 0; k < values.size(); ++k) row[missing[k]] = values[k];
  }
}

// Means and variances of the coordinates that are there; those of `common` where none is.
ExpectedRow available_moments(const Matrix& rows, const ExpectedRow* common) {
  const Index dim = rows.cols();
  ExpectedRow out{Vector::Zero(dim), Matrix()};
  if (dim <= kMostRegressed) out.covariance = Matrix::Identity(dim, dim);
  for (Index j = 0; j < dim; ++j) {
    double count = 0, sum = 0, squares = 0;
    for (Index i = 0; i < rows.rows(); ++i) {
      if (std::isnan(rows(i, j))) continue;
      count += 1;
      sum += rows(i, j);
    }
    const double mean = count > 0 ? sum / count : common != nullptr ? common->mean[j] : 0;
    for (Index i = 0; i < rows.rows(); ++i) {
      if (!std::isnan(rows(i, j))) squares += (rows(i, j) - mean) * (rows(i, j) - mean);
    }
    out.mean[j] = mean;
    if (out.covariance.size() == 0) continue;
    out.covariance(j, j) = count > 1 && squares > 0 ? squares / count
                           : common != nullptr      ? common->covariance(j, j)
                                                    : 1;
  }
  return out;
}

// One round of the EM algorithm.
ExpectedRow next_moments(const Matrix& rows, const ExpectedRow& now, const ExpectedRow* common) {
  const Index dim = rows.cols();
  Matrix filled = rows;
  Matrix residuals = Matrix::Zero(dim, dim);
  replace_missing(now, Rows(filled), [&](Index, const Regression& regression, Vector&) {
    const std::vector<Index>& missing = regression.pattern.missing;
    residuals(missing, missing) += regression.residual;
  });
  const auto count = static_cast<double>(rows.rows());
  ExpectedRow out;
  out.mean = filled.colwise().mean();
  filled.rowwise() -= out.mean.transpose();
  out.covariance = (filled.transpose() * filled + residuals) / count;
  if (common != nullptr) {
    const double weight = kCommonRowsPerFeature * static_cast<double>(dim);
    out.covariance = (count * out.covariance + weight * common->covariance) / (count + weight);
  }
  return out;
}

ExpectedRow moments_of(const Matrix& rows, const ExpectedRow* common) {
  ExpectedRow out = available_moments(rows, common);
  if (out.covariance.size() == 0 || rows.rows() == 0) return out;
  const bool complete = !rows.array().isNaN().any();
  for (int round = 0; round < (complete ? 1 : kRounds); ++round) {
    out = next_moments(rows, out, common);
  }
  return out;
}

}  // namespace

ExpectedRow common_expectation(std::span<const ExpectedRow> groups) {
  ExpectedRow out = groups.front();
  for (const ExpectedRow& group : groups.subspan(1)) {
    out.mean += group.mean;
    if (out.covariance.size() > 0) out.covariance += group.covariance;
  }
  out.mean /= static_cast<double>(groups.size());
  if (out.covariance.size() > 0) out.covariance /= static_cast<double>(groups.size());
  return out;
}

std::vector<ExpectedRow> fit_expectations(std::span<const Matrix> groups) {
  // Covariances are pooled within groups, so the rows of each group are centered first.
  Index count = 0;
  for (const Matrix& rows : groups) count += rows.rows();
  Matrix centered(count, groups.front().cols());
  Vector means = Vector::Zero(groups.front().cols());
  Vector seen = means;
  Index begin = 0;
  for (const Matrix& rows : groups) {
    const ExpectedRow own = available_moments(rows, nullptr);
    centered.middleRows(begin, rows.rows()) = rows.rowwise() - own.mean.transpose();
    begin += rows.rows();
    for (Index j = 0; j < rows.cols(); ++j) {
      if (rows.col(j).array().isNaN().all()) continue;
      means[j] += own.mean[j];
      seen[j] += 1;
    }
  }
  ExpectedRow common = moments_of(centered, nullptr);
  common.mean = means.cwiseQuotient(seen.cwiseMax(1));
  std::vector<ExpectedRow> out;
  for (const Matrix& rows : groups) out.push_back(moments_of(rows, &common));
  return out;
}

ExpectedRow fit_expectation(const Matrix& rows, const ExpectedRow& common) {
  return moments_of(rows, &common);
}

void fill_expected(const ExpectedRow& expected, Rows rows) {
  replace_missing(expected, rows, [](Index, const Regression&, Vector&) {});
}

namespace {

// L with L L^T = the covariance of what a regression leaves.
Matrix spread_of(const Regression& regression) {
  Matrix residual = regression.residual;
  // Rounding must not make a variance of 0 negative.
  residual.diagonal().array() += 1e-12 + 1e-9 * residual.diagonal().maxCoeff();
  if (std::optional<Matrix> factor = kernels::cholesky_factor(residual)) return *factor;
  return residual.diagonal().cwiseMax(0).cwiseSqrt().asDiagonal();
}

}  // namespace

void draw_expected(const ExpectedRow& expected, Rows rows, std::span<const std::uint64_t> names,
                   std::uint64_t seed) {
  std::map<const Regression*, Matrix> spreads;
  replace_missing(expected, rows, [&](Index i, const Regression& regression, Vector& values) {
    Stream noise(seed, Purpose::kJitter, names[static_cast<std::size_t>(i)], kDraws);
    const auto [spread, is_new] = spreads.try_emplace(&regression);
    if (is_new) spread->second = spread_of(regression);
    Vector draw(values.size());
    for (Index k = 0; k < draw.size(); ++k) draw[k] = noise.normal();
    values += spread->second * draw;
  });
}

}  // namespace conflux
