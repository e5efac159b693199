#include "fitting/decision_tree.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/rng.h"

namespace conflux {
namespace decision_tree_test {

LabeledRows labeled(Matrix rows, std::vector<Index> group) {
  std::vector<double> mass(group.size(), 1.0);
  return {std::move(rows), std::move(group), std::move(mass)};
}

LabeledRows random_rows(Index rows, Index dim, std::uint64_t seed) {
  Stream stream(seed, Purpose::kTest);
  Matrix x = stream.normal_matrix(rows, dim);
  std::vector<Index> group;
  for (Index i = 0; i < rows; ++i) {
    group.push_back(i % 2);
    if (i % 2 == 1) x(i, dim - 1) += 1;
  }
  return labeled(std::move(x), std::move(group));
}

// Twice the mass times the Gini impurity of the parts, from the definition.
double impurity(const LabeledRows& data, const std::vector<TreeCut>& cuts, Index leaves) {
  std::vector<std::vector<double>> masses(static_cast<std::size_t>(2 * leaves),
                                          std::vector<double>(2, 0.0));
  for (Index i = 0; i < data.rows.rows(); ++i) {
    Index at = 0, leaf = 0;
    while (at != -1 && !cuts.empty()) {
      const bool below = data.rows(i, cuts[at].feature) < cuts[at].threshold;
      leaf = 2 * at + (below ? 0 : 1);
      at = below ? cuts[at].below : cuts[at].above;
    }
    masses[leaf][data.group[i]] += data.mass[i];
  }
  double sum = 0;
  for (const auto& each : masses) {
    const double total = each[0] + each[1];
    if (total > 0) sum += 2 * each[0] * each[1] / total;
  }
  return sum;
}

// All cuts of all features, tried one by one.
TEST(DecisionTree, FirstCutIsTheBestOfAll) {
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const LabeledRows data = random_rows(60, 3, seed);
    const std::vector<TreeCut> tree = grow_tree(data, 2, 2, 1, Workers(1));
    ASSERT_EQ(tree.size(), 1u);
    double best = impurity(data, {}, 2);
    for (Index j = 0; j < 3; ++j) {
      for (Index i = 0; i < 60; ++i) {
        best = std::min(best, impurity(data, {{j, data.rows(i, j)}}, 2));
      }
    }
    EXPECT_NEAR(impurity(data, tree, 2), best, 1e-12);
  }
}

TEST(DecisionTree, EveryCutLowersTheImpurity) {
  const LabeledRows data = random_rows(300, 4, 7);
  double last = impurity(data, {}, 10);
  for (Index leaves = 2; leaves <= 10; ++leaves) {
    const std::vector<TreeCut> tree = grow_tree(data, 2, leaves, 1, Workers(2));
    ASSERT_EQ(static_cast<Index>(tree.size()), leaves - 1);
    const double now = impurity(data, tree, leaves);
    EXPECT_LT(now, last);
    last = now;
  }
}

TEST(DecisionTree, StopsWhenGroupsAreToldApart) {
  Matrix x(4, 1);
  x << 0, 1, 2, 3;
  const std::vector<TreeCut> tree = grow_tree(labeled(x, {0, 0, 1, 1}), 2, 10, 1, Workers(1));
  ASSERT_EQ(tree.size(), 1u);
  EXPECT_EQ(tree[0].threshold, 1.5);
  EXPECT_EQ(tree[0].below, -1);
  EXPECT_EQ(tree[0].above, -1);
}

TEST(DecisionTree, HasNoCutsWhereGroupsAreEqual) {
  Matrix x = Stream(8, Purpose::kTest).normal_matrix(40, 3);
  x.bottomRows(20) = x.topRows(20);
  std::vector<Index> group(40, 0);
  std::fill(group.begin() + 20, group.end(), 1);
  EXPECT_TRUE(grow_tree(labeled(x, group), 2, 10, 1, Workers(1)).empty());
  EXPECT_TRUE(grow_tree(labeled(Matrix::Ones(40, 3), group), 2, 10, 1, Workers(1)).empty());
}

TEST(DecisionTree, CountsRowsByTheirMass) {
  LabeledRows heavy = random_rows(50, 2, 9);
  LabeledRows repeated = heavy;
  heavy.mass[3] = 2;
  repeated.rows.conservativeResize(51, 2);
  repeated.rows.row(50) = heavy.rows.row(3);
  repeated.group.push_back(heavy.group[3]);
  repeated.mass.push_back(1);
  const auto a = grow_tree(heavy, 2, 6, 1, Workers(1)),
             b = grow_tree(repeated, 2, 6, 1, Workers(1));
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t v = 0; v < a.size(); ++v) {
    EXPECT_EQ(a[v].feature, b[v].feature);
    EXPECT_EQ(a[v].threshold, b[v].threshold);
  }
}

// Between two neighboring doubles there is no middle.
TEST(DecisionTree, CutsBetweenNeighboringNumbers) {
  Matrix x(2, 1);
  x << 1, std::nextafter(1.0, 2.0);
  const std::vector<TreeCut> tree = grow_tree(labeled(x, {0, 1}), 2, 2, 1, Workers(1));
  ASSERT_EQ(tree.size(), 1u);
  EXPECT_GT(tree[0].threshold, x(0, 0));
  EXPECT_LE(tree[0].threshold, x(1, 0));
}

}  // namespace decision_tree_test
}  // namespace conflux
