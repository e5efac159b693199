// Tests whether groups differ, and compares their composition, before they are aligned.
//
// Do the groups differ? Two tests share the error rate: whether the group can be predicted from a
// row (group_prediction.h), which detects all kinds of difference, and whether any feature differs
// by itself, by its ranks, with a stated false discovery rate over all features. Groups differ if
// one of the tests says so; for groups assigned at random, the probability of that is at most
// `error_rate`.
//
// Do groups hold the same clusters in the same proportions? If not, an alignment of whole
// groups would make some clusters look like others.
//
// Cost: that of predict_groups(), one sort per feature, and a matching of some rows.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/core/matrix.h"
#include "conflux/metrics/group_prediction.h"

namespace conflux {

// How groups are made up of clusters.

/// Something measured, and the value that 95 % of random assignments stay below.
struct Difference {
  double value = 0;
  double by_chance = 0;
  double p_value = 1;

  bool beyond_chance() const { return value > by_chance; }
};

/// How groups are made up of clusters.
struct Composition {
  std::vector<std::string> clusters;
  /// shares(m, c) is the fraction of group m that is of cluster c.
  Matrix shares;
  /// Fraction of rows that would need another cluster to give the two most different groups the
  /// same composition.
  Difference difference;
};

/// How a group was matched with the others, and of which clusters it is made.
struct GroupMatch {
  /// Part of its rows that found a partner in another group.
  double matched = 0;
  /// Distance of its clusters to their partners, in distances between its own clusters.
  double distance = 0;
  /// Number of separate clusters of the group.
  Index parts = 1;
  /// Proportions of the clusters in the group.
  std::vector<double> shares = {};
};

/// Clusters that were found in the groups.
struct ClustersRecord {
  /// Why the fit chose its gate; empty if the gate was given.
  std::string reason = {};
  /// Empty if clusters were not searched.
  std::vector<GroupMatch> groups = {};
  /// The same in words.
  std::vector<std::string> sentences = {};
};

struct CheckOptions {
  /// How often a difference is claimed where there is none; among the features that are named, the
  /// mean share of those that do not differ.
  double error_rate = 0.05;
  /// Rows of all groups together at most. Beyond, the largest groups are thinned, by seed.
  Index max_rows = 20'000;
  /// Random assignments that compositions are compared with.
  Index permutations = 99;
  std::uint64_t seed = 0;
  int threads = 0;
  /// The result of predict_groups() with this seed on all these rows, if known; saves computing it
  /// again.
  const GroupPrediction* known_prediction = nullptr;
  /// The value that a coordinate of a feature stands for. The panel predicts from values: ties that
  /// were dequantized would hide differences. Empty: coordinates are values.
  std::function<double(Index feature, double coordinate)> value_of = {};
  /// Subjects of the rows: one row per subject and group counts, because the rows of a subject are
  /// not independent. Null: rows are independent, unless they are found to repeat each other.
  const RowsOfSubjects* subjects = nullptr;
};

/// One feature, by itself. Figures are of normal scores of ranks, so that tails do not matter.
struct FeatureDifference {
  /// Largest difference of two group means, in standard deviations within groups.
  double shift = 0;
  /// The shift between these two that 95 % of random assignments stay below.
  double shift_by_chance = 0;
  /// Deviation of the group with the widest spread over that of the narrowest.
  double spread_ratio = 1;
  /// How probable such a difference of ranks is when groups are assigned at random.
  double p_value = 1;
  /// The smallest error rate at which the feature is named among all features.
  double false_discovery_rate = 1;
  /// Its share in how the group is predicted.
  double importance = 0;
  bool differs = false;
};

/// What to do with the rows.
enum class Advice {
  kLeave,         ///< there is nothing to align
  kAlign,         ///< align whole groups
  kGateClusters,  ///< align within clusters that are found
  kGateLabels,    ///< align within labels
};

/// As reports name it, and --gate its rest: "leave", "align", "gate clusters", "gate label".
std::string_view name_of(Advice advice);

struct CheckReport {
  /// Rows of each group that were looked at.
  std::vector<Index> rows = {};
  /// Rows that repeat others of their group, and were left out for that.
  Index repeated_rows = 0;
  GroupPrediction prediction = {};
  std::vector<FeatureDifference> features = {};
  /// p-value of the claim that the groups differ, both tests together.
  double p_value = 1;
  bool differ = false;
  /// Clusters that matching finds.
  Composition clusters = {};
  /// How the labels are shared among groups.
  std::optional<Composition> labels = std::nullopt;
  /// Fraction of the groups' rows near rows of another group.
  double overlap = 1;
  /// Features of which one value holds more than a twentieth of the rows.
  std::vector<Index> features_with_atoms = {};
  Advice advice = Advice::kLeave;
  /// The verdict of the test first, then advice and warnings.
  std::vector<std::string> sentences = {};
};

/// The result of a check before the fit, as the model stores it.
struct CheckRecord {
  bool differ = false;
  double p_value = 1;
  /// Whether the group of a row could be predicted, and what 95 % of random assignments stay below.
  double auc = 0.5;
  double auc_by_chance = 0.5;
  /// Fraction of the rows near rows of another group.
  double overlap = 1;
  /// "leave", "align", "gate clusters" or "gate label".
  std::string advice = {};
  /// Rows that were looked at.
  Index rows = 0;
  std::vector<std::string> sentences = {};

  bool operator==(const CheckRecord&) const = default;
};

/// The part of a check that a model stores.
CheckRecord record_of(const CheckReport& report);

/// The test alone, as the automatic fit needs it: rows, repeated rows, features and `differ`.
/// Nothing is predicted if features alone show that the groups differ, or unless two groups have at
/// least three rows; p_value is that of the tests that were made.
CheckReport compare_groups(const GroupSet& groups, const CheckOptions& options = {});

/// The same, with what it means for an alignment. Throws InvalidData when there are not two groups
/// of at least three rows.
CheckReport check(const GroupSet& groups, const CheckOptions& options = {});

}  // namespace conflux
