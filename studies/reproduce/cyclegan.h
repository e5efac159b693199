// CycleGAN with dense networks: two generators translate, each judged by a critic.
//
// It stands in the paper's comparison. The generators are no inverses of each other and there is no
// space that groups share, so that a model of conflux cannot hold it: it is trained for a row of a
// table, and forgotten.

#pragma once

#include <cstdint>

#include "conflux/core/group_set.h"
#include "reproduce/cycle_game.h"
#include "reproduce/translator.h"

namespace conflux::app {

struct CycleGanPlan {
  Index hidden = 0;
  /// Half of them have full length, then they shrink to nothing.
  Index steps = 0;
  std::uint64_t seed = 0;
  /// Rows live in the unit cube, and networks see their normal scores, so that translations stay
  /// there. The published generators bound images by tanh for the same purpose.
  bool cube = false;
};

class CycleGan final : public Translator {
 public:
  /// Trains on the calling thread. Networks see rows in units of one deviation, that of all
  /// features of both groups: a pixel that is always dark stays quiet.
  CycleGan(const GroupSet& train, const GroupSet& test, const CycleGanPlan& plan);

  Matrix first_translated(Index from, Index to, Index count) const override;
  Matrix translate(Index from, Index to, const Matrix& rows) const override;
  const std::vector<Matrix>& shared() const override { return none_; }

 private:
  MatrixOf<float> standardized(Matrix rows) const;
  void train(const std::vector<MatrixOf<float>>& rows, const CycleGanPlan& plan);

  const GroupSet& test_;
  bool cube_;
  Vector mean_;
  double deviation_ = 1;
  mutable CycleGame<float> game_;
  CycleGame<float>::Players players_;
  std::vector<Matrix> none_;
};

}  // namespace conflux::app
