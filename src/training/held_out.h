// Rows that a fit does not learn from, and what they say about its layers.
//
// Held-out rows move with all others, but no direction is searched and no map fitted on them. Their
// divergence is the energy distance of two groups, mean over all pairs of groups,
//
//   2 E|X - Y| - E|X - X'| - E|Y - Y'|,
//
// with expectations over different rows only, which has no bias and may fall below 0. It is always
// measured on the same rows: what a layer leaves alone drops out of the comparison before and
// after, so that small gains show although the rows are few. How far the difference of two
// divergences can be trusted follows from what each row adds to it.
//
// Cost: half a product of the rows with themselves, kept to some ten milliseconds by taking fewer
// rows when there are many features.

#pragma once

#include "conflux/core/parallel.h"
#include "conflux/flow/flow.h"
#include "conflux/flow/layer.h"
#include "conflux/metrics/group_prediction.h"
#include "fitting/latent.h"
#include "fitting/line_maps.h"

namespace conflux {

/// How far apart the groups are by the held-out rows.
struct HeldOutJudgement {
  double divergence = 0;
  /// One number per row: what it adds to the error of the divergence.
  std::vector<double> influences = {};

  /// One standard error of the divergence.
  double error() const;
};

/// By all rows of the groups, on one process.
HeldOutJudgement judge_rows(const GroupSet& groups, const Workers& workers);

/// One standard error of the difference of two divergences.
double error_of_difference(const HeldOutJudgement& a, const HeldOutJudgement& b);

/// Whether `a` has the smaller divergence by two standard errors.
bool clearly_better(const HeldOutJudgement& a, const HeldOutJudgement& b);

/// Layers that deserve to be kept: the longest prefix that is not clearly worse than the best one,
/// or none when the best is not clearly better than no layer. `judgements` begins before the first
/// layer.
Index layers_worth_keeping(const std::vector<HeldOutJudgement>& judgements);

class HeldOut {
 public:
  /// Takes the fraction of each group's rows away from `usable`. Groups of equal size lose rows of
  /// equal position, so that groups that are copies of each other stay copies. Throws InvalidOption
  /// when a group has too few rows to be judged by.
  HeldOut(RowChoice& usable, const GroupSet& groups, double fraction, std::uint64_t seed,
          Communicator& comm);

  /// Whether there are rows to judge by.
  bool exists() const { return !rows_.empty(); }
  /// All of them, in random order.
  const RowChoice& rows() const { return all_rows_; }

  /// The same on all processes.
  HeldOutJudgement judge(const Latent& latent, Communicator& comm, const Workers& workers) const;
  /// After one more layer, which leaves `latent` where it is.
  HeldOutJudgement judge_after(const Layer& layer, const Latent& latent, Communicator& comm,
                               const Workers& workers) const;
  /// After a flow, of which only the rows that are looked at need to be moved.
  HeldOutJudgement judge_after(const Flow& flow, const GroupSet& groups, Communicator& comm,
                               const Workers& workers) const;

  /// Whether the groups of the held-out rows can be predicted. On one process only.
  GroupPrediction predict(const GroupSet& latent, std::uint64_t seed, const Workers& workers) const;

 private:
  RowChoice rows_;      // that are looked at after every layer
  RowChoice all_rows_;  // that are held out
};

}  // namespace conflux
