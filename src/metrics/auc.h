// The area under the ROC curve (AUC) of one score, and what each row adds to it.

#pragma once

#include <span>
#include <vector>

#include "conflux/core/index.h"

namespace conflux {

/// How probable it is that a member has a larger score than another row; ties count one half. Both
/// members and others must be there.
double area_under_curve(std::span<const double> scores, const std::vector<char>& is_member);

/// The centered first-order terms of the AUC, one per row: their sum of squares estimates the
/// variance of the AUC over new rows (DeLong, DeLong and Clarke-Pearson 1988), and the sum of
/// squares of differences that of a difference of two AUCs of the same rows.
std::vector<double> auc_influences(std::span<const double> scores,
                                   const std::vector<char>& is_member);

/// Ranks mapped to quantiles of the standard normal law; equal values share the mean rank.
std::vector<double> normal_scores(std::span<const double> values);

}  // namespace conflux
