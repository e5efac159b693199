// Whether points on a line leave a valley between two peaks.
//
// Points are split into folds, and every fold has a line of its own, chosen without its points.
// On each line the other points choose three windows of equal width: the valley and a peak on
// either side of it. The fold counts its points there. Points with one peak leave the valley at
// least as full as the lower peak, so that of the points in these two at most half is expected in
// the peak.
//
// Positions are relative: 0 and 1 are the means of the two parts that are compared.

#pragma once

#include <array>

#include "conflux/comm/communicator.h"

namespace conflux {

inline constexpr Index kValleyFolds = 5;

class Valley {
 public:
  /// A point at `at` on the line of `fold`, which is its own if it is `held_out` there.
  void add(Index fold, double at, bool held_out);

  /// The chance to find so few points in the valley if there is none; 1 when it is not even half
  /// as deep as the lower peak is high. Points of all processes count.
  double chance(Communicator& comm);

 private:
  static constexpr Index kBins = 40;
  using Histogram = std::array<double, kBins>;
  struct Line {
    Histogram others = {};
    Histogram held_out = {};
  };
  struct Windows;
  static Windows choose_windows(const Histogram& others);

  std::array<Line, kValleyFolds> lines_ = {};
};

}  // namespace conflux
