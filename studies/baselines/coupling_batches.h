// Rows that networks are trained on, a few at a time.

#pragma once

#include <cstdint>
#include <vector>

#include "baselines/coupling_training.h"
#include "core/rng.h"

namespace conflux {

/// Purposes of the random numbers of a training.
enum class TrainingDraw : std::uint64_t {
  kMasks,
  kParameters,
  kHeldOut,
  kBatches,
  kBlur,
  kCritics,
  kPairs
};

Stream training_stream(std::uint64_t seed, TrainingDraw draw, std::uint64_t part = 0);

/// Rows of one chain with their masses.
struct Batch {
  MatrixOf<float> rows;
  std::vector<float> masses;
};

/// These rows, as they are.
Batch take(const Chain& chain, const std::vector<Index>& chosen);
void add_blur(MatrixOf<float>& rows, const std::vector<float>& blur, Stream& stream);
/// `size` of the rows `among`, drawn with replacement and blurred.
Batch draw_batch(const Chain& chain, const std::vector<Index>& among, Index size, Stream& stream);

}  // namespace conflux
