// Between features in their own units and normal scores, feature by feature, the same for every
// group.
//
// A flow that enters scores and leaves them again works on features of the same unit and takes rows
// in and out in theirs.

#pragma once

#include <vector>

#include "flow/coordinate_layer.h"
#include "univariate/piecewise_linear_map.h"

namespace conflux {

class ScoreLayer final : public Layer {
 public:
  enum class ScoreStep { kToScores, kFromScores };

  /// scores[j] takes feature j to its score.
  ScoreLayer(std::vector<PiecewiseLinearMap> scores, ScoreStep step);

  std::string_view kind() const override {
    return step_ == ScoreStep::kToScores ? "to-scores" : "from-scores";
  }
  Index dim() const override { return maps_.dim(); }
  Index num_groups() const override { return 0; }
  void forward(Index group, Rows rows, double* log_det) const override;
  void inverse(Index group, Rows rows, double* log_det) const override;

  const std::vector<PiecewiseLinearMap>& scores() const { return scores_; }

 private:
  std::vector<PiecewiseLinearMap> scores_;
  CoordinateLayer maps_;  // the same, as those of a single group
  ScoreStep step_;
};

}  // namespace conflux
