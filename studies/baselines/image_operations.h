// Operations of a network on an image: one function per instruction.
//
// An image is height x width x channels, pixel by pixel. Convolutions are lowered: every place
// becomes a row of all values under the window, so that one product of matrices does the work.

#pragma once

#include <vector>

#include "conflux/core/index.h"

namespace conflux {

struct FeatureShape {
  Index height = 0;
  Index width = 0;
  Index channels = 0;

  Index size() const { return height * width * channels; }
};

struct FeatureImage {
  FeatureShape shape;
  std::vector<float> values;

  float at(Index i, Index j, Index c) const {
    return values[static_cast<std::size_t>((i * shape.width + j) * shape.channels + c)];
  }
};

/// A window that slides over an image; beyond its edges are zeros for a convolution and nothing
/// for a pool.
struct Window {
  Index height = 1;
  Index width = 1;
  Index stride = 1;
  Index pad_height = 0;
  Index pad_width = 0;
};

/// Places of a window, or an empty shape if it does not fit.
FeatureShape places_of(const FeatureShape& image, const Window& window);

/// Weights of a product, one padded row per input (kernels/product.h), and a bias.
struct LinearMap {
  Index inputs = 0;
  Index outputs = 0;
  std::vector<float> weights;
  std::vector<float> bias;

  LinearMap(Index num_inputs, Index num_outputs, const std::vector<float>& plain,
            std::vector<float> offsets);
};

FeatureImage convolve(const FeatureImage& image, const Window& window, const LinearMap& map,
                      bool relu);
/// Applies it to all values of the image in their order.
FeatureImage multiply(const FeatureImage& image, const LinearMap& map, bool relu);
/// Largest value under the window, or the mean of those that lie inside.
FeatureImage pool(const FeatureImage& image, const Window& window, bool largest);
/// Mean of each channel.
FeatureImage mean_of_pixels(const FeatureImage& image);
/// Channels of images of the same height and width, one image after the other.
FeatureImage join_channels(const std::vector<const FeatureImage*>& images);
/// The one channel, so often.
FeatureImage repeat_channel(const FeatureImage& image, Index channels);
/// Bilinear; pixels are squares with their values in the middle.
FeatureImage resize(const FeatureImage& image, Index height, Index width);

}  // namespace conflux
