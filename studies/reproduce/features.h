// Distances in the features of networks, beside the published FIDs.
//
// Ours come from the small networks of the library, and from one that the user gives; the published
// ones from Inception v3. The scales have nothing to do with each other, the order of methods has.

#pragma once

#include <string>
#include <vector>

#include "conflux/core/parallel.h"
#include "conflux/features/feature_net.h"
#include "conflux/flow/flow.h"
#include "reproduce/data.h"
#include "reproduce/report.h"

namespace conflux::app {

/// Means of Frechet and kernel distances between real test images and those translated to their
/// class; and the same between real images and other real ones.
class FeatureDistances {
 public:
  /// Looks at `most_images` of each class, the first ones, and from three classes on at a ring of
  /// pairs instead of all of them; all images and pairs if it is 0.
  FeatureDistances(FeatureNet net, Index most_images)
      : net_(std::move(net)), most_images_(most_images) {}

  /// `split` names the data: features of real images are kept for the next fit on the same.
  Json measure(const std::string& split, const SplitSet& data, const Flow& flow,
               const std::vector<Matrix>& latent, const Workers& workers);

 private:
  void look_at_real(const std::string& split, const SplitSet& data, const Workers& workers);
  Index limit(Index rows) const { return most_images_ == 0 ? rows : std::min(rows, most_images_); }

  FeatureNet net_;
  Index most_images_;
  std::string split_;
  std::vector<Matrix> real_;
  double frechet_floor_ = 0, kernel_floor_ = 0;
};

/// The small network of the library for these images.
FeatureNet small_net_of(const SetInfo& set);

/// A section of the report; empty when no cell has such distances.
std::string features_text(const std::vector<RowResult>& results);

}  // namespace conflux::app
