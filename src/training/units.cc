#include "training/units.h"

#include "flow/shear_layer.h"
#include "flow/unit_cube_layer.h"

namespace conflux {

Units units_of(Index dim, const FitOptions& options, const Matrix& slopes) {
  Units out;
  if (slopes.size() > 0) {
    using Step = ShearLayer::ShearStep;
    out.entering.push_back(std::make_shared<ShearLayer>(slopes, Step::kTakeOff));
    out.leaving.push_back(std::make_shared<ShearLayer>(slopes, Step::kPutBack));
    return out;
  }
  if (options.unit_cube != UnitCube::kOn) return out;
  using CubeStep = UnitCubeLayer::CubeStep;
  const auto layer = [&](CubeStep step) {
    return std::make_shared<UnitCubeLayer>(dim, options.unit_cube_margin, step);
  };
  out.entering.push_back(layer(CubeStep::kToNormal));
  out.leaving.push_back(layer(CubeStep::kToCube));
  return out;
}

}  // namespace conflux
