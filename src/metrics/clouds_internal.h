// Checks of point clouds that all metrics make, and how large clouds are cut into blocks.

#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "conflux/core/matrix.h"

namespace conflux {

/// Squares of larger values, summed over rows, would leave the range of double.
inline constexpr double kLargestCoordinate = 1e140;

/// Throws InvalidData unless both clouds have rows, the same width, and finite values of at most
/// `largest`.
void check_clouds(ConstRows x, ConstRows y, double largest = kLargestCoordinate);

/// The same, and row i of one must belong to row i of the other.
void check_paired_clouds(ConstRows from, ConstRows to);

/// Throws InvalidData unless there are `count` finite weights, none negative, with a positive sum.
/// Returns the sum.
double check_weights(std::span<const double> weights, Index count, std::string_view what);

/// Matching blocks of two clouds, and the share of the rows that they hold.
struct BlockPair {
  ConstRows x;
  ConstRows y;
  double share;
};

/// Cuts the larger cloud into consecutive blocks of `block` rows (the last takes the remainder) and
/// the smaller one in proportion; one block when `block` is unset. Throws InvalidOption when a
/// block of the smaller cloud would be empty.
std::vector<BlockPair> cut_in_step(ConstRows x, ConstRows y, std::optional<Index> block);

}  // namespace conflux
