#include "core/rng.h"

#include <Random123/philox.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <unordered_map>

namespace conflux {

namespace {

// A list of all positions is faster unless it is so many times as long as the sample.
constexpr Index kFew = 16;

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

// A block has four words, a uniform number takes two.
void Stream::go_to(std::uint64_t draw) {
  counter_ = {static_cast<std::uint32_t>(draw / 2), static_cast<std::uint32_t>((draw / 2) >> 32), 0,
              0};
  used_ = 4;
  if (draw % 2 == 1) uniform();
}

// The shuffle gives place i, from the last on, what stands at a place below, which gets what stood
// at i. So what ends at a place of the start is followed back in time, from i = count on: if it
// came there in the step of i, it stood at i before.
std::vector<Index> Stream::start_of_permutation(Index n, Index count) {
  if (n < kFew * count) {
    std::vector<Index> order = permutation(n);
    order.resize(static_cast<std::size_t>(count));
    return order;
  }
  const auto draw_of = [&](Index i) { return static_cast<std::uint64_t>(n - 1 - i); };
  std::vector<bool> followed(static_cast<std::size_t>(n), false);
  std::unordered_map<Index, Index> end_of;  // of what stands at a place that is followed
  for (Index p = 0; p < count; ++p) {
    followed[p] = true;
    end_of[p] = p;
  }
  // Draws are made in blocks of two; later ones belong to smaller i.
  Index last = 0;
  for (Index i = std::max<Index>(count, 1); i < n; i = last + 1) {
    last = i + 1 < n && draw_of(i + 1) % 2 == 0 ? i + 1 : i;
    std::array<Index, 2> to{};
    go_to(draw_of(last));
    for (Index step = last; step >= i; --step) to[step - i] = below(step + 1);
    for (Index step = i; step <= last; ++step) {
      const Index place = to[step - i];
      if (place == step || !followed[place]) continue;
      followed[place] = false;
      followed[step] = true;
      auto moved = end_of.extract(place);
      moved.key() = step;
      end_of.insert(std::move(moved));
    }
  }
  std::vector<Index> order(static_cast<std::size_t>(count));
  for (const auto& [place, end] : end_of) order[end] = place;
  if (count > 1) go_to(draw_of(count - 1));
  for (Index i = count - 1; i > 0; --i) std::swap(order[i], order[below(i + 1)]);
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
