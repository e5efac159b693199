// Weights of experts, from what they say of rows whose class is known.

#pragma once

#include <vector>

namespace conflux {

/// Rows of a regression: the normal scores of each expert, whether the row is a member, and how
/// much the row counts.
struct StackingRows {
  std::vector<std::vector<double>> of_expert = {};
  std::vector<char> is_member = {};
  std::vector<double> mass = {};
};

/// Nonnegative weights with sum 1: those of a logistic regression without intercept and with a
/// ridge. All equal if no expert predicts beyond chance.
std::vector<double> weigh_experts(const StackingRows& rows);

}  // namespace conflux
