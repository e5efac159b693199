// Distances in the features of networks, beside the published FIDs.
//
// Ours come from the small networks of the library, and from one that the user gives; the published
// ones from Inception v3. The scales have nothing to do with each other, the order of methods has.

#pragma once

#include <string>
#include <vector>

#include "baselines/feature_net.h"
#include "conflux/core/parallel.h"
#include "reproduce/data.h"
#include "reproduce/report.h"
#include "reproduce/translator.h"

namespace conflux::app {

/// Means of Frechet and kernel distances between real test images and those translated to their
/// class; and the same between real images and other real ones.
class FeatureDistances {
 public:
  enum class Look { kAll, kFew };

  /// Few: at the first 300 images of each class; of more than three classes at the first 100, and
  /// at each class as the next one only.
  FeatureDistances(FeatureNet net, Look look) : net_(std::move(net)), look_(look) {}

  /// `split` names the data: features of real images are kept for the next fit on the same.
  Json measure(const std::string& split, const SplitSet& data, const Translator& translator,
               const Workers& workers);

 private:
  void look_at_real(const std::string& split, const SplitSet& data, const Workers& workers);
  Index most_images(const SplitSet& data) const;

  FeatureNet net_;
  Look look_;
  std::string split_;
  std::vector<Matrix> real_;
  double frechet_floor_ = 0, kernel_floor_ = 0;
};

/// The small network of the library for these images.
FeatureNet small_net_of(const SetInfo& set);

/// A section of the report; empty when no cell has such distances.
std::string features_text(const std::vector<RowResult>& results);

}  // namespace conflux::app
