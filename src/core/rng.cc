#include "core/rng.h"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>
#include <numeric>

namespace conflux {

namespace {

// Philox used as a hash: folds the words of a stream's name into a key.
std::array<std::uint32_t, 2> fold(std::array<std::uint32_t, 2> key, std::uint64_t low,
                                  std::uint64_t high) {
  const r123::Philox4x32 philox;
  const r123::Philox4x32::ctr_type words = {
      {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32),
       static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(high >> 32)}};
  const auto mixed = philox(words, {{key[0], key[1]}});
  return {mixed[0], mixed[1]};
}

}  // namespace

Stream::Stream(std::uint64_t seed, Purpose purpose, std::uint64_t a, std::uint64_t b)
    : key_(fold(fold({0, 0}, seed, static_cast<std::uint64_t>(purpose)), a, b)), counter_{} {}

std::uint32_t Stream::bits() {
  if (used_ == 4) {
    const r123::Philox4x32 philox;
    const auto out =
        philox({{counter_[0], counter_[1], counter_[2], counter_[3]}}, {{key_[0], key_[1]}});
    for (int i = 0; i < 4; ++i) block_[i] = out[i];
    used_ = 0;
    for (std::uint32_t& word : counter_) {
      if (++word != 0) break;
    }
  }
  return block_[used_++];
}

double Stream::uniform() {
  const std::uint64_t high = bits();
  const std::uint64_t low = bits();
  const std::uint64_t mantissa = ((high << 32) | low) >> 11;
  return (static_cast<double>(mantissa) + 0.5) * 0x1p-53;
}

// Box and Muller's transform; the second number of each pair is kept for the next call.
double Stream::normal() {
  if (has_spare_normal_) {
    has_spare_normal_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2 * std::log(uniform()));
  const double angle = 2 * std::numbers::pi * uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_normal_ = true;
  return radius * std::cos(angle);
}

Index Stream::below(Index bound) {
  return static_cast<Index>(uniform() * static_cast<double>(bound));
}

std::vector<Index> Stream::permutation(Index n) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index i = n - 1; i > 0; --i) std::swap(order[i], order[below(i + 1)]);
  return order;
}

Matrix Stream::normal_matrix(Index rows, Index cols) {
  Matrix out(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) out(i, j) = normal();
  }
  return out;
}

}  // namespace conflux
