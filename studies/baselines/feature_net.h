// Networks that turn images into features.
//
// Two clouds of images may be near in pixels and yet look different. The activations of a network
// that has learned to tell images apart show such differences: distances between features of real
// images and translated ones (frechet_distance, kernel_distance) see them. The most common of these
// is the Frechet inception distance; a figure may be called so only if the network is the published
// one. Ours are small and know 28 x 28 images of digits or of clothes.
//
// A network is a list of instructions and their weights in one npz file; docs/formats.md has the
// layout, so that other networks can be brought. Nothing is trained here.
//
// Promise: the same features for an image on any number of threads and in any company. Cost: two
// operations per weight and place of an image; our small networks take 0.2 ms.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"

namespace conflux {

class FeatureNet {
 public:
  /// One of built_in(), or the path of an npz file. Throws InvalidData that names what is wrong
  /// with a file, and InvalidOption when there is neither.
  static FeatureNet load(const std::string& name_or_path);
  static std::vector<std::string> built_in();

  /// Values of an image, pixel by pixel with its channels one after the other.
  Index num_inputs() const;
  Index num_features() const;

  /// A row of features for every row of `images`, whose values are in [0, 1]. Throws InvalidData
  /// when images have another number of values.
  Matrix features(ConstRows images, const Workers& workers) const;

 private:
  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

}  // namespace conflux
