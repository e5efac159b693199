// Fits of the kind "location-scale", against Bioconductor's sva and against what they promise.

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "conflux/toys/toy.h"
#include "flow/location_scale_layer.h"
#include "tests/support/fit_scene.h"
#include "tests/support/golden.h"

namespace conflux {
namespace location_scale_test {

enum class Like { kMeans, kStandardized, kCombat };

struct Asked {
  Like like = Like::kCombat;
  std::vector<double> weights = {};  // empty: all alike
  double strength = 1;
};

void set_options(FitOptions& options, const Asked& asked) {
  options.scales = asked.like != Like::kMeans;
  options.shrinkage = asked.like == Like::kCombat;
  if (!asked.weights.empty()) options.weights.list = asked.weights;
}

std::shared_ptr<const LocationScaleLayer> fit(const GroupSet& groups, const Asked& asked) {
  FitScene scene(groups);
  set_options(scene.options, asked);
  const Fitted fitted =
      layer_kind("location-scale").start(scene.input())->fit(scene.input(), 0, asked.strength);
  return std::dynamic_pointer_cast<const LocationScaleLayer>(fitted.layers.front());
}

Matrix moved(const Layer& layer, Index group, const SampleRows& rows) {
  Matrix out = rows.to_matrix();
  layer.forward(group, Rows(out), nullptr);
  return out;
}

Vector mean_of(const Matrix& rows) { return rows.colwise().mean(); }
Vector variance_of(const Matrix& rows) {
  const Matrix centered = rows.rowwise() - rows.colwise().mean();
  return centered.array().square().colwise().sum() / static_cast<double>(rows.rows() - 1);
}

/// Batches of a file of tools/make_combat_golden.R.
std::map<std::string, Matrix> read_batches(const std::string& name) {
  std::ifstream file(golden_folder() / "combat" / name);
  std::map<std::string, std::vector<std::vector<double>>> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    std::string batch, cell;
    std::getline(cells, batch, ',');
    std::vector<double>& row = rows[batch].emplace_back();
    while (std::getline(cells, cell, ',')) row.push_back(std::stod(cell));
  }
  std::map<std::string, Matrix> out;
  for (const auto& [batch, all] : rows) {
    Matrix& matrix = out[batch];
    matrix.resize(static_cast<Index>(all.size()), static_cast<Index>(all.front().size()));
    for (Index i = 0; i < matrix.rows(); ++i) {
      for (Index j = 0; j < matrix.cols(); ++j) matrix(i, j) = all[i][j];
    }
  }
  return out;
}

void expect_like_sva(const std::string& file, const std::vector<double>& weights) {
  const std::map<std::string, Matrix> raw = read_batches("raw.csv"), expected = read_batches(file);
  ASSERT_EQ(raw.size(), 3u);
  GroupSet groups;
  for (const auto& [name, rows] : raw) groups.add(name, Matrix(rows));
  const auto layer = fit(groups, {.weights = weights});
  for (Index m = 0; m < 3; ++m) {
    const Matrix& sva = expected.at(groups[m].name);
    const Matrix ours = moved(*layer, m, groups[m].rows);
    EXPECT_LT(((ours - sva).array() / sva.array().abs()).abs().maxCoeff(), 1e-12) << groups[m].name;
  }
}

// The same with two covariates, the last columns of given.csv.
void expect_like_given(const std::string& file, const Asked& asked) {
  const std::map<std::string, Matrix> raw = read_batches("given.csv"),
                                      expected = read_batches(file);
  ASSERT_EQ(raw.size(), 3u);
  GroupSet groups;
  for (const auto& [name, rows] : raw) groups.add(name, Matrix(rows));
  groups.set_covariates(2);
  const auto layer = fit(groups, asked);
  for (Index m = 0; m < 3; ++m) {
    const Matrix& theirs = expected.at(groups[m].name);
    const Matrix ours = moved(*layer, m, groups[m].rows);
    EXPECT_EQ(ours.rightCols(2), groups[m].rows.to_matrix().rightCols(2));
    EXPECT_LT(((ours.leftCols(10) - theirs).array() / theirs.array().abs()).abs().maxCoeff(), 1e-10)
        << groups[m].name;
  }
}

// sva solves normal equations of the covariates as they are, with ages near 40: some digits go.
TEST(LocationScale, IsComBatOfSvaWithAModel) {
  expect_like_given("given_combat.csv", {.weights = {7.0 / 21, 9.0 / 21, 5.0 / 21}});
}
TEST(LocationScale, IsComBatOfSvaWithAModelAndAReference) {
  expect_like_given("given_reference.csv", {.weights = {0, 1, 0}});
}
TEST(LocationScale, IsRemoveBatchEffectOfLimmaWithADesign) {
  expect_like_given("given_limma.csv", {.like = Like::kMeans});
}

// The numbers have 17 digits; sums in another order cost a few of them.
TEST(LocationScale, IsComBatOfSva) {
  expect_like_sva("combat.csv", {7.0 / 21, 9.0 / 21, 5.0 / 21});
}
TEST(LocationScale, IsComBatOfSvaWithAReference) { expect_like_sva("reference.csv", {0, 1, 0}); }

TEST(LocationScale, MakesMeansMeetAtTheWeightedMean) {
  for (const Index count : {2, 3, 10}) {
    const GroupSet groups = make_gaussian_groups(count, 4, 60, 5);
    std::vector<double> weights(static_cast<std::size_t>(count), 0.5 / static_cast<double>(count));
    weights[0] += 0.5;
    Vector center = Vector::Zero(4);
    for (Index m = 0; m < count; ++m) center += weights[m] * mean_of(groups[m].rows.to_matrix());
    const auto layer = fit(groups, {.like = Like::kMeans, .weights = weights});
    for (Index m = 0; m < count; ++m) {
      const Matrix there = moved(*layer, m, groups[m].rows);
      EXPECT_LT((mean_of(there) - center).norm(), 1e-12);
      EXPECT_LT((variance_of(there) - variance_of(groups[m].rows.to_matrix())).norm(), 1e-12);
    }
  }
}

TEST(LocationScale, WithoutShrinkageMakesMeansAndSpreadsMeet) {
  const GroupSet groups = make_gaussian_groups(3, 5, 40, 6);
  const auto layer = fit(groups, {.like = Like::kStandardized});
  const Matrix first = moved(*layer, 0, groups[0].rows);
  for (Index m = 1; m < 3; ++m) {
    const Matrix there = moved(*layer, m, groups[m].rows);
    EXPECT_LT((mean_of(there) - mean_of(first)).norm(), 1e-12);
    EXPECT_LT((variance_of(there) - variance_of(first)).norm(), 1e-12);
  }
}

TEST(LocationScale, LeavesTheTargetWhereItIs) {
  const GroupSet groups = make_gaussian_groups(3, 5, 40, 7);
  for (const Like like : {Like::kMeans, Like::kStandardized, Like::kCombat}) {
    const auto layer = fit(groups, {.like = like, .weights = {0, 0, 1}});
    EXPECT_EQ(moved(*layer, 2, groups[2].rows), groups[2].rows.to_matrix());
    EXPECT_LT(
        (mean_of(moved(*layer, 0, groups[0].rows)) - mean_of(groups[2].rows.to_matrix())).norm(),
        like == Like::kCombat ? 0.5 : 1e-12);
  }
}

TEST(LocationScale, GoesAFractionOfTheWay) {
  const GroupSet groups = make_gaussian_groups(2, 5, 40, 8);
  const auto full = fit(groups, {}), half = fit(groups, {.strength = 0.5});
  for (Index m = 0; m < 2; ++m) {
    const Matrix middle = 0.5 * groups[m].rows.to_matrix() + 0.5 * moved(*full, m, groups[m].rows);
    EXPECT_LT((moved(*half, m, groups[m].rows) - middle).norm(), 1e-12);
  }
}

// A mass of 2 is two equal rows, as far as means and spreads without shrinkage go.
TEST(LocationScale, CountsRowsByTheirMass) {
  Stream stream(9, Purpose::kTest);
  const Matrix rows = stream.normal_matrix(6, 3), others = stream.normal_matrix(9, 3);
  Matrix repeated(7, 3);
  repeated << rows, rows.row(2);
  GroupSet weighted, plain;
  weighted.add("a", Matrix(rows), {1, 1, 2, 1, 1, 1});
  plain.add("a", std::move(repeated));
  weighted.add("b", Matrix(others));
  plain.add("b", Matrix(others));
  const auto a = fit(weighted, {.like = Like::kMeans}), b = fit(plain, {.like = Like::kMeans});
  EXPECT_LT((moved(*a, 0, rows) - moved(*b, 0, rows)).norm(), 1e-14);
}

// No scale is known of a feature that does not vary, and none of a single row.
TEST(LocationScale, OnlyShiftsWhatHasNoSpread) {
  Stream stream(10, Purpose::kTest);
  Matrix a = stream.normal_matrix(20, 4), b = 3 * stream.normal_matrix(20, 4);
  a.col(1).setConstant(0.1);
  a.col(2).setConstant(7);
  b.col(2).setConstant(9);
  GroupSet groups;
  groups.add("a", std::move(a));
  groups.add("b", std::move(b));
  groups.add("one", stream.normal_matrix(1, 4));
  for (const Like like : {Like::kStandardized, Like::kCombat}) {
    const auto layer = fit(groups, {.like = like});
    for (Index m = 0; m < 3; ++m) {
      const LocationScaleLayer::Map& map = layer->maps()[m];
      EXPECT_EQ(map.scale(1), 1);
      EXPECT_EQ(map.scale(2), 1);
      EXPECT_TRUE(moved(*layer, m, groups[m].rows).allFinite());
      EXPECT_LT(std::abs(map.from(2) - mean_of(groups[m].rows.to_matrix())(2)), 1e-14);
    }
    EXPECT_NE(layer->maps()[1].scale(0), 1);
    EXPECT_EQ(layer->maps()[2].scale, Vector::Ones(4));
  }
}

TEST(LocationScale, GivesANewGroupTheBitsOfAnOldOneWithItsRows) {
  const GroupSet groups = make_gaussian_groups(3, 6, 50, 11);
  FitScene scene(groups);
  set_options(scene.options, {});
  const auto layer = fit(groups, {});
  GroupSet again;
  again.add("again", groups[1].rows);
  const LayerPointer wider = layer_kind("location-scale")
                                 .widen(layer, {.group = again,
                                                .chosen = all_rows(again),
                                                .options = scene.options,
                                                .workers = scene.workers});
  EXPECT_EQ(moved(*wider, 3, groups[2].rows), moved(*layer, 1, groups[2].rows));
  EXPECT_EQ(moved(*wider, 0, groups[0].rows), moved(*layer, 0, groups[0].rows));
}

}  // namespace location_scale_test
}  // namespace conflux
