// Rows that take part when the group of a row is predicted, and which rows learn and judge.

#pragma once

#include <span>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"

namespace conflux {

/// Rows by the ranks of their features. A class is a group that takes part.
struct PredictionPool {
  /// The number of smaller different values; NaN where a value is missing.
  SingleMatrix ranks = {};
  /// By feature, the normal score of each rank, with mean 0 and variance 1 over all rows.
  std::vector<std::vector<float>> score_of_rank = {};
  /// Features with missing values.
  std::vector<Index> gaps = {};
  std::vector<Index> class_of = {};
  /// The rows of parts 0 .. judged_parts-1 are judged in turn, by experts that have learned from
  /// all other parts.
  std::vector<Index> part_of = {};
  Index judged_parts = 1;
  /// The group of each class.
  std::vector<Index> groups = {};
  Index num_groups = 0;
  /// The position of each row among those that were given.
  std::vector<Index> row_of = {};

  Index classes() const { return static_cast<Index>(groups.size()); }
  /// Two classes need one classifier: both AUCs are equal.
  Index scored() const { return classes() == 2 ? 1 : classes(); }
  std::vector<Index> rows_of_part(Index part) const;
  std::vector<char> members(const std::vector<Index>& rows, Index which) const;

  /// Ranks of some rows and features.
  SingleMatrix cut_ranks(const std::vector<Index>& rows, const std::vector<Index>& features) const;
  /// The same as normal scores, 0 for a missing value; then an indicator column for each feature
  /// with missing values.
  Matrix to_scores(const SingleMatrix& some_ranks, const std::vector<Index>& features) const;
  Matrix cut_scores(const std::vector<Index>& rows, const std::vector<Index>& features) const {
    return to_scores(cut_ranks(rows, features), features);
  }
};

/// A table and which of its rows take part.
struct PredictionSource {
  const SampleRows& rows;
  std::vector<Index> chosen = {};
};

/// Fills in ranks and scores.
void rank_rows(PredictionPool& pool, const std::vector<PredictionSource>& sources,
               const Workers& workers);

/// The features that tell most of the class by themselves, in place or in scale, in order of what
/// they tell; at most 256.
std::vector<Index> telling_features(const PredictionPool& pool, const std::vector<Index>& rows);

}  // namespace conflux
