// The random numbers of numpy's RandomState, with which the paper's splits were drawn.
//
// Same seed, same numbers: the published numbers of training and test rows come out again.

#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "conflux/core/index.h"

namespace conflux::app {

class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint32_t seed) : engine_(seed) {}

  /// Uniform on [0, 1), as random_sample().
  double uniform();
  /// Passes over that many uniform numbers.
  void skip_uniform(Index count) { engine_.discard(2 * static_cast<unsigned long long>(count)); }
  /// The numbers 0 .. n-1 in random order, as permutation().
  std::vector<Index> permutation(Index n);

 private:
  std::uint32_t at_most(std::uint32_t limit);

  std::mt19937 engine_;
};

}  // namespace conflux::app
