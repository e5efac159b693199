#include "baselines/image_operations.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/product.h"

namespace conflux {

namespace {

// Places that are lowered at a time: their values stay in the second-level cache for the product.
constexpr Index kPlacesAtATime = 48;

// One row per place from `begin` to `end`: the values under the window, zeros beyond the edges.
void lower(const FeatureImage& image, const Window& window, Index places_across, Index begin,
           Index end, std::vector<float>& out) {
  const auto& [height, width, channels] = image.shape;
  const Index row = window.height * window.width * channels;
  std::fill(out.begin(), out.end(), 0.0F);
  float* to = out.data();
  for (Index place = begin; place < end; ++place, to += row) {
    const Index left = place % places_across * window.stride - window.pad_width;
    const Index top = place / places_across * window.stride - window.pad_height;
    const Index first = std::max<Index>(0, -left);
    const Index last = std::min(window.width, width - left);
    for (Index di = 0; di < window.height; ++di) {
      const Index y = top + di;
      if (y < 0 || y >= height || first >= last) continue;
      std::copy_n(image.values.data() + (y * width + left + first) * channels,
                  (last - first) * channels, to + (di * window.width + first) * channels);
    }
  }
}

// rows x inputs to rows x outputs, without padding.
void apply(const LinearMap& map, const float* rows, Index count, bool relu, float* out) {
  const Index width = kernels::padded_width<float>(map.outputs);
  thread_local std::vector<float> padded;
  padded.resize(static_cast<std::size_t>(count * width));
  kernels::project(rows, map.inputs, count, map.inputs, map.weights.data(), width, padded.data());
  const float least = relu ? 0 : -std::numeric_limits<float>::infinity();
  for (Index i = 0; i < count; ++i) {
    const float* from = padded.data() + i * width;
    for (Index o = 0; o < map.outputs; ++o) {
      out[i * map.outputs + o] = std::max(least, from[o] + map.bias[o]);
    }
  }
}

}  // namespace

FeatureShape places_of(const FeatureShape& image, const Window& window) {
  const Index down = image.height + 2 * window.pad_height - window.height;
  const Index across = image.width + 2 * window.pad_width - window.width;
  if (down < 0 || across < 0) return {};
  return {down / window.stride + 1, across / window.stride + 1, image.channels};
}

LinearMap::LinearMap(Index num_inputs, Index num_outputs, const std::vector<float>& plain,
                     std::vector<float> offsets)
    : inputs(num_inputs), outputs(num_outputs), bias(std::move(offsets)) {
  const Index width = kernels::padded_width<float>(outputs);
  weights.assign(static_cast<std::size_t>(inputs * width), 0.0F);
  for (Index i = 0; i < inputs; ++i) {
    std::copy_n(plain.data() + i * outputs, outputs, weights.data() + i * width);
  }
}

FeatureImage convolve(const FeatureImage& image, const Window& window, const LinearMap& map,
                      bool relu) {
  const FeatureShape places = places_of(image.shape, window);
  const Index count = places.height * places.width;
  FeatureImage out{{places.height, places.width, map.outputs}, {}};
  out.values.resize(static_cast<std::size_t>(out.shape.size()));
  const bool single = window.height == 1 && window.width == 1 && window.stride == 1 &&
                      window.pad_height == 0 && window.pad_width == 0;
  std::vector<float> lowered(static_cast<std::size_t>(single ? 0 : kPlacesAtATime * map.inputs));
  for (Index begin = 0; begin < count; begin += kPlacesAtATime) {
    const Index end = std::min(count, begin + kPlacesAtATime);
    if (!single) lower(image, window, places.width, begin, end, lowered);
    apply(map, single ? image.values.data() + begin * map.inputs : lowered.data(), end - begin,
          relu, out.values.data() + begin * map.outputs);
  }
  return out;
}

FeatureImage multiply(const FeatureImage& image, const LinearMap& map, bool relu) {
  FeatureImage out{{1, 1, map.outputs}, std::vector<float>(static_cast<std::size_t>(map.outputs))};
  apply(map, image.values.data(), 1, relu, out.values.data());
  return out;
}

FeatureImage pool(const FeatureImage& image, const Window& window, bool largest) {
  FeatureImage out{places_of(image.shape, window), {}};
  const float start = largest ? -std::numeric_limits<float>::infinity() : 0.0F;
  out.values.assign(static_cast<std::size_t>(out.shape.size()), start);
  const Index channels = image.shape.channels;
  float* to = out.values.data();
  for (Index i = 0; i < out.shape.height; ++i) {
    const Index top = std::max<Index>(0, i * window.stride - window.pad_height);
    const Index bottom =
        std::min(image.shape.height, i * window.stride - window.pad_height + window.height);
    for (Index j = 0; j < out.shape.width; ++j, to += channels) {
      const Index left = std::max<Index>(0, j * window.stride - window.pad_width);
      const Index right =
          std::min(image.shape.width, j * window.stride - window.pad_width + window.width);
      const auto count = static_cast<float>((bottom - top) * (right - left));
      for (Index y = top; y < bottom; ++y) {
        for (Index x = left; x < right; ++x) {
          const float* from = image.values.data() + (y * image.shape.width + x) * channels;
          if (largest) {
            for (Index c = 0; c < channels; ++c) to[c] = std::max(to[c], from[c]);
          } else {
            for (Index c = 0; c < channels; ++c) to[c] += from[c];
          }
        }
      }
      for (Index c = 0; !largest && c < channels; ++c) to[c] /= count;
    }
  }
  return out;
}

FeatureImage mean_of_pixels(const FeatureImage& image) {
  return pool(image, {.height = image.shape.height, .width = image.shape.width}, false);
}

FeatureImage join_channels(const std::vector<const FeatureImage*>& images) {
  FeatureImage out{images.front()->shape, {}};
  out.shape.channels = 0;
  for (const FeatureImage* image : images) out.shape.channels += image->shape.channels;
  out.values.reserve(static_cast<std::size_t>(out.shape.size()));
  for (Index pixel = 0; pixel < out.shape.height * out.shape.width; ++pixel) {
    for (const FeatureImage* image : images) {
      const auto from = image->values.begin() + pixel * image->shape.channels;
      out.values.insert(out.values.end(), from, from + image->shape.channels);
    }
  }
  return out;
}

FeatureImage repeat_channel(const FeatureImage& image, Index channels) {
  FeatureImage out{{image.shape.height, image.shape.width, channels}, {}};
  for (const float value : image.values) {
    out.values.insert(out.values.end(), static_cast<std::size_t>(channels), value);
  }
  return out;
}

FeatureImage resize(const FeatureImage& image, Index height, Index width) {
  // The two pixels around a place, and the part of the second.
  struct Between {
    Index first, second;
    float part;
  };
  const auto between = [](Index place, Index size, Index old_size) {
    const float scale = static_cast<float>(old_size) / static_cast<float>(size);
    const float at = std::clamp((static_cast<float>(place) + 0.5F) * scale - 0.5F, 0.0F,
                                static_cast<float>(old_size - 1));
    const auto first = static_cast<Index>(at);
    return Between{first, std::min(first + 1, old_size - 1), at - static_cast<float>(first)};
  };
  FeatureImage out{{height, width, image.shape.channels}, {}};
  out.values.reserve(static_cast<std::size_t>(out.shape.size()));
  for (Index i = 0; i < height; ++i) {
    const Between down = between(i, height, image.shape.height);
    for (Index j = 0; j < width; ++j) {
      const Between across = between(j, width, image.shape.width);
      for (Index c = 0; c < image.shape.channels; ++c) {
        const auto line = [&](Index y) {
          return (1 - across.part) * image.at(y, across.first, c) +
                 across.part * image.at(y, across.second, c);
        };
        out.values.push_back((1 - down.part) * line(down.first) + down.part * line(down.second));
      }
    }
  }
  return out;
}

}  // namespace conflux
