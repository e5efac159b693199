#include "baselines/coupling_batches.h"

namespace conflux {

Stream training_stream(std::uint64_t seed, TrainingDraw draw, std::uint64_t part) {
  return {seed, Purpose::kTraining, static_cast<std::uint64_t>(draw), part};
}

void add_blur(MatrixOf<float>& rows, const std::vector<float>& blur, Stream& stream) {
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) {
      rows(i, j) += blur[static_cast<std::size_t>(j)] * static_cast<float>(stream.normal());
    }
  }
}

Batch take(const Chain& chain, const std::vector<Index>& chosen) {
  Batch out{MatrixOf<float>(static_cast<Index>(chosen.size()), chain.rows.cols()), {}};
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    out.rows.row(static_cast<Index>(i)) = chain.rows.row(chosen[i]);
    out.masses.push_back(chain.masses[static_cast<std::size_t>(chosen[i])]);
  }
  return out;
}

Batch draw_batch(const Chain& chain, const std::vector<Index>& among, Index size, Stream& stream) {
  std::vector<Index> chosen;
  for (Index i = 0; i < size; ++i) {
    chosen.push_back(
        among[static_cast<std::size_t>(stream.below(static_cast<Index>(among.size())))]);
  }
  Batch out = take(chain, chosen);
  add_blur(out.rows, chain.blur, stream);
  return out;
}

}  // namespace conflux
