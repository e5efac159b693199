// Does an alignment bring like to like? A judge that needs no labels.
//
// A block of features is held out, the other features are aligned by the caller, and each held-out
// feature of the rows of one group is predicted in the aligned space from the nearest rows of the
// other groups. The score is the rank correlation between prediction and value within the group,
// averaged over features, groups and blocks. If an alignment brings corresponding rows together,
// held-out features agree across groups; if it moves one class onto another, they do not. Values
// count by their ranks within their own group, so shifts and scales of a held-out feature do not
// matter.
//
// Features that belong together are left out together. A copy of a left-out feature among the
// features that are aligned would predict it after any alignment that is monotone by feature, good
// or bad. So features are joined, strongest first, while their rank correlation within the groups
// is at least `together` and a cluster fills at most half of a block; clusters are then shared out
// to blocks of like size.
//
// Differences between two alignments have a standard error, because a score changes by little
// between the settings of one fit. It has two parts: the judged rows are a sample of rows, and the
// features are a sample of what else could be measured (clusters of features count as one). The
// groups are those of the caller and are not a sample. Both alignments are judged on the same rows,
// features and blocks, so that what they share cancels.
//
// Chance is 0. Nothing transfers where features share nothing (independent features, or principal
// components up to what is not linear): then the score is flat, and no setting is supported.
// A covariate that is confounded with the group is lost without a trace in the score.
// Where composition differs, groups are shifted as well, and no setting finds the classes, a
// setting that puts large classes onto each other can transfer better than rows that are left
// alone.
//
// Cost: per alignment and block a product of the judged rows with themselves, at most
// max_judged_rows^2 times the features, and sorting of the predictions.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"

namespace conflux {

struct FeatureTransferOptions {
  /// Blocks of features that are left out in turn; each alignment is fitted so many times. At least
  /// 2; fewer if there are fewer clusters of features.
  Index blocks = 3;
  /// Rows of the other groups that predict a row; fewer where the others have fewer.
  Index neighbors = 15;
  /// Absolute rank correlation within groups from which features are left out together.
  double together = 0.8;
  /// Rows of all groups that are judged, and predict, at most. Larger groups are thinned first.
  Index max_judged_rows = 3000;
  /// Rows of all groups that an alignment is fitted on at most. Rows that are judged are no part of
  /// them, unless more than half of all rows are judged: then all rows serve for both.
  Index max_fit_rows = 20'000;
  /// Features that are predicted at most; of more, so many are drawn from all blocks.
  Index max_features = 1000;
  /// Features that may be left out, by position; empty: all. Others, such as codes of categories,
  /// are part of every alignment.
  std::vector<Index> features = {};
  std::uint64_t seed = 0;
};

/// Fits an alignment on `rows_to_fit` and returns `rows_to_move`, moved: the same groups with the
/// same numbers of rows, of any number of columns. `features` are the positions of the columns in
/// the table. The sets may be the same object.
using BlockAligner = std::function<GroupSet(
    const GroupSet& rows_to_fit, const GroupSet& rows_to_move, const std::vector<Index>& features)>;

/// How well one left-out feature is predicted in one group.
struct TransferCell {
  Index block = 0;
  /// Features with the same number count as one.
  Index cluster = 0;
  Index feature = 0;
  Index group = 0;
  /// Rank correlation, from -1 to 1; 0 if all predictions are equal.
  double score = 0;
};

struct FeatureTransfer {
  /// Mean over the cells. Chance is 0.
  double score = 0;
  /// Standard error of the score; see compare() for that of a difference, which is much smaller.
  double standard_error = 0;
  /// Features without variation in a group have no cell there.
  std::vector<TransferCell> cells = {};
  /// Contribution of each scored row to the error of the score, group by group (its empirical
  /// influence divided by the number of rows).
  std::vector<double> row_influences = {};
  /// Judged rows of each group.
  std::vector<Index> rows = {};
};

struct PairedTransfer {
  /// Score of b minus that of a.
  double difference = 0;
  double standard_error = 0;
};

/// Compares two alignments that the same FeatureTransferJudge has judged. Throws InvalidData if
/// their cells or rows differ.
PairedTransfer compare(const FeatureTransfer& a, const FeatureTransfer& b);

/// Whether any held-out feature is predicted beyond chance under one of the alignments; otherwise
/// their order has no meaning.
bool anything_transfers(const std::vector<FeatureTransfer>& scores);

struct TransferPlan;

/// The plan is made once: which rows are judged, which features are left out together. All
/// alignments are then judged in the same way. The same data, options and seed give the same bits
/// on any number of threads, as far as the aligner does.
class FeatureTransferJudge {
 public:
  /// Borrows `groups` and `workers`. Values that are not finite count as missing.
  FeatureTransferJudge(const GroupSet& groups, const FeatureTransferOptions& options,
                       const Workers& workers);
  ~FeatureTransferJudge();

  /// Why left-out features cannot judge this table, in a sentence; empty if they can.
  const std::string& reason() const;
  /// Features that are left out in turn.
  const std::vector<std::vector<Index>>& blocks() const;

  /// Calls `align` once per block. Throws InvalidData if it returns other rows than it was given,
  /// and InvalidOption if there is a reason why this table cannot be judged.
  FeatureTransfer judge(const BlockAligner& align) const;

 private:
  std::unique_ptr<const TransferPlan> plan_;
  const Workers& workers_;
};

}  // namespace conflux
