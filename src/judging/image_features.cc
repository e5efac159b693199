#include "conflux/judging/image_features.h"

#include <fmt/format.h>

#include <algorithm>

#include "conflux/core/error.h"

namespace conflux {

namespace {

constexpr double kBrightest = 255;
// Noise that spreads repeated values reaches half a step beyond the last one.
constexpr double kSlackOfValues = 0.5;

double measured(const Columns& columns, Index j, double coordinate) {
  return columns.empty() ? coordinate
                         : columns.features[static_cast<std::size_t>(j)].point(coordinate);
}

double divisor_of(const Columns& columns, const GroupSet& groups) {
  double lowest = 0, largest = 0;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    for (Index i = 0; i < groups[m].rows.rows(); ++i) {
      for (Index j = 0; j < groups.dim(); ++j) {
        const double value = measured(columns, j, groups[m].rows(i, j));
        lowest = std::min(lowest, value);
        largest = std::max(largest, value);
      }
    }
  }
  const double divisor = largest > 1 + kSlackOfValues ? kBrightest : 1;
  if (lowest < -kSlackOfValues * divisor / kBrightest || largest > divisor + kSlackOfValues) {
    throw InvalidData(fmt::format(
        "values go from {:g} to {:g}, but networks take images with values from 0 to 1, or grey "
        "values from 0 to 255; rescale them.",
        lowest, largest));
  }
  return divisor;
}

}  // namespace

ImageFeatures image_features(const FeatureNet& net, const Model& model, const GroupSet& groups) {
  if (model.flow.dim() != net.num_inputs()) {
    throw InvalidData(fmt::format(
        "rows have {} features but the network takes images of {} values; give rows that are such "
        "images, or another network.",
        model.flow.dim(), net.num_inputs()));
  }
  const double divisor = divisor_of(model.columns, groups);
  // The columns are copied: what is returned may outlive the model.
  return {[net, columns = model.columns, divisor](ConstRows rows, const Workers& workers) {
            Matrix images = rows.eigen();
            for (Index i = 0; i < images.rows(); ++i) {
              for (Index j = 0; j < images.cols(); ++j) {
                images(i, j) = measured(columns, j, images(i, j)) / divisor;
              }
            }
            return net.features(images, workers);
          },
          divisor};
}

}  // namespace conflux
