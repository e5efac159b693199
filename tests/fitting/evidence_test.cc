#include "fitting/evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/rng.h"

namespace conflux {
namespace evidence_test {

std::vector<RankedRow> line(Index rows, Index groups, double shift, double scale, Stream& stream) {
  std::vector<RankedRow> out;
  for (Index i = 0; i < rows; ++i) {
    const Index group = i % groups;
    const double x = stream.normal();
    out.push_back({group == 0 ? scale * x + shift : x, 1, group});
  }
  std::sort(out.begin(), out.end(), [](auto& a, auto& b) { return a.value < b.value; });
  return out;
}

// The law that all prices rest on.
TEST(Evidence, OfEqualGroupsIsChiSquared) {
  for (const Index groups : {2, 4}) {
    Stream stream(180, Purpose::kTest, static_cast<std::uint64_t>(groups));
    const double freedom = 3.0 * static_cast<double>(groups - 1);
    const int trials = 2000;
    double sum = 0, squares = 0;
    for (int t = 0; t < trials; ++t) {
      const Evidence found = find_evidence(line(400, groups, 0, 1, stream), groups);
      sum += found.chi_squared;
      squares += found.chi_squared * found.chi_squared;
    }
    const double mean = sum / trials, variance = squares / trials - mean * mean;
    // Four standard errors of a mean of 2000.
    EXPECT_NEAR(mean, freedom, 4 * std::sqrt(2 * freedom / trials));
    EXPECT_NEAR(variance, 2 * freedom, 0.2 * 2 * freedom);
  }
}

TEST(Evidence, SeesShiftsAndScales) {
  Stream stream(181, Purpose::kTest);
  EXPECT_GT(find_evidence(line(400, 2, 0.7, 1, stream), 2).worth, 10);
  EXPECT_GT(find_evidence(line(400, 2, 0, 2, stream), 2).worth, 10);
  EXPECT_GT(find_evidence(line(400, 2, 0.7, 1, stream), 2).share, 0.5);
}

// Few rows that only lie elsewhere are not asked how they are bent, which costs as much again.
TEST(Evidence, AsksAsManyFunctionsAsTellMost) {
  Stream stream(184, Purpose::kTest);
  int one = 0;
  for (int t = 0; t < 200; ++t) {
    const Evidence shifted = find_evidence(line(80, 2, 0.8, 1, stream), 2);
    one += shifted.functions == 1 ? 1 : 0;
    EXPECT_LE(shifted.share, 1);
    const Evidence scaled = find_evidence(line(400, 2, 0, 2, stream), 2);
    EXPECT_GE(scaled.functions, 2);
  }
  EXPECT_GT(one, 100);
}

TEST(Evidence, DoesNotChangeWithIncreasingMaps) {
  Stream stream(182, Purpose::kTest);
  std::vector<RankedRow> rows = line(300, 3, 0.5, 1.5, stream);
  const double before = find_evidence(rows, 3).chi_squared;
  for (RankedRow& row : rows) row.value = std::exp(3 * row.value);
  EXPECT_EQ(find_evidence(rows, 3).chi_squared, before);
}

// Equal values share a rank, so their order cannot tell groups apart.
TEST(Evidence, OfTiesDoesNotDependOnTheirOrder) {
  std::vector<RankedRow> rows;
  for (int i = 0; i < 100; ++i) rows.push_back({i < 60 ? 0.0 : 1.0, 1, i % 2});
  const double before = find_evidence(rows, 2).chi_squared;
  std::stable_sort(rows.begin(), rows.begin() + 60,
                   [](auto& a, auto& b) { return a.group < b.group; });
  EXPECT_NEAR(find_evidence(rows, 2).chi_squared, before, 1e-12);
  EXPECT_LT(before, 1e-12);
}

TEST(Evidence, OfOneGroupWithManyRowsIsNone) {
  std::vector<RankedRow> rows;
  for (int i = 0; i < 100; ++i) rows.push_back({static_cast<double>(i), 1, i < 10 ? 1 : 0});
  EXPECT_EQ(find_evidence(rows, 2).worth, 0);
  EXPECT_EQ(find_evidence({}, 2).share, 0);
}

// Feature 0 of group 0 goes up where feature 1 is positive and down where it is not; if `twice`,
// where features 1 and 2 have the same sign: no single cut shows that.
EvidenceRows interaction(Index rows, bool twice, Stream& stream) {
  EvidenceRows out{stream.normal_matrix(rows, 4), {}, {}};
  for (Index i = 0; i < rows; ++i) {
    out.group.push_back(i % 2);
    out.mass.push_back(1);
    if (i % 2 == 1) continue;
    const bool up = (out.rows(i, 1) > 0) != (twice && out.rows(i, 2) > 0);
    out.rows(i, 0) += up ? 1.5 : -1.5;
  }
  return out;
}

TEST(ConditionalTree, CutsWhereTheDifferenceChanges) {
  Stream stream(183, Purpose::kTest);
  const EvidenceRows rows = interaction(2000, false, stream);
  const Workers workers(2);
  const BinnedRows binned(rows, {0, 1, 2, 3}, workers);
  const ConditionalTree tree = grow_conditional_tree(binned, 0, {0, 1, 2, 3}, 2, 10);
  ASSERT_FALSE(tree.nodes.empty());
  EXPECT_EQ(tree.nodes[0].feature, 1);
  EXPECT_NEAR(tree.nodes[0].threshold, 0, 0.2);
  EXPECT_GT(tree.worth, 100);
}

// Growing beyond the price of a cut, then pruning, is what makes this possible.
TEST(ConditionalTree, FindsAnInteractionOfTwoFeatures) {
  Stream stream(184, Purpose::kTest);
  const EvidenceRows rows = interaction(4000, true, stream);
  const Workers workers(2);
  const BinnedRows binned(rows, {0, 1, 2, 3}, workers);
  const ConditionalTree tree = grow_conditional_tree(binned, 0, {1, 2}, 2, 10);
  EXPECT_GT(tree.worth, 100);
  EXPECT_GE(tree.nodes.size(), 3u);
}

TEST(ConditionalTree, OfEqualGroupsIsHardlyEverWorthAnything) {
  const Workers workers(2);
  int found = 0;
  for (std::uint64_t t = 0; t < 40; ++t) {
    Stream stream(185, Purpose::kTest, t);
    EvidenceRows rows{stream.normal_matrix(600, 5), {}, {}};
    for (Index i = 0; i < 600; ++i) {
      rows.group.push_back(i % 2);
      rows.mass.push_back(1);
    }
    const BinnedRows binned(rows, {1, 2, 3, 4}, workers);
    if (!grow_conditional_tree(binned, 0, {1, 2, 3, 4}, 2, 10).nodes.empty()) ++found;
  }
  EXPECT_LE(found, 12);
}

TEST(ConditionalTree, NeverCutsTheFeatureThatMoves) {
  Stream stream(186, Purpose::kTest);
  const EvidenceRows rows = interaction(1000, false, stream);
  const Workers workers(1);
  const BinnedRows binned(rows, {0, 1, 2, 3}, workers);
  for (Index moved = 0; moved < 4; ++moved) {
    for (const auto& node : grow_conditional_tree(binned, moved, {0, 1, 2, 3}, 2, 10).nodes) {
      EXPECT_NE(node.feature, moved);
    }
  }
}

}  // namespace evidence_test
}  // namespace conflux
