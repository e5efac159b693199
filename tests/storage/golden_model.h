// The model that is kept for ever: every kind of layer and map in one small flow.

#pragma once

#include "tests/storage/models.h"

namespace conflux {

inline GroupSet golden_groups() {
  Stream stream(2026, Purpose::kTest);
  GroupSet groups;
  for (const std::string name : {"monday", "tuesday", "mittwoch \u00fc"}) {
    Matrix rows(40, 3);
    for (double& value : rows.reshaped()) value = stream.uniform() * stream.uniform();
    groups.add(name, std::move(rows));
  }
  return groups;
}

/// No single fit makes all of these layers; each is fitted on what the ones before have left.
inline Model golden_model() {
  const GroupSet groups = golden_groups();
  GroupSet latent;
  for (Index m = 0; m < 3; ++m) latent.add(groups[m].name, groups[m].rows);
  Model model;
  Flow flow(groups.names(), 3);
  const auto add = [&](const Kind& kind, UnitCube cube, Index first, Index count) {
    FitOptions options = options_of(kind);
    options.directions = 2;
    options.knots = 8;
    options.bins = 6;
    options.unit_cube = cube;
    const Fit fit = fit_flow(latent, without_ignored(options));
    for (Index l = first; l < first + count; ++l) flow.append(fit.flow.layers()[l]);
    GroupSet moved;
    for (Index m = 0; m < 3; ++m) {
      moved.add(groups[m].name, flow.forward(m, groups[m].rows, Workers(1)));
    }
    latent = std::move(moved);
    model.record = fit.record;
  };
  add({Method::kGb}, UnitCube::kOn, 0, 2);
  add({Method::kNb, Estimator::kHistogram, 20}, UnitCube::kOff, 0, 1);
  add({Method::kNb}, UnitCube::kOff, 0, 1);
  add({Method::kInb, Estimator::kHistogram}, UnitCube::kOff, 0, 1);
  add({Method::kInb}, UnitCube::kOff, 0, 2);
  const Fit cube = fit_flow(groups, [] {
    FitOptions options = options_of({Method::kNb});
    options.unit_cube = UnitCube::kOn;
    return options;
  }());
  flow.append(cube.flow.layers().back());
  model.flow = std::move(flow);
  model.feature_names = {"x", "y", "z"};
  model.group_column = "day";
  model.label_column = "label";
  model.metadata = {{"purpose", "every kind of layer and map"}};
  return model;
}

}  // namespace conflux
