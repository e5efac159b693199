// Judges a fit by its held-out rows: when to stop, how many layers to keep, and whether one map per
// feature (NB) would have done better.
//
// Rows are judged by their divergence after every layer, or every few layers by whether their group
// can be predicted. A prediction costs more, and sees what distances do not.

#pragma once

#include <optional>
#include <vector>

#include "conflux/training/fit_record.h"
#include "fitting/layer_kinds.h"
#include "training/held_out.h"

namespace conflux {

/// Plan of a stage whose layers move one feature each.
struct StagePlan {
  Index features = 0;
  Index layers = 0;  // at most
};

/// Whether a stage with these predictions would be predicted clearly better than its rival even
/// after all its layers, and even if it gained at twice the pace of its last layers.
bool stays_behind(const std::vector<PredictionRecord>& predictions, const PredictionRecord& rival,
                  const StagePlan& plan);

class LayerJudge {
 public:
  /// Takes held-out rows away from `usable`; none when options say so, and then nothing is judged.
  /// `rival`: the best prediction of another fit, which this one has to match.
  LayerJudge(RowChoice& usable, const GroupSet& groups, const FitOptions& options,
             Communicator& comm, const std::optional<PredictionRecord>& rival);

  bool exists() const { return held_out_.exists(); }

  /// Before the first layer; fits NB to compare with unless the method opens with it.
  void see_start(const FitInput& input);
  /// Before groups move by a layer, whether held-out rows differ where it moves them.
  void foresee(const Layer& layer, const FitInput& input);
  /// After a layer: the divergence that is left, null when it was not measured. Valid until the
  /// next.
  const HeldOutJudgement* see(const FitInput& input);
  /// Predicts the group once more if layers have been added since the last prediction.
  void see_end(const FitInput& input);

  /// Whether the last `patience` layers brought nothing.
  bool out_of_patience(Index patience) const;

  /// How many layers deserve to be kept.
  Index layers_to_keep() const;
  /// The layer of NB if it is clearly better than what is kept; null otherwise.
  LayerPointer better_alone() const;

  std::optional<double> divergence_at_start() const;
  std::optional<double> divergence_of_nb() const;

  /// Predictions so far; empty if validation rows are scored by their divergence.
  const std::vector<PredictionRecord>& predictions() const { return predictions_; }

 private:
  void predict(const FitInput& input);
  /// Whether the last layers moved held-out rows where these do not differ.
  bool chases_chance() const;
  /// Place of the smallest AUC.
  std::size_t best_prediction() const;

  HeldOut held_out_;
  std::vector<HeldOutJudgement> judged_;  // before the first layer, and after each
  bool by_prediction_;
  bool needs_hope_;  // that there is something to gain, to begin at all
  std::optional<PredictionRecord> rival_;
  StagePlan plan_;
  Index layers_ = 0;
  std::vector<double> excess_;  // of layers whose kind knows it
  std::vector<PredictionRecord> predictions_;
  LayerPointer nb_;
  HeldOutJudgement judged_nb_;
};

}  // namespace conflux
