#include "metrics/prediction_pool.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/normal.h"

namespace conflux {

namespace {

// Features that classifiers use: time grows with them, and thousands drown the few that tell.
constexpr Index kMostFeatures = 256;

// Each value becomes the number of smaller different values: trees cut between ranks as between
// values, and single precision holds them exactly. Returns the normal score of each rank.
std::vector<float> rank_in_place(std::vector<double>& values) {
  std::vector<double> sorted;
  for (const double value : values) {
    if (!std::isnan(value)) sorted.push_back(value);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> scores, counts;
  const auto known = static_cast<double>(sorted.size());
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i;
    while (end < sorted.size() && sorted[end] == sorted[i]) ++end;
    const double below = 0.5 * static_cast<double>(i + end) / known;
    scores.push_back(kernels::normal_quantile(below, 1 - below));
    counts.push_back(static_cast<double>(end - i));
    sum += counts.back() * scores.back();
    squares += counts.back() * scores.back() * scores.back();
    i = end;
  }
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (double& value : values) {
    if (std::isnan(value)) continue;
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), value);
    value = static_cast<double>(at - sorted.begin());
  }
  const double mean = sum / std::max(1.0, known);
  const double variance = squares / std::max(1.0, known) - mean * mean;
  std::vector<float> out;
  out.reserve(scores.size());
  for (const double score : scores) {
    out.push_back(static_cast<float>(scores.size() > 1 ? (score - mean) / std::sqrt(variance) : 0));
  }
  return out;
}

// How much more the means of `values` differ between classes than by chance: the F ratio, times
// one less than the number of classes.
double spread_of_means(const std::vector<double>& values, const std::vector<Index>& classes,
                       Index count) {
  std::vector<double> sums(static_cast<std::size_t>(count), 0.0), sizes = sums;
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sums[classes[i]] += values[i];
    sizes[classes[i]] += 1;
    sum += values[i];
    squares += values[i] * values[i];
  }
  const auto rows = static_cast<double>(values.size());
  double between = 0;
  for (std::size_t c = 0; c < sums.size(); ++c) {
    if (sizes[c] > 0) between += sums[c] * sums[c] / sizes[c];
  }
  between -= sum * sum / rows;
  const double total = squares - sum * sum / rows;
  return total > 0 ? rows * between / total : 0;
}

// By the shift and the scale of its normal scores.
double how_telling(const PredictionPool& pool, Index feature, const std::vector<Index>& rows) {
  std::vector<double> values;
  std::vector<Index> classes;
  for (const Index i : rows) {
    const float rank = pool.ranks(i, feature);
    values.push_back(
        std::isnan(rank)
            ? 0.0
            : static_cast<double>(pool.score_of_rank[feature][static_cast<std::size_t>(rank)]));
    classes.push_back(pool.class_of[i]);
  }
  const double shift = spread_of_means(values, classes, pool.classes());
  for (double& value : values) value *= value;
  return shift + spread_of_means(values, classes, pool.classes());
}

}  // namespace

std::vector<Index> PredictionPool::rows_of_part(Index part) const {
  std::vector<Index> out;
  for (std::size_t i = 0; i < part_of.size(); ++i) {
    if (part_of[i] == part) out.push_back(static_cast<Index>(i));
  }
  return out;
}

std::vector<char> PredictionPool::members(const std::vector<Index>& rows, Index which) const {
  std::vector<char> out;
  out.reserve(rows.size());
  for (const Index i : rows) out.push_back(class_of[i] == which ? 1 : 0);
  return out;
}

SingleMatrix PredictionPool::cut_ranks(const std::vector<Index>& rows,
                                       const std::vector<Index>& features) const {
  SingleMatrix out(static_cast<Index>(rows.size()), static_cast<Index>(features.size()));
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) out(i, j) = ranks(rows[i], features[j]);
  }
  return out;
}

Matrix PredictionPool::to_scores(const SingleMatrix& some_ranks,
                                 const std::vector<Index>& features) const {
  std::vector<Index> gapped;
  const auto dim = std::ssize(features);
  for (Index j = 0; j < dim; ++j) {
    if (std::binary_search(gaps.begin(), gaps.end(), features[j])) gapped.push_back(j);
  }
  Matrix out(some_ranks.rows(), dim + std::ssize(gapped));
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < dim; ++j) {
      const float rank = some_ranks(i, j);
      const auto& scores = score_of_rank[features[j]];
      out(i, j) = std::isnan(rank) ? 0.0 : scores[static_cast<std::size_t>(rank)];
    }
    for (Index g = 0; g < std::ssize(gapped); ++g) {
      out(i, dim + g) = std::isnan(some_ranks(i, gapped[g])) ? 1 : -1;
    }
  }
  return out;
}

void rank_rows(PredictionPool& pool, const std::vector<PredictionSource>& sources,
               const Workers& workers) {
  Index count = 0;
  for (const PredictionSource& source : sources) count += static_cast<Index>(source.chosen.size());
  const Index dim = sources.front().rows.cols();
  pool.ranks.resize(count, dim);
  pool.score_of_rank.resize(static_cast<std::size_t>(dim));
  std::vector<char> has_gaps(static_cast<std::size_t>(dim), 0);
  workers.for_each(dim, [&](Index j) {
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(count));
    for (const PredictionSource& source : sources) {
      for (const Index i : source.chosen) values.push_back(source.rows(i, j));
    }
    pool.score_of_rank[j] = rank_in_place(values);
    for (Index i = 0; i < count; ++i) {
      pool.ranks(i, j) = static_cast<float>(values[i]);
      if (std::isnan(values[i])) has_gaps[j] = 1;
    }
  });
  for (Index j = 0; j < dim; ++j) {
    if (has_gaps[j]) pool.gaps.push_back(j);
  }
}

std::vector<Index> telling_features(const PredictionPool& pool, const std::vector<Index>& rows) {
  std::vector<Index> out(static_cast<std::size_t>(pool.ranks.cols()));
  std::iota(out.begin(), out.end(), Index{0});
  std::vector<double> telling;
  telling.reserve(out.size());
  for (const Index j : out) telling.push_back(how_telling(pool, j, rows));
  std::stable_sort(out.begin(), out.end(),
                   [&](Index a, Index b) { return telling[a] > telling[b]; });
  out.resize(std::min(out.size(), static_cast<std::size_t>(kMostFeatures)));
  return out;
}

}  // namespace conflux
