#include "reproduce/numpy_random.h"

#include <bit>
#include <numeric>
#include <utility>

namespace conflux::app {

double NumpyRandom::uniform() {
  const auto high = static_cast<double>(engine_() >> 5);
  const auto low = static_cast<double>(engine_() >> 6);
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

std::uint32_t NumpyRandom::at_most(std::uint32_t limit) {
  const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << std::bit_width(limit)) - 1);
  for (;;) {
    const auto value = static_cast<std::uint32_t>(engine_()) & mask;
    if (value <= limit) return value;
  }
}

std::vector<Index> NumpyRandom::permutation(Index n) {
  std::vector<Index> out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), Index{0});
  for (Index i = n - 1; i > 0; --i) std::swap(out[i], out[at_most(static_cast<std::uint32_t>(i))]);
  return out;
}

}  // namespace conflux::app
