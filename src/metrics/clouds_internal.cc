#include "metrics/clouds_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conflux/core/error.h"

namespace conflux {

namespace {

void check_cloud(ConstRows cloud, std::string_view name, double largest) {
  if (cloud.rows() == 0 || cloud.cols() == 0) {
    throw InvalidData(fmt::format("the {} cloud has {} rows and {} columns; a metric needs some.",
                                  name, cloud.rows(), cloud.cols()));
  }
  for (Index i = 0; i < cloud.rows(); ++i) {
    for (Index j = 0; j < cloud.cols(); ++j) {
      const double value = cloud(i, j);
      if (std::abs(value) <= largest) continue;
      throw InvalidData(
          fmt::format("the {} cloud: row {}, column {} is {}; {}.", name, i, j, value,
                      std::isfinite(value) ? "rescale the column" : "drop the row or impute it"));
    }
  }
}

}  // namespace

void check_clouds(ConstRows x, ConstRows y, double largest) {
  check_cloud(x, "first", largest);
  check_cloud(y, "second", largest);
  if (x.cols() != y.cols()) {
    throw InvalidData(fmt::format(
        "the first cloud has {} columns but the second has {}; both need the same features.",
        x.cols(), y.cols()));
  }
}

void check_paired_clouds(ConstRows from, ConstRows to) {
  check_clouds(from, to);
  if (from.rows() != to.rows()) {
    throw InvalidData(fmt::format(
        "the first cloud has {} rows but the second has {}; row i of one belongs to row i of the "
        "other.",
        from.rows(), to.rows()));
  }
}

double check_weights(std::span<const double> weights, Index count, std::string_view what) {
  if (static_cast<Index>(weights.size()) != count) {
    throw InvalidData(
        fmt::format("{} weights for {} {}; give one each.", weights.size(), count, what));
  }
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] >= 0) || !std::isfinite(weights[i])) {
      throw InvalidData(fmt::format("weight {} of the {} is {}; weights must be finite and >= 0.",
                                    i, what, weights[i]));
    }
    sum += weights[i];
  }
  if (!(sum > 0) || !std::isfinite(sum)) {
    throw InvalidData(
        fmt::format("the weights of the {} sum to {}; the sum must be positive.", what, sum));
  }
  return sum;
}

std::vector<BlockPair> cut_in_step(ConstRows x, ConstRows y, std::optional<Index> block) {
  if (block && *block < 1) {
    throw InvalidOption(fmt::format("blocks of {} rows; choose at least 1.", *block));
  }
  const Index rows = std::max(x.rows(), y.rows());
  const Index fewer = std::min(x.rows(), y.rows());
  const Index size = std::min(block.value_or(rows), rows);
  std::vector<BlockPair> blocks;
  for (Index begin = 0; begin < rows; begin += size) {
    const Index end = std::min(rows, begin + size);
    const auto part = [&](ConstRows cloud) {
      const Index from = begin * cloud.rows() / rows;
      return cloud.middle_rows(from, end * cloud.rows() / rows - from);
    };
    blocks.push_back(
        {part(x), part(y), static_cast<double>(end - begin) / static_cast<double>(rows)});
    if (blocks.back().x.rows() == 0 || blocks.back().y.rows() == 0) {
      throw InvalidOption(
          fmt::format("blocks of {} rows cut {} rows of one cloud but leave none of the {} of the "
                      "other; choose "
                      "larger blocks.",
                      size, rows, fewer));
    }
  }
  return blocks;
}

}  // namespace conflux
