#include "fitting/patches.h"

#include <algorithm>

#include "core/rng.h"

namespace conflux {

std::vector<Index> random_patch(const ImageShape& image, std::uint64_t seed, Index layer) {
  const auto part = [](Index side) { return std::max<Index>(1, (3 * side + 3) / 7); };
  const Index height = part(image.height);
  const Index width = part(image.width);
  Stream stream(seed, Purpose::kDirections, static_cast<std::uint64_t>(layer), 1);
  const Index top = stream.below(image.height - height + 1);
  const Index left = stream.below(image.width - width + 1);
  std::vector<Index> out;
  for (Index y = top; y < top + height; ++y) {
    const Index begin = (y * image.width + left) * image.channels;
    for (Index i = 0; i < width * image.channels; ++i) out.push_back(begin + i);
  }
  return out;
}

}  // namespace conflux
