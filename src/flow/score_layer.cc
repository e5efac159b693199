#include "flow/score_layer.h"

namespace conflux {

ScoreLayer::ScoreLayer(std::vector<PiecewiseLinearMap> scores, ScoreStep step)
    : scores_(std::move(scores)),
      maps_({std::vector<MonotoneMap>(scores_.begin(), scores_.end())}),
      step_(step) {}

void ScoreLayer::forward(Index, Rows rows, double* log_det) const {
  return step_ == ScoreStep::kToScores ? maps_.forward(0, rows, log_det)
                                       : maps_.inverse(0, rows, log_det);
}

void ScoreLayer::inverse(Index, Rows rows, double* log_det) const {
  return step_ == ScoreStep::kToScores ? maps_.inverse(0, rows, log_det)
                                       : maps_.forward(0, rows, log_det);
}

}  // namespace conflux
