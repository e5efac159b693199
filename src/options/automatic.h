// Values of options that are left unset, measured on images, cells and weather
// (docs/results/auto.md).

#pragma once

#include <algorithm>

#include "conflux/core/index.h"

namespace conflux::automatic {

// Many weak layers generalize best: strong ones fit noise that later ones cannot take back. More
// features and more groups need more of them; more groups also allow stronger ones, because the
// barycenter of many is less noisy than that of two.
inline constexpr Index kFewestLayers = 100;
inline constexpr Index kMostLayers = 200;
inline constexpr Index kFeaturesPerLayer = 4;
inline constexpr Index kLayersOfMany = 2;  // times as many for many large groups
inline constexpr Index kDirections = 10;
inline constexpr Index kDirectionsOfMany = 16;
inline constexpr Index kFeaturesPerGatedDirection = 4;
// A cluster has few rows, so layers within clusters fit noise sooner: new rows mix best when each
// feature has been part of about ten directions.
inline constexpr Index kTurnsOfGatedFeature = 10;
inline constexpr Index kFewestGatedLayers = 40;
// Small groups are noisy however many there are.
inline constexpr Index kLargeGroup = 2000;
inline constexpr double kStrengthOfTwo = 0.2;
inline constexpr double kLargestStrength = 0.3;
inline constexpr double kStrengthOfGated = 0.4;
// Conditional layers come back to a feature only where it still differs.
inline constexpr double kStrengthOfConditional = 0.4;
// Share of a group's rows that one conditional layer looks for differences in. With all of them,
// the same rows would say the same of a difference that maps cannot remove.
inline constexpr double kEvidenceShare = 0.6;
// Strength of the baseline methods.
inline constexpr double kStrengthOfOthers = 0.5;
// Rows of all groups together that a search should see, and what each group contributes.
inline constexpr Index kSearchRowsInAll = 5000;
inline constexpr Index kFewestSearchRows = 1000;
inline constexpr Index kMostSearchRows = 2500;
// Rows of a group beyond which maps of new rows do not become better (docs/results/scale.md).
inline constexpr Index kPoolRows = 25'000;
// Rows of each label in each group that a pool holds at least, if there are so many and labels are
// few: more than a kind needs to get maps of its own.
inline constexpr Index kPoolRowsOfLabel = 200;
// The square root of the rows balances the noise of a quantile and the detail of a map.
inline constexpr Index kFewestKnots = 8;
inline constexpr Index kMostKnots = 100;
// Smaller groups keep no validation rows: few rows score badly and are missed in the fit.
inline constexpr Index kSmallestJudged = 500;
inline constexpr double kValidationFraction = 0.1;
// Tables are judged by predicting as well, which needs more rows than a divergence.
inline constexpr double kValidationFractionOfTables = 0.2;
// Rows per group beyond which a prediction becomes slower, not surer.
inline constexpr Index kMostJudgedOfTables = 5000;
// Rows of a group to which those that were held out add too little to be fitted once more.
inline constexpr Index kLargeWithoutHeldOut = 10'000;
// A tree cuts one feature at a time: of hundreds of similar coordinates (pixels, genes) each has
// little information, and sorting all of them takes long.
inline constexpr Index kMostTreeFeatures = 100;
inline constexpr Index kTreeLayers = 500;
// Limits for small groups, whose layers are fitted several times. Conditional layers are tried
// without sliced ones only if so many of them can move all features.
inline constexpr Index kConditionalLayersOfFew = 100;
inline constexpr Index kMostFeaturesOfFew = 16;
// Sliced layers of groups so small that no rows can be held out.
inline constexpr Index kLayersOfFewest = 10;
// A leaf with fewer rows shows noise.
inline constexpr Index kSmallestLeaf = 20;
// Kinds with fewer rows have too little to fit maps on; larger ones join types that are rare.
inline constexpr Index kRowsPerCluster = 150;
inline constexpr Index kFewestClusters = 2;
inline constexpr Index kMostClusters = 8;
/// Number of clusters for a number of rows with `islands` separate parts. k-means with as many
/// centers as parts often splits one part and joins two others, so a quarter more is allowed.
inline constexpr Index clusters_for(Index rows, Index islands = 1) {
  const Index most = std::max(kMostClusters, islands + (islands + 3) / 4);
  return std::clamp(rows / kRowsPerCluster, kFewestClusters, most);
}
// So small that empty bins only keep maps invertible.
inline constexpr double kPseudoCount = 1e-6;
// As published for density destructors. kDdRandom...: for the stack of random axes, not of
// principal ones.
inline constexpr Index kDdLayers = 11;
inline constexpr Index kDdRandomLayers = 16;
inline constexpr Index kDdBins = 40;
inline constexpr double kDdPseudoCount = 100;
inline constexpr double kDdRandomPseudoCount = 1;

}  // namespace conflux::automatic
