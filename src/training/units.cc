#include "training/units.h"

#include <algorithm>

#include "fitting/scores.h"
#include "flow/score_layer.h"
#include "flow/unit_cube_layer.h"

namespace conflux {

// Options allow one of the two, so both are fitted to the values as they are.
Units units_of(const GroupSet& groups, const RowChoice& usable, const FitOptions& options,
               Communicator& comm) {
  Units out;
  if (options.unit_cube == UnitCube::kOn) {
    using CubeStep = UnitCubeLayer::CubeStep;
    const auto layer = [&](CubeStep step) {
      return std::make_shared<UnitCubeLayer>(groups.dim(), options.unit_cube_margin, step);
    };
    out.entering.push_back(layer(CubeStep::kToNormal));
    out.leaving.push_back(layer(CubeStep::kToCube));
  }
  if (options.scale == Scaling::kNormal) {
    using ScoreStep = ScoreLayer::ScoreStep;
    const std::vector<PiecewiseLinearMap> scores = score_maps(groups, usable, comm);
    out.entering.push_back(std::make_shared<ScoreLayer>(scores, ScoreStep::kToScores));
    out.leaving.push_back(std::make_shared<ScoreLayer>(scores, ScoreStep::kFromScores));
  }
  std::reverse(out.leaving.begin(), out.leaving.end());
  return out;
}

}  // namespace conflux
