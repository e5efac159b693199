// The input that a fit gives to the fitters of its layers.

#pragma once

#include <utility>
#include <vector>

#include "fitting/layer_kinds.h"

namespace conflux {

struct FitScene {
  explicit FitScene(GroupSet groups)
      : latent(std::move(groups)), usable(all_rows(latent.groups())) {
    places = place_rows(usable, comm);
    const GroupSet& given = latent.groups();
    options = resolve(options, {given.dim(), given.names(), places.sizes});
  }
  FitInput input() { return {latent, usable, places, options, comm, workers}; }

  Latent latent;
  RowChoice usable;
  RowPlaces places;
  FitOptions options;
  SelfCommunicator comm;
  Workers workers{1};
};

}  // namespace conflux
