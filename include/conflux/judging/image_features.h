// Features of rows that are images, for the metrics of evaluate() that look at features.
//
// A flow moves coordinates; a network takes values in [0, 1]. Rows are therefore brought back to
// what was measured, and grey values from 0 to 255 are divided by 255.

#pragma once

#include <functional>

#include "conflux/core/group_set.h"
#include "conflux/features/feature_net.h"
#include "conflux/model/model.h"

namespace conflux {

struct ImageFeatures {
  /// Features of rows of coordinates.
  std::function<Matrix(ConstRows rows, const Workers& workers)> of;
  /// 1, or 255 if some value of the groups is above 1.
  double divisor = 1;
};

/// Throws InvalidData when rows of the model are no images that the network takes, or have values
/// below 0 or above 255.
ImageFeatures image_features(const FeatureNet& net, const Model& model, const GroupSet& groups);

}  // namespace conflux
