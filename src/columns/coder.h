// A feature made ready for many values: the same coordinates and points as Feature gives, faster.
//
// Knots are found through a table of equal steps instead of a search over all of them, slopes are
// divided once, and the noise of a row is two rounds of a mixing function instead of a random
// stream.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "conflux/columns/columns.h"

namespace conflux {

/// The finalizer of splitmix64: every bit of the input changes half of the output's.
inline std::uint64_t mixed_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// An increasing piecewise linear function; the outer slopes go on. Without knots the identity.
class KnottedLine {
 public:
  /// Both must outlive this.
  KnottedLine(const std::vector<double>& from, const std::vector<double>& to);
  double operator()(double x) const {
    if (from_.empty()) return x;
    const std::size_t k = piece_of(x);
    // From the nearer knot, so that knots have their images exactly.
    const double after = x - from_[k], before = from_[k + 1] - x;
    return after <= before ? to_[k] + slopes_[k] * after : to_[k + 1] - slopes_[k] * before;
  }

 private:
  std::size_t piece_of(double x) const {
    const double step = (x - from_.front()) * steps_per_one_;
    const auto last = static_cast<double>(first_.size() - 1);
    std::size_t k = first_[static_cast<std::size_t>(std::clamp(step, 0.0, last))];
    while (k + 1 < slopes_.size() && from_[k + 1] <= x) ++k;
    while (k > 0 && x < from_[k]) --k;  // by rounding
    return k;
  }

  const std::vector<double>& from_;
  const std::vector<double>& to_;
  std::vector<double> slopes_;
  // first_[b]: the first piece that a value of step b can lie in.
  std::vector<std::uint32_t> first_;
  double steps_per_one_ = 0;
};

class FeatureCoder {
 public:
  /// The feature must outlive this. `stream` tells the noise of one column from that of others.
  FeatureCoder(const Feature& feature, std::uint64_t seed, std::uint64_t stream);

  /// The coordinate of a value; `row` is mixed_bits() of the name of the row that has it.
  double coordinate(double value, std::uint64_t row) const {
    return coordinate_of_point(feature_.spread(value, place(row)));
  }
  double coordinate_of_point(double point) const { return to_coordinate_(feature_.curved(point)); }
  double point(double coordinate) const { return feature_.straight(to_point_(coordinate)); }

 private:
  /// Where in its cell a row lies: uniform on (0, 1).
  double place(std::uint64_t row) const {
    return (static_cast<double>(mixed_bits(row ^ key_) >> 11) + 0.5) * 0x1p-53;
  }

  const Feature& feature_;
  KnottedLine to_coordinate_;
  KnottedLine to_point_;
  std::uint64_t key_;
};

}  // namespace conflux
