// Patches of images: layers that read a few neighboring pixels find local differences, which
// directions through all pixels average out.

#pragma once

#include <cstdint>
#include <vector>

#include "conflux/options/options.h"

namespace conflux {

/// Positions in a row of the pixels of a random rectangle with 3/7 of the image's height and width
/// (12 x 12 of 28 x 28), all channels, in increasing order.
std::vector<Index> random_patch(const ImageShape& image, std::uint64_t seed, Index layer);

}  // namespace conflux
