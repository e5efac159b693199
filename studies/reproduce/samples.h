// A few test rows as they are, in the shared space and in other groups, for the figures.

#pragma once

#include <vector>

#include "conflux/core/group_set.h"
#include "reproduce/translator.h"
#include "support/console.h"

namespace conflux::app {

/// A sheet of images as rows of tiles, eight bits per pixel, in hexadecimal digits. Two groups:
/// original, shared space and the other group below each other, three images of each. More groups:
/// one image of each per row; original, shared space, then every group. Without a shared space, its
/// place is left out.
Json image_samples(const Translator& translator, const GroupSet& test);

/// Points of each group: original, in the shared space, and translated (to the other group, or to
/// the first one if there are more).
Json planar_samples(const Translator& translator, const GroupSet& test);

struct Sheet {
  int rows = 0, columns = 0, side = 0;
  /// Tile after tile.
  std::vector<unsigned char> pixels;
};

Sheet sheet_of(const Json& samples);

}  // namespace conflux::app
