#include "training/stage_options.h"

#include "options/automatic.h"
#include "options/methods.h"

namespace conflux {

namespace {

// Options of stages that are scored by predicting the group. Their layers use ranks only, so no
// scores are needed.
FitOptions judged_options(const FitOptions& resolved, Method method, double strength) {
  FitOptions out = resolved;
  out.method = method;
  out.layers = automatic::kTreeLayers;
  out.strength = strength;
  out.tree_rows = automatic::kSmallestLeaf;
  out.judge = Judging::kPrediction;
  out.unit_cube = UnitCube::kOff;
  return without_ignored(out);
}

}  // namespace

FitOptions sliced_options(const FitOptions& resolved) {
  FitOptions out = resolved;
  out.method = Method::kInb;
  return without_ignored(out);
}

FitOptions conditional_options(const FitOptions& resolved) {
  return judged_options(resolved, Method::kConditional, method_info(resolved.method).then_strength);
}

FitOptions tree_options(const FitOptions& resolved) {
  return judged_options(resolved, Method::kTree, method_info(resolved.method).last_strength);
}

}  // namespace conflux
