// --features-net: the network through which metrics of features look at images.

#pragma once

#include "conflux/features/feature_net.h"
#include "conflux/judging/evaluation.h"
#include "conflux/model/model.h"
#include "support/console.h"
#include "support/flag.h"

namespace conflux::app {

Flag features_net_flag(std::string& net);

/// Lets metrics of features see those of the network; says so if values are divided before.
void use_network(const FeatureNet& net, const Model& model, const GroupSet& groups,
                 const Console& console, EvaluationOptions& options);

}  // namespace conflux::app
