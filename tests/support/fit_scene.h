// What a fit gives to the fitters of its layers.

#pragma once

#include <utility>
#include <vector>

#include "fitting/layer_kinds.h"

namespace conflux {

struct FitScene {
  explicit FitScene(GroupSet groups)
      : latent(std::move(groups)), usable(all_rows(latent.groups())) {
    for (const auto& rows : usable) sizes.push_back(static_cast<Index>(rows.size()));
    const GroupSet& given = latent.groups();
    options = resolve(options, {given.dim(), given.names(), sizes});
  }
  FitInput input() { return {latent, usable, sizes, options, comm, workers}; }

  Latent latent;
  RowChoice usable;
  std::vector<Index> sizes;
  FitOptions options;
  SelfCommunicator comm;
  Workers workers{1};
};

}  // namespace conflux
