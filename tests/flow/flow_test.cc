#include "conflux/flow/flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "conflux/core/error.h"
#include "flow/unit_cube_layer.h"
#include "tests/support/layer_laws.h"
#include "tests/support/random_layers.h"

namespace conflux {
namespace flow_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

const Workers kOneThread(1);

template <class T>
std::shared_ptr<const Layer> shared(T layer) {
  return std::make_shared<const T>(std::move(layer));
}

/// A coordinate, an affine and two sliced layers. Their maps have no gaps: the slopes of four
/// layers with gaps would multiply to 1e12, and no double could return from there.
Flow random_flow(Index groups, Index dim, Index directions, std::uint64_t name) {
  Stream stream(42, Purpose::kTest, name);
  std::vector<std::string> names;
  for (Index m = 0; m < groups; ++m) names.push_back("group " + std::to_string(m));
  const Bumps bumps = Bumps::kOneWideBump;
  Flow flow(names, dim);
  flow.append(shared(random_coordinate_layer(MapKind::kQuantile, bumps, groups, dim, stream)));
  flow.append(shared(random_affine_layer(groups, dim, stream)));
  for (const MapKind kind : {MapKind::kHistogram, MapKind::kQuantile}) {
    flow.append(shared(random_sliced_layer(kind, bumps, groups, dim, directions, stream)));
  }
  return flow;
}

/// A flow as one layer, so that the laws of layers can be asked of it.
class FlowAsLayer final : public Layer {
 public:
  explicit FlowAsLayer(const Flow& flow) : flow_(flow) {}

  std::string_view kind() const override { return "flow"; }
  Index dim() const override { return flow_.dim(); }
  Index num_groups() const override { return flow_.num_groups(); }
  void forward(Index group, Rows rows, double* log_det) const override {
    add(rows, log_det,
        [&](double* mine) { flow_.forward_in_place(group, rows, mine, kOneThread); });
  }
  void inverse(Index group, Rows rows, double* log_det) const override {
    add(rows, log_det,
        [&](double* mine) { flow_.inverse_in_place(group, rows, mine, kOneThread); });
  }

 private:
  // A flow sets log-dets, a layer adds to them.
  template <class Move>
  static void add(Rows rows, double* log_det, Move move) {
    std::vector<double> mine(static_cast<std::size_t>(rows.rows()), 99.0);
    move(log_det == nullptr ? nullptr : mine.data());
    for (std::size_t i = 0; log_det != nullptr && i < mine.size(); ++i) log_det[i] += mine[i];
  }

  const Flow& flow_;
};

// Splits every move in halves: what a part of a flow promises.
TEST(FlowAmount, IsExactAtItsEndsAndInvertibleBetweenThem) {
  Flow flow = random_flow(3, 4, 3, 1);
  Stream stream(7, Purpose::kTest);
  const Matrix rows = stream.normal_matrix(50, 4);
  const Matrix all_the_way = flow.forward(1, rows, kOneThread);
  for (const double amount : {0.25, 0.5, 0.9}) {
    flow.set_amount(amount);
    check_layer_laws(FlowAsLayer(flow), 3, Stream(43, Purpose::kTest));
  }
  flow.set_amount(0);
  EXPECT_EQ(flow.forward(1, rows, kOneThread), rows);
  EXPECT_EQ(flow.inverse(1, rows, kOneThread), rows);
  EXPECT_EQ(flow.translate(0, 2, rows, kOneThread), rows);
  flow.set_amount(1);
  EXPECT_EQ(flow.forward(1, rows, kOneThread), all_the_way);
  EXPECT_EQ(flow.moving_layers(), flow.layers());
}

// Layers of increasing maps and of affine maps move every row by the amount, exactly.
TEST(FlowAmount, MovesRowsOfASingleLayerByThatFractionOfTheirWay) {
  Stream stream(8, Purpose::kTest);
  const Matrix rows = 2 * stream.normal_matrix(100, 4);
  const std::vector<std::shared_ptr<const Layer>> layers = {
      shared(random_coordinate_layer(MapKind::kQuantile, Bumps::kTwoNarrowBumps, 2, 4, stream)),
      shared(random_sliced_layer(MapKind::kHistogram, Bumps::kOneWideBump, 2, 4, 3, stream)),
      shared(random_gated_layer(Bumps::kOneWideBump, 2, 4, 2, 2, 3, false, stream)),
      shared(random_location_scale_layer(2, 4, stream)), shared(random_affine_layer(2, 4, stream))};
  for (const auto& layer : layers) {
    Flow flow({"a", "b"}, 4);
    flow.append(layer);
    const Matrix all_the_way = flow.forward(1, rows, kOneThread);
    flow.set_amount(0.3);
    const Matrix expected = 0.7 * rows + 0.3 * all_the_way;
    EXPECT_LT((flow.forward(1, rows, kOneThread) - expected).cwiseAbs().maxCoeff(), 1e-12)
        << layer->kind();
  }
}

TEST(FlowAmount, IsBetweenZeroAndOne) {
  Flow flow = random_flow(2, 3, 2, 1);
  for (const double amount : {-0.1, 1.1, std::nan("")}) {
    EXPECT_THROW(flow.set_amount(amount), InvalidOption) << amount;
  }
  EXPECT_EQ(flow.amount(), 1);
}

TEST(Flow, ObeysTheLawsOfLayers) {
  for (const Index dim : {1, 4, 20}) {
    const Flow flow = random_flow(3, dim, std::min<Index>(dim, 3), 1);
    check_layer_laws(FlowAsLayer(flow), 3, Stream(43, Purpose::kTest));
  }
}

TEST(Flow, AppliesItsLayersInTheirOrder) {
  const Flow flow = random_flow(2, 5, 2, 2);
  const Matrix x = Stream(44, Purpose::kTest).normal_matrix(9, 5);
  Matrix expected = x;
  std::vector<double> expected_log_det(9, 0.0);
  for (Index l = 0; l < flow.num_layers(); ++l) {
    flow.layer(l).forward(1, Rows(expected), expected_log_det.data());
  }
  Matrix y = x;
  std::vector<double> log_det(9, 123.0);
  flow.forward_in_place(1, Rows(y), log_det.data(), kOneThread);
  EXPECT_EQ(y, expected);
  EXPECT_EQ(log_det, expected_log_det);
  EXPECT_EQ(flow.forward(1, x, kOneThread), expected);

  for (Index l = flow.num_layers() - 1; l >= 0; --l) {
    flow.layer(l).inverse(0, Rows(expected), nullptr);
  }
  EXPECT_EQ(flow.inverse(0, y, kOneThread), expected);
}

TEST(Flow, TranslatesByForwardThenInverse) {
  const Flow flow = random_flow(3, 5, 2, 3);
  const Matrix x = Stream(45, Purpose::kTest).normal_matrix(30, 5);
  Matrix latent = x;
  std::vector<double> there(30), back(30), whole(30);
  flow.forward_in_place(0, Rows(latent), there.data(), kOneThread);
  Matrix expected = latent;
  flow.inverse_in_place(2, Rows(expected), back.data(), kOneThread);
  Matrix y = x;
  flow.translate_in_place(0, 2, Rows(y), whole.data(), kOneThread);
  EXPECT_EQ(y, expected);
  EXPECT_EQ(flow.translate(0, 2, x, kOneThread), expected);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_NEAR(whole[i], there[i] + back[i], 1e-12);
}

TEST(Flow, TranslationIntoItselfIsTheIdentity) {
  const Flow flow = random_flow(3, 5, 2, 4);
  Stream stream(46, Purpose::kTest);
  const Matrix x = layer_laws::points_inside_and_far_outside({}, 5, stream);
  for (Index group = 0; group < 3; ++group) {
    Matrix y = x;
    std::vector<double> log_det(static_cast<std::size_t>(x.rows()));
    flow.translate_in_place(group, group, Rows(y), log_det.data(), kOneThread);
    for (Index i = 0; i < x.rows(); ++i) {
      EXPECT_LT((y.row(i) - x.row(i)).norm(), 1e-9 * (1 + x.row(i).norm()));
      EXPECT_NEAR(log_det[i], 0, 1e-9);
    }
  }
}

// Near 1 the cube has no digits left for a tail: a latent value of 6 deviations keeps ten of its
// digits there, one of 8 keeps one. A translation need not go through the cube at all.
TEST(Flow, TranslationSkipsTrailingLayersThatAllGroupsShare) {
  Stream stream(47, Purpose::kTest);
  const auto middle =
      shared(random_sliced_layer(MapKind::kQuantile, Bumps::kTwoNarrowBumps, 2, 3, 2, stream));
  const auto cube = shared(UnitCubeLayer(3, 1e-15, UnitCubeLayer::CubeStep::kToCube));
  Flow inner({"a", "b"}, 3), whole({"a", "b"}, 3), twice({"a", "b"}, 3);
  for (Flow* flow : {&inner, &whole, &twice}) flow->append(middle);
  whole.append(cube);
  twice.append(cube);
  twice.append(shared(UnitCubeLayer(3, 1e-3, UnitCubeLayer::CubeStep::kToCube)));
  Matrix x = stream.normal_matrix(20, 3);
  x(0, 1) = 7.5;
  x(1, 2) = 40;
  const Matrix expected = inner.translate(0, 1, x, kOneThread);
  EXPECT_EQ(whole.translate(0, 1, x, kOneThread), expected);
  EXPECT_EQ(twice.translate(0, 1, x, kOneThread), expected);
  // Forward and inverse one after the other do lose them.
  const Matrix lossy = whole.inverse(1, whole.forward(0, x, kOneThread), kOneThread);
  EXPECT_GT((lossy - expected).cwiseAbs().maxCoeff(), 1e-6);
  // Log-dets of what is skipped cancel.
  std::vector<double> log_det(20), inner_log_det(20);
  Matrix y = x, z = x;
  whole.translate_in_place(0, 1, Rows(y), log_det.data(), kOneThread);
  inner.translate_in_place(0, 1, Rows(z), inner_log_det.data(), kOneThread);
  EXPECT_EQ(log_det, inner_log_det);
}

// Only from the end: a shared layer between two others still matters.
TEST(Flow, TranslationKeepsSharedLayersInFrontOfOthers) {
  Stream stream(48, Purpose::kTest);
  Flow flow({"a", "b"}, 3);
  flow.append(shared(UnitCubeLayer(3, 1e-6, UnitCubeLayer::CubeStep::kToNormal)));
  flow.append(
      shared(random_sliced_layer(MapKind::kQuantile, Bumps::kTwoNarrowBumps, 2, 3, 2, stream)));
  flow.append(shared(UnitCubeLayer(3, 1e-6, UnitCubeLayer::CubeStep::kToCube)));
  const Matrix x = layer_laws::points_in({.low = 0, .high = 1}, 20, 3, stream);
  Matrix expected = x;
  flow.layer(0).forward(0, Rows(expected), nullptr);
  flow.layer(1).forward(0, Rows(expected), nullptr);
  flow.layer(1).inverse(1, Rows(expected), nullptr);
  flow.layer(0).inverse(1, Rows(expected), nullptr);
  EXPECT_EQ(flow.translate(0, 1, x, kOneThread), expected);
  EXPECT_EQ(flow.translate(1, 1, x, kOneThread).rows(), 20);
}

TEST(Flow, WithSharedLayersOnlyTranslatesByTheIdentity) {
  Flow flow({"a", "b"}, 2);
  flow.append(shared(UnitCubeLayer(2, 1e-6, UnitCubeLayer::CubeStep::kToNormal)));
  const Matrix x = Stream(49, Purpose::kTest).normal_matrix(20, 2);
  EXPECT_EQ(flow.translate(0, 1, x, kOneThread), x);
}

TEST(Flow, WithoutLayersIsTheIdentity) {
  const Flow flow({"a", "b"}, 2);
  Matrix x = Stream(50, Purpose::kTest).normal_matrix(20, 2);
  const Matrix before = x;
  std::vector<double> log_det(20, 5.0);
  flow.forward_in_place(1, Rows(x), log_det.data(), kOneThread);
  EXPECT_EQ(x, before);
  EXPECT_EQ(log_det, std::vector<double>(20, 0.0));
}

// Blocks hold at least 16 rows and at most 1024; 16 at d = 5000 columns, 1024 at few.
TEST(Flow, BlocksAndThreadsDoNotChangeBits) {
  struct Table {
    Index dim;
    std::vector<Index> counts;
  };
  for (const Table& table : {Table{3, {1, 15, 16, 17, 18, 1023, 1024, 1025, 5000}},
                             Table{5000, {1, 15, 16, 17, 18, 33}}}) {
    Stream stream(51, Purpose::kTest);
    Flow flow({"a", "b"}, table.dim);
    flow.append(shared(
        random_sliced_layer(MapKind::kQuantile, Bumps::kTwoNarrowBumps, 2, table.dim, 3, stream)));
    flow.append(shared(
        random_sliced_layer(MapKind::kHistogram, Bumps::kTwoNarrowBumps, 2, table.dim, 2, stream)));
    const Matrix x = stream.normal_matrix(table.counts.back(), table.dim);
    Matrix all = x;
    std::vector<double> all_log_det(static_cast<std::size_t>(x.rows()));
    flow.translate_in_place(0, 1, Rows(all), all_log_det.data(), kOneThread);
    for (const int threads : {1, 2, 3}) {
      const Workers workers(threads);
      for (const Index count : table.counts) {
        Matrix some = x.bottomRows(count);
        std::vector<double> log_det(static_cast<std::size_t>(count));
        flow.translate_in_place(0, 1, Rows(some), log_det.data(), workers);
        ASSERT_EQ(some, Matrix(all.bottomRows(count))) << count << " rows, " << threads;
        ASSERT_TRUE(std::equal(log_det.begin(), log_det.end(), all_log_det.end() - count));
      }
    }
  }
}

TEST(Flow, MovesRowsThroughOneLayerInBlocksToo) {
  Stream stream(52, Purpose::kTest);
  const SlicedLayer layer =
      random_sliced_layer(MapKind::kQuantile, Bumps::kTwoNarrowBumps, 2, 3, 2, stream);
  Matrix x = stream.normal_matrix(3000, 3);
  Matrix expected = x;
  layer.forward(1, Rows(expected), nullptr);
  forward_in_place(layer, 1, Rows(x), Workers(3));
  EXPECT_EQ(x, expected);
}

TEST(Flow, MovesRowsWithGapsBetweenThem) {
  const Flow flow = random_flow(2, 4, 2, 5);
  Matrix wide = Stream(53, Purpose::kTest).normal_matrix(2000, 9);
  const Matrix before = wide;
  const Rows view(wide.data() + 3, 2000, 4, 9);
  flow.forward_in_place(0, view, nullptr, Workers(2));
  const Matrix compact = before.middleCols(3, 4);
  EXPECT_EQ(Matrix(view.eigen()), flow.forward(0, compact, kOneThread));
  EXPECT_EQ(wide.leftCols(3), before.leftCols(3));
  EXPECT_EQ(wide.rightCols(2), before.rightCols(2));
  EXPECT_EQ(flow.forward(0, ConstRows(before.data() + 3, 2000, 4, 9), kOneThread),
            Matrix(view.eigen()));
}

TEST(Flow, NoRowsAreFine) {
  const Flow flow = random_flow(2, 4, 2, 6);
  const Matrix none(0, 4);
  for (const int threads : {1, 3}) {
    const Workers workers(threads);
    EXPECT_EQ(flow.forward(0, none, workers).rows(), 0);
    EXPECT_EQ(flow.inverse(0, none, workers).cols(), 4);
    EXPECT_EQ(flow.translate(0, 1, none, workers).rows(), 0);
  }
}

TEST(Flow, RefusesRowsOfAnotherWidth) {
  const Flow flow = random_flow(2, 4, 2, 7);
  Matrix narrow = Matrix::Zero(5, 3);
  const auto says_both =
      ThrowsMessage<InvalidData>(AllOf(HasSubstr("3 columns"), HasSubstr("fitted on 4")));
  EXPECT_THAT([&] { flow.forward(0, narrow, kOneThread); }, says_both);
  EXPECT_THAT([&] { flow.inverse(0, narrow, kOneThread); }, says_both);
  EXPECT_THAT([&] { flow.translate(0, 1, narrow, kOneThread); }, says_both);
  // Also when there are none: the caller has the wrong table.
  EXPECT_THROW(flow.forward(0, Matrix(0, 3), kOneThread), InvalidData);
}

TEST(Flow, RefusesGroupsThatItDoesNotHave) {
  const Flow flow = random_flow(2, 4, 2, 8);
  const Matrix x = Matrix::Zero(5, 4);
  const auto says_range =
      ThrowsMessage<InvalidOption>(AllOf(HasSubstr("no group 2"), HasSubstr("0 to 1")));
  EXPECT_THAT([&] { flow.forward(2, x, kOneThread); }, says_range);
  EXPECT_THAT([&] { flow.translate(2, 0, x, kOneThread); }, says_range);
  EXPECT_THAT([&] { flow.translate(0, 2, x, kOneThread); }, says_range);
  EXPECT_THROW(flow.inverse(-1, x, kOneThread), InvalidOption);
  EXPECT_THAT([&] { flow.group_index("group 7"); },
              ThrowsMessage<InvalidOption>(HasSubstr("\"group 0\", \"group 1\"")));
  EXPECT_EQ(flow.group_index("group 1"), 1);
  EXPECT_THAT([] { Flow().forward(0, Matrix(1, 0), kOneThread); },
              ThrowsMessage<InvalidOption>(HasSubstr("no groups")));
}

// A layer of another width would read beyond the rows.
TEST(Flow, RefusesLayersOfAnotherWidth) {
  Stream stream(54, Purpose::kTest);
  Flow flow({"a", "b"}, 4);
  const auto narrow =
      shared(random_coordinate_layer(MapKind::kQuantile, Bumps::kTwoNarrowBumps, 2, 3, stream));
  EXPECT_THAT([&] { flow.append(narrow); },
              ThrowsMessage<InvalidData>(AllOf(HasSubstr("3 columns"), HasSubstr("4"))));
}

// A layer with too few maps would be read beyond its end.
TEST(Flow, RefusesLayersOfAnotherNumberOfGroups) {
  Stream stream(42, Purpose::kTest, 9);
  Flow flow({"a", "b", "c"}, 2);
  for (const Index groups : {1, 2, 4}) {
    EXPECT_THAT([&] { flow.append(shared(random_affine_layer(groups, 2, stream))); },
                ThrowsMessage<InvalidData>(HasSubstr("cannot follow in a flow of 3")));
  }
  flow.append(shared(random_affine_layer(3, 2, stream)));
}

TEST(Flow, WithoutColumnsIsFine) {
  const Flow flow({"a"}, 0);
  EXPECT_EQ(flow.forward(0, Matrix(5, 0), kOneThread).rows(), 5);
}

// The size of the paper's largest models. Every layer rounds; that must not add up to more than the
// promise of 1e-9, also for points no layer was fitted on.
TEST(Flow, HundredLayersReturnEveryPoint) {
  const Index dim = 784, directions = 10;
  Stream stream(55, Purpose::kTest);
  Flow flow({"a", "b"}, dim);
  for (Index l = 0; l < 100; ++l) {
    flow.append(shared(random_sliced_layer(MapKind::kQuantile, Bumps::kTwoNarrowBumps, 2, dim,
                                           directions, stream)));
  }
  Matrix x = stream.normal_matrix(24, dim);
  x.middleRows(8, 4) *= 1e3;
  x.middleRows(12, 4) *= 1e6;
  for (Index i = 16; i < 24; ++i) x(i, stream.below(dim)) = i % 2 == 0 ? 1e6 : -1e3;
  const Workers workers(2);
  Matrix y = x;
  std::vector<double> there(24), back(24);
  flow.forward_in_place(0, Rows(y), there.data(), workers);
  flow.inverse_in_place(0, Rows(y), back.data(), workers);
  double worst = 0;
  for (Index i = 0; i < 24; ++i) {
    worst = std::max(worst, (y.row(i) - x.row(i)).norm() / x.row(i).norm());
    EXPECT_NEAR(there[i], -back[i], 1e-9 * (1 + std::abs(there[i]))) << i;
  }
  EXPECT_LT(worst, 1e-9);
}

}  // namespace flow_test
}  // namespace conflux
