// Random numbers that depend on what they are for, not on when they are drawn.
//
// A stream is named by a seed and up to three numbers (say purpose, layer, group). Streams of
// different names are independent, and the numbers of one stream do not change when another draws
// more, less, or on another thread. The generator is the counter-based Philox 4x32-10.

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "conflux/core/index.h"
#include "conflux/core/matrix.h"

namespace conflux {

/// Purpose of a random stream; part of its name.
enum class Purpose : std::uint32_t {
  kSplit = 1,
  kDirections = 2,
  kSearchRows = 3,
  kToyData = 4,
  kMetric = 5,
  kTest = 6,
  kHeldOut = 7,
  kGate = 8,
  kDiagnosis = 9,
  kJitter = 10,
  kPrediction = 11,
  kMatching = 12,
  kIslands = 15,
  kEvidence = 16,
  kPool = 17,
  kTraining = 18,
  kLadder = 21,
};

class Stream {
 public:
  Stream(std::uint64_t seed, Purpose purpose, std::uint64_t a = 0, std::uint64_t b = 0);

  std::uint32_t bits();
  /// Uniform on (0, 1), never 0 or 1, 53 bits.
  double uniform();
  double normal();
  /// Uniform on 0 .. bound-1.
  Index below(Index bound);
  /// The numbers 0 .. n-1 in random order.
  std::vector<Index> permutation(Index n);
  /// The first `count` of permutation(n), without a list of all of them if they are few. For a
  /// stream that has not drawn yet.
  std::vector<Index> start_of_permutation(Index n, Index count);
  /// Independent standard normal entries, filled row by row.
  Matrix normal_matrix(Index rows, Index cols);

 private:
  /// Draws number `draw` next.
  void go_to(std::uint64_t draw);

  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;
  bool has_spare_normal_ = false;
  double spare_normal_ = 0;
};

}  // namespace conflux
