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

/// Not negative, with sum 1: those of a logistic regression without intercept and with a ridge. All
/// alike where no expert says anything.
std::vector<double> weigh_experts(const StackingRows& rows);

}  // namespace conflux
