// A panel of classifiers that is hard to beat, for tables of any size.
//
// The best classifier depends on the data: shifts of few rows are detected best by linear
// discriminants, covariances by quadratic ones, smooth shapes by kernels, and cuts and interactions
// of many rows by boosted trees. So all of them are trained, and their scores are added with
// nonnegative weights: those of the largest likelihood of the groups of inner held-out rows
// (logistic regression on the normal scores of the experts' outputs, with a ridge, which leaves
// weights in proportion to the strength of each expert if rows are few).
//
// Rows that judge have no part in learning or in the weights, so that the score of a judged row
// does not depend on the group of any judged row.
//
// A small training set is split into four inner parts, which are predicted in turn, and the experts
// are then trained on all of it. A fifth of a large training set gives the weights; of the largest
// tables the experts are not trained again after that.

#pragma once

#include <cstdint>
#include <vector>

#include "conflux/core/parallel.h"
#include "metrics/prediction_pool.h"

namespace conflux {

struct PanelSettings {
  Index trees = 100;
  std::uint64_t seed = 0;
  /// Whether to measure how much of the AUC is lost when a feature of the judged rows is shuffled.
  bool importance = false;
};

/// Scores of the panel for the rows of one part.
struct PanelScores {
  /// Positions in the pool of the judged rows, and the score of each for each class.
  std::vector<Index> rows = {};
  std::vector<std::vector<double>> of_class = {};
  /// By feature, the loss of the AUC, mean over classes, and the variance of that loss.
  std::vector<double> loss = {};
  std::vector<double> loss_variance = {};
};

/// Scores of the panel for every part.
std::vector<PanelScores> ask_panel(const PredictionPool& pool, const PanelSettings& settings,
                                   const Workers& workers);

}  // namespace conflux
