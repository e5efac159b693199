#include "metrics/feature_transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "conflux/core/error.h"
#include "core/rng.h"
#include "metrics/feature_blocks.h"
#include "metrics/ranks.h"

namespace conflux {
namespace feature_transfer_test {

using testing::HasSubstr;

const Workers kWorkers(2);

// Rows of four classes, which have centers in five hidden coordinates; features are mixtures of
// these with noise. A class is the large one of the first group, another that of the second.
struct Classes {
  Index rows = 300;
  Index features = 12;
  /// Fraction of a group's rows that are of its large class.
  double large = 0.25;
  /// Shift of the second group in every hidden coordinate.
  double shift = 0;
  std::uint64_t seed = 1;
};

GroupSet two_groups(const Classes& wanted) {
  constexpr Index kHidden = 5;
  Stream law(wanted.seed, Purpose::kTest, 1);
  const Matrix mixing = law.normal_matrix(kHidden, wanted.features);
  const Matrix centers = 3 * law.normal_matrix(4, kHidden);
  GroupSet out;
  for (Index m = 0; m < 2; ++m) {
    Stream stream(wanted.seed, Purpose::kTest, 2, static_cast<std::uint64_t>(m));
    Matrix hidden = 0.3 * stream.normal_matrix(wanted.rows, kHidden);
    for (Index i = 0; i < wanted.rows; ++i) {
      const bool large = stream.uniform() < wanted.large;
      hidden.row(i) += centers.row(large ? m : (m + 1 + stream.below(3)) % 4);
    }
    hidden.array() += m == 1 ? wanted.shift : 0;
    Matrix noise = stream.normal_matrix(wanted.rows, wanted.features);
    out.add(m == 0 ? "a" : "b", Matrix(hidden * mixing + noise));
  }
  return out;
}

GroupSet independent(Index rows, Index features, std::uint64_t seed) {
  GroupSet out;
  for (Index m = 0; m < 3; ++m) {
    out.add(std::to_string(m), Stream(seed, Purpose::kTest, 3, static_cast<std::uint64_t>(m))
                                   .normal_matrix(rows, features));
  }
  return out;
}

GroupSet as_they_are(const GroupSet&, const GroupSet& rows, const std::vector<Index>&) {
  return rows;
}

GroupSet by_means(const GroupSet& fitted, const GroupSet& rows, const std::vector<Index>&) {
  GroupSet out;
  for (Index m = 0; m < rows.num_groups(); ++m) {
    const Eigen::RowVectorXd mean = fitted[m].rows.eigen().colwise().mean();
    out.add(rows[m].name, Matrix(rows[m].rows.eigen().rowwise() - mean));
  }
  return out;
}

// Turns the second group round, so that each class comes to lie on the other.
GroupSet classes_swapped(const GroupSet& fitted, const GroupSet& rows,
                         const std::vector<Index>& features) {
  const GroupSet centered = by_means(fitted, rows, features);
  GroupSet out;
  out.add(rows[0].name, centered[0].rows.to_matrix());
  out.add(rows[1].name, Matrix(-centered[1].rows.eigen()));
  return out;
}

FeatureTransfer judged(const GroupSet& groups, const BlockAligner& align,
                       const FeatureTransferOptions& options = {},
                       const Workers& workers = kWorkers) {
  return FeatureTransferJudge(groups, options, workers).judge(align);
}

TEST(FeatureTransfer, SeesThatAShiftWasTakenAway) {
  const GroupSet groups = two_groups({.shift = 6});
  const FeatureTransferJudge judge(groups, {}, kWorkers);
  const PairedTransfer gain = compare(judge.judge(as_they_are), judge.judge(by_means));
  EXPECT_GT(gain.difference, 3 * gain.standard_error);
}

// Means meet after both, and the distributions are equally close: only features that had no part
// can tell that one of them moves each class onto the other.
TEST(FeatureTransfer, SeesThatClassesWereSwapped) {
  const GroupSet groups = two_groups({});
  const FeatureTransferJudge judge(groups, {}, kWorkers);
  const FeatureTransfer swapped = judge.judge(classes_swapped);
  EXPECT_LT(swapped.score, 0);
  const PairedTransfer loss = compare(judge.judge(by_means), swapped);
  EXPECT_LT(loss.difference, -3 * loss.standard_error);
}

// Six tenths of each group are of a class of its own: equal means pull classes off each other.
TEST(FeatureTransfer, SeesThatADifferenceInCompositionWasTakenAway) {
  const GroupSet groups = two_groups({.large = 0.6});
  const FeatureTransferJudge judge(groups, {}, kWorkers);
  const PairedTransfer loss = compare(judge.judge(as_they_are), judge.judge(by_means));
  EXPECT_LT(loss.difference, -2 * loss.standard_error);
}

TEST(FeatureTransfer, IsChanceWhereFeaturesShareNothing) {
  int beyond = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const GroupSet groups = independent(200, 12, seed);
    const FeatureTransfer transfer = judged(groups, as_they_are);
    EXPECT_LT(std::abs(transfer.score), 4 * transfer.standard_error);
    beyond += anything_transfers({transfer});
  }
  EXPECT_LE(beyond, 2);
  EXPECT_TRUE(anything_transfers({judged(two_groups({}), as_they_are)}));
}

// The score of each cell by its definition, without blocks of products or shared ranks.
TEST(FeatureTransfer, IsWhatItsDefinitionSays) {
  const GroupSet groups = two_groups({.rows = 40, .features = 6, .shift = 1});
  FeatureTransferOptions options;
  options.neighbors = 3;
  const FeatureTransferJudge judge(groups, options, kWorkers);
  const FeatureTransfer transfer = judge.judge(as_they_are);
  double sum = 0;
  for (const TransferCell& cell : transfer.cells) {
    const std::vector<Index>& block = judge.blocks()[cell.block];
    ASSERT_TRUE(std::count(block.begin(), block.end(), cell.feature));
    const ConstRows own = groups[cell.group].rows.doubles();
    const ConstRows others = groups[1 - cell.group].rows.doubles();
    std::vector<double> scales(6, 0.0);
    for (Index j = 0; j < 6; ++j) {
      for (const ConstRows& rows : {own, others}) {
        const auto column = rows.eigen().col(j).array();
        scales[j] += (column - column.mean()).square().sum();
      }
    }
    std::vector<double> values(40), other_values(40), predicted(40);
    for (Index i = 0; i < 40; ++i) {
      values[i] = own(i, cell.feature);
      other_values[i] = others(i, cell.feature);
    }
    const std::vector<double> ranks = midranks(other_values);
    for (Index i = 0; i < 40; ++i) {
      std::vector<std::pair<double, Index>> near;
      for (Index k = 0; k < 40; ++k) {
        double square = 0;
        for (Index j = 0; j < 6; ++j) {
          if (std::count(block.begin(), block.end(), j)) continue;
          square += (own(i, j) - others(k, j)) * (own(i, j) - others(k, j)) / scales[j];
        }
        near.emplace_back(square, k);
      }
      std::sort(near.begin(), near.end());
      predicted[i] = ranks[near[0].second] + ranks[near[1].second] + ranks[near[2].second];
    }
    const auto a = midranks(values), b = midranks(predicted);
    double ab = 0, aa = 0, bb = 0;
    for (Index i = 0; i < 40; ++i) {
      ab += (a[i] - 20.5) * (b[i] - 20.5);
      aa += (a[i] - 20.5) * (a[i] - 20.5);
      bb += (b[i] - 20.5) * (b[i] - 20.5);
    }
    EXPECT_NEAR(cell.score, ab / std::sqrt(aa * bb), 1e-12);
    sum += cell.score;
  }
  ASSERT_EQ(transfer.cells.size(), 12u);
  EXPECT_NEAR(transfer.score, sum / 12, 1e-12);
}

// Ranks within groups: what a group does to a left-out feature is not asked.
TEST(FeatureTransfer, DoesNotAskForTheScaleOfLeftOutFeatures) {
  GroupSet plain = two_groups({});
  Matrix bent = plain[1].rows.to_matrix();
  for (Index j = 4; j < 12; ++j) bent.col(j) = bent.col(j).array().exp() + 100;
  GroupSet changed;
  changed.add("a", plain[0].rows);
  changed.add("b", std::move(bent));
  FeatureTransferOptions options;
  for (Index j = 4; j < 12; ++j) options.features.push_back(j);
  const BlockAligner kept_only = [](const GroupSet&, const GroupSet& rows,
                                    const std::vector<Index>& features) {
    EXPECT_EQ(features[3], 3);
    GroupSet out;
    for (Index m = 0; m < 2; ++m) {
      out.add(rows[m].name, Matrix(rows[m].rows.eigen().leftCols(4)));
    }
    return out;
  };
  EXPECT_EQ(judged(plain, kept_only, options).score, judged(changed, kept_only, options).score);
}

TEST(FeatureTransfer, DoesNotDependOnThreads) {
  const GroupSet groups = two_groups({.rows = 500, .features = 40});
  const FeatureTransfer one = judged(groups, by_means, {}, Workers(1));
  const FeatureTransfer four = judged(groups, by_means, {}, Workers(4));
  EXPECT_EQ(one.score, four.score);
  EXPECT_EQ(one.standard_error, four.standard_error);
  EXPECT_EQ(one.row_influences, four.row_influences);
}

// The standard deviation of the difference over tables of one law, whose rows and features are new
// each time, is what the standard error estimates from one of them. Neighbors share rows, which it
// does not know, so it may be short by some tenths, not by half; nor may it be twice too large.
TEST(FeatureTransfer, HasAStandardErrorOfTheRightSize) {
  std::vector<double> differences;
  double mean_error = 0;
  constexpr int kTables = 30;
  for (std::uint64_t seed = 0; seed < kTables; ++seed) {
    const GroupSet groups = two_groups({.rows = 150, .features = 30, .shift = 0.3, .seed = seed});
    const FeatureTransferJudge judge(groups, {}, kWorkers);
    const PairedTransfer gain = compare(judge.judge(as_they_are), judge.judge(by_means));
    differences.push_back(gain.difference);
    mean_error += gain.standard_error / kTables;
  }
  double mean = 0, squares = 0;
  for (const double difference : differences) mean += difference / kTables;
  for (const double difference : differences) squares += (difference - mean) * (difference - mean);
  const double deviation = std::sqrt(squares / (kTables - 1));
  EXPECT_GT(mean_error, 0.5 * deviation);
  EXPECT_LT(mean_error, 2 * deviation);
}

TEST(FeatureTransfer, ComparesPairs) {
  const GroupSet groups = two_groups({.shift = 2});
  const FeatureTransferJudge judge(groups, {}, kWorkers);
  const FeatureTransfer a = judge.judge(as_they_are), b = judge.judge(by_means);
  EXPECT_EQ(compare(a, a).difference, 0);
  EXPECT_EQ(compare(a, a).standard_error, 0);
  EXPECT_EQ(compare(a, b).difference, -compare(b, a).difference);
  EXPECT_EQ(compare(a, b).standard_error, compare(b, a).standard_error);
  EXPECT_THROW(compare(a, judged(two_groups({.rows = 50}), as_they_are)), InvalidData);
}

TEST(FeatureTransfer, JudgesRowsThatWereNotFittedWhereThereAreMany) {
  const GroupSet groups = two_groups({.rows = 400, .features = 6});
  FeatureTransferOptions options;
  options.max_judged_rows = 200;
  options.max_fit_rows = 500;
  judged(
      groups,
      [](const GroupSet& fitted, const GroupSet& rows, const std::vector<Index>& features) {
        EXPECT_EQ(rows.num_samples(), 200);
        EXPECT_EQ(fitted.num_samples(), 500);
        EXPECT_EQ(fitted.dim(), static_cast<Index>(features.size()));
        std::set<double> seen;
        for (Index i = 0; i < 250; ++i) seen.insert(fitted[0].rows(i, 0));
        for (Index i = 0; i < 100; ++i) EXPECT_FALSE(seen.count(rows[0].rows(i, 0)));
        return rows;
      },
      options);
}

TEST(FeatureTransfer, PassesOverMissingCells) {
  const GroupSet whole = two_groups({});
  GroupSet holes;
  Stream stream(3, Purpose::kTest);
  for (Index m = 0; m < 2; ++m) {
    Matrix rows = whole[m].rows.to_matrix();
    for (double& value : rows.reshaped()) {
      if (stream.uniform() < 0.1) value = std::numeric_limits<double>::quiet_NaN();
    }
    holes.add(whole[m].name, std::move(rows));
  }
  EXPECT_NEAR(judged(holes, as_they_are).score, judged(whole, as_they_are).score, 0.1);
}

std::string reason(const GroupSet& groups) {
  const FeatureTransferJudge judge(groups, {}, kWorkers);
  if (!judge.reason().empty()) {
    EXPECT_THROW(judge.judge(as_they_are), InvalidOption);
  }
  return judge.reason();
}

TEST(FeatureTransfer, SaysWhyItCannotJudge) {
  EXPECT_EQ(reason(two_groups({})), "");
  EXPECT_THAT(reason(two_groups({.features = 2})), HasSubstr("only 2 features"));
  EXPECT_THAT(reason(two_groups({.rows = 5})), HasSubstr("only 0 of 2 groups"));
  GroupSet constant;
  for (const char* name : {"a", "b"}) constant.add(name, Matrix(Matrix::Ones(30, 8)));
  EXPECT_THAT(reason(constant), HasSubstr("only 0 features"));
  GroupSet empty;
  for (const char* name : {"a", "b"}) {
    Matrix rows = independent(30, 8, 1)[0].rows.to_matrix();
    rows.topRows(20).setConstant(std::numeric_limits<double>::quiet_NaN());
    empty.add(name, std::move(rows));
  }
  EXPECT_THAT(reason(empty), HasSubstr("missing"));
}

TEST(FeatureTransfer, Refuses) {
  const GroupSet groups = two_groups({});
  EXPECT_THROW(FeatureTransferJudge(groups, {.blocks = 1}, kWorkers), InvalidOption);
  EXPECT_THROW(FeatureTransferJudge(groups, {.neighbors = 0}, kWorkers), InvalidOption);
  EXPECT_THROW(FeatureTransferJudge(groups, {.features = {0, 12}}, kWorkers), InvalidOption);
  EXPECT_THROW(judged(groups, [](const GroupSet&, const GroupSet&,
                                 const std::vector<Index>&) { return independent(30, 3, 1); }),
               InvalidData);
}

Matrix standardized(Matrix features) {
  for (Index j = 0; j < features.rows(); ++j) {
    features.row(j).array() -= features.row(j).mean();
    features.row(j) *= std::sqrt(static_cast<double>(features.cols())) / features.row(j).norm();
  }
  return features;
}

TEST(FeatureBlocks, KeepCopiesTogether) {
  Stream stream(5, Purpose::kTest);
  const Matrix hidden = stream.normal_matrix(10, 200);
  Matrix features(30, 200);
  for (Index j = 0; j < 30; ++j) features.row(j) = hidden.row(j % 10) * (j < 10 ? 1 : -1);
  features += 0.1 * stream.normal_matrix(30, 200);
  const FeatureBlocks found = feature_blocks(standardized(features), 3, 0.8, kWorkers);
  EXPECT_EQ(found.num_clusters, 10);
  ASSERT_EQ(found.blocks.size(), 3u);
  std::vector<Index> times(30, 0);
  for (const std::vector<Index>& block : found.blocks) {
    EXPECT_GE(block.size(), 9u);
    EXPECT_LE(block.size(), 12u);
    for (const Index j : block) {
      ++times[j];
      EXPECT_TRUE(std::binary_search(block.begin(), block.end(), (j + 10) % 30));
      EXPECT_EQ(found.cluster_of[j], found.cluster_of[j % 10]);
    }
  }
  EXPECT_EQ(times, std::vector<Index>(30, 1));
}

// Wavelengths: each is a copy of its neighbors, so that all would be one cluster without a limit.
TEST(FeatureBlocks, CutAChainOfNeighborsIntoStretches) {
  Stream stream(6, Purpose::kTest);
  const Matrix steps = stream.normal_matrix(60, 500);
  Matrix features(60, 500);
  features.row(0) = 4 * steps.row(0);
  for (Index j = 1; j < 60; ++j) features.row(j) = 0.98 * features.row(j - 1) + 0.8 * steps.row(j);
  const FeatureBlocks found = feature_blocks(standardized(features), 3, 0.8, kWorkers);
  ASSERT_EQ(found.blocks.size(), 3u);
  EXPECT_LT(found.num_clusters, 20);
  for (const std::vector<Index>& block : found.blocks)
    EXPECT_NEAR(static_cast<double>(block.size()), 20, 6);
}

}  // namespace feature_transfer_test
}  // namespace conflux
