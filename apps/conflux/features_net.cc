#include "features_net.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conflux/judging/image_features.h"

namespace conflux::app {

Flag features_net_flag(std::string& net) {
  return {.names = "--features-net",
          .value = "NET",
          .help = fmt::format(
              "frechet and kernel_distance compare features of images that a network sees: {}, or "
              "an npz file of weights [they compare rows]",
              fmt::join(FeatureNet::built_in(), ", ")),
          .target = &net};
}

void use_network(const FeatureNet& net, const Model& model, const GroupSet& groups,
                 const Console& console, EvaluationOptions& options) {
  ImageFeatures found = image_features(net, model, groups);
  if (found.divisor != 1) {
    console.info(
        fmt::format("values are taken for grey values from 0 to {0}: the network sees them divided "
                    "by {0}",
                    found.divisor));
  }
  options.features = std::move(found.of);
}

}  // namespace conflux::app
