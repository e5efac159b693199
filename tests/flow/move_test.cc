// Flow::move, against moving the rows of each group by themselves.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "conflux/flow/flow.h"
#include "core/rng.h"
#include "tests/support/random_layers.h"

namespace conflux {
namespace move_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr Index kGroups = 3;
constexpr Index kDim = 4;
constexpr Index kRows = 5000;  // several blocks of each group
const Workers kOneThread(1);

Flow mixed_flow() {
  Stream stream(61, Purpose::kTest);
  Flow flow({"a", "b", "c"}, kDim);
  flow.append(std::make_shared<const SlicedLayer>(
      random_sliced_layer(MapKind::kQuantile, Bumps::kOneWideBump, kGroups, kDim, 2, stream)));
  flow.append(std::make_shared<const AffineLayer>(random_affine_layer(kGroups, kDim, stream)));
  return flow;
}

std::vector<Index> random_groups(std::uint64_t name) {
  Stream stream(62, Purpose::kTest, name);
  std::vector<Index> groups;
  for (Index i = 0; i < kRows; ++i) groups.push_back(stream.below(kGroups));
  return groups;
}

Matrix random_rows() { return Stream(63, Purpose::kTest).normal_matrix(kRows, kDim); }

// The promise of the header: a row's image has the same bits whatever rows are around it.
TEST(FlowMove, GivesEveryRowTheBitsOfItsGroupAlone) {
  const Flow flow = mixed_flow();
  const Matrix rows = random_rows();
  const std::vector<Index> from = random_groups(1), to = random_groups(2);
  for (const int threads : {1, 3}) {
    const Workers workers(threads);
    Matrix shared(kRows, kDim), back(kRows, kDim), across(kRows, kDim);
    std::vector<double> log_dets(kRows, 99.0);
    flow.move(rows, Route::to_shared(from), Rows(shared), log_dets.data(), workers);
    flow.move(rows, Route::from_shared(to), Rows(back), nullptr, workers);
    flow.move(rows, Route::between(from, to), Rows(across), nullptr, workers);
    for (Index i = 0; i < kRows; i += 97) {
      Matrix row = rows.row(i);
      EXPECT_EQ(back.row(i), flow.inverse(to[i], row, kOneThread).row(0)) << i;
      EXPECT_EQ(across.row(i), flow.translate(from[i], to[i], row, kOneThread).row(0)) << i;
      double log_det = 0;
      flow.forward_in_place(from[i], Rows(row), &log_det, kOneThread);
      EXPECT_EQ(shared.row(i), row.row(0)) << i;
      EXPECT_EQ(log_dets[i], log_det) << i;
    }
  }
}

// Rows of a label take its flow to the bit, rows without one the layers, and groups that the flow
// of a label lacks the layers on their half of a translation.
TEST(FlowMove, RowsOfALabelTakeTheFlowOfTheLabel) {
  Flow flow = mixed_flow();
  Stream stream(64, Purpose::kTest);
  Flow own({"c", "a"}, kDim);
  own.append(std::make_shared<const AffineLayer>(random_affine_layer(2, kDim, stream)));
  flow.add_within("rare", own);
  EXPECT_EQ(flow.label_codes({"common", "rare"}, std::vector<Index>{1, 0, -1}),
            (std::vector<Index>{0, -1, -1}));
  const Matrix rows = random_rows();
  const std::vector<Index> from = random_groups(5), to = random_groups(6);
  std::vector<Index> labels;
  for (Index i = 0; i < kRows; ++i) labels.push_back(stream.below(2) - 1);
  Matrix shared(kRows, kDim), back(kRows, kDim), across(kRows, kDim);
  const Workers workers(3);
  flow.move(rows, Route::to_shared(from).of_labels(labels), Rows(shared), nullptr, workers);
  flow.move(ConstRows(shared), Route::from_shared(from).of_labels(labels), Rows(back), nullptr,
            workers);
  flow.move(rows, Route::between(from, to).of_labels(labels), Rows(across), nullptr, workers);
  for (Index i = 0; i < kRows; i += 41) {
    const Matrix row = rows.row(i);
    const auto forward = [&](Index group) {
      if (labels[i] < 0 || group == 1) return flow.forward(group, row, kOneThread);
      return own.forward(group == 2 ? 0 : 1, row, kOneThread);
    };
    EXPECT_EQ(shared.row(i), forward(from[i]).row(0)) << i;
    EXPECT_LT((back.row(i) - rows.row(i)).norm(), 1e-9) << i;
    const auto entered = [&](Index group, const Matrix& there) {
      if (labels[i] < 0 || group == 1) return flow.inverse(group, there, kOneThread);
      return own.inverse(group == 2 ? 0 : 1, there, kOneThread);
    };
    const Matrix expected = entered(to[i], forward(from[i]));
    EXPECT_LT((across.row(i) - expected.row(0)).norm(), 1e-9) << i;
  }
  labels.assign(kRows, 1);
  EXPECT_THROW(
      flow.move(rows, Route::to_shared(from).of_labels(labels), Rows(shared), nullptr, workers),
      InvalidOption);
}

TEST(FlowMove, OneGroupStandsForAllRows) {
  const Flow flow = mixed_flow();
  const Matrix rows = random_rows();
  const std::vector<Index> from = random_groups(3), all(kRows, 2);
  const Index two = 2;
  Matrix listed(kRows, kDim), single(kRows, kDim);
  flow.move(rows, Route::between(from, all), Rows(listed), nullptr, kOneThread);
  flow.move(rows, Route::between(from, {&two, 1}), Rows(single), nullptr, kOneThread);
  EXPECT_EQ(listed, single);
}

TEST(FlowMove, MayOverwriteItsInput) {
  const Flow flow = mixed_flow();
  Matrix rows = random_rows();
  const std::vector<Index> from = random_groups(4);
  Matrix elsewhere(kRows, kDim);
  flow.move(rows, Route::to_shared(from), Rows(elsewhere), nullptr, Workers(3));
  flow.move(rows, Route::to_shared(from), Rows(rows), nullptr, Workers(3));
  EXPECT_EQ(rows, elsewhere);
}

TEST(FlowMove, ReadsSinglePrecision) {
  const Flow flow = mixed_flow();
  const SingleMatrix single = random_rows().cast<float>();
  const Matrix wide = single.cast<double>();
  const std::vector<Index> from = random_groups(5);
  Matrix a(kRows, kDim), b(kRows, kDim);
  flow.move(ConstSingleRows(single), Route::to_shared(from), Rows(a), nullptr, kOneThread);
  flow.move(wide, Route::to_shared(from), Rows(b), nullptr, kOneThread);
  EXPECT_EQ(a, b);
}

// Columns of a table, with log-dets wanted and rows not.
TEST(FlowMove, ReadsRowsFromWhereverACallerKeepsThem) {
  const Flow flow = mixed_flow();
  const Matrix rows = random_rows();
  const std::vector<Index> from = random_groups(6);
  const Eigen::MatrixXd columns = rows;
  std::vector<double> expected(kRows), log_dets(kRows);
  Matrix out(kRows, kDim);
  flow.move(rows, Route::to_shared(from), Rows(out), expected.data(), kOneThread);
  flow.move(
      {.rows = kRows,
       .cols = kDim,
       .read = [&](Index i,
                   double* to) { Eigen::Map<Eigen::RowVectorXd>(to, kDim) = columns.row(i); }},
      Route::to_shared(from), log_dets.data(), Workers(2));
  EXPECT_EQ(log_dets, expected);
}

// Whichever thread meets a bad row first, the message is that of the first one.
TEST(FlowMove, NamesTheFirstValueThatIsNotFinite) {
  const Flow flow = mixed_flow();
  Matrix rows = random_rows();
  const std::vector<Index> from = random_groups(7);
  rows(4321, 0) = std::numeric_limits<double>::quiet_NaN();
  rows(1234, 2) = -std::numeric_limits<double>::infinity();
  Matrix out(kRows, kDim);
  for (const int threads : {1, 3}) {
    try {
      flow.move(rows, Route::to_shared(from), Rows(out), nullptr, Workers(threads));
      FAIL();
    } catch (const NotFinite& error) {
      EXPECT_EQ(error.row(), 1234);
      EXPECT_EQ(error.col(), 2);
      EXPECT_THAT(error.what(), HasSubstr("row 1234, column 2 is -inf"));
    }
  }
}

TEST(FlowMove, RefusesRoutesThatDoNotFit) {
  const Flow flow = mixed_flow();
  const Matrix rows = random_rows();
  Matrix out(kRows, kDim), narrow(kRows, kDim - 1);
  std::vector<Index> groups = random_groups(8);
  const auto move = [&](const Route& route) {
    flow.move(rows, route, Rows(out), nullptr, kOneThread);
  };
  EXPECT_THAT([&] { move({}); }, ThrowsMessage<InvalidOption>(HasSubstr("names no group")));
  EXPECT_THAT(
      [&] {
        move(Route::to_shared({groups.data(), 7}));
      },
      ThrowsMessage<InvalidData>(AllOf(HasSubstr("5000 rows"), HasSubstr("7 groups"))));
  EXPECT_THAT([&] { flow.move(rows, Route::to_shared(groups), Rows(narrow), nullptr, kOneThread); },
              ThrowsMessage<InvalidData>(AllOf(HasSubstr("5000 x 4"), HasSubstr("5000 x 3"))));
  groups[17] = kGroups;
  EXPECT_THAT([&] { move(Route::to_shared(groups)); },
              ThrowsMessage<InvalidOption>(HasSubstr("no group 3")));
  groups[17] = -1;
  EXPECT_THROW(move(Route::from_shared(groups)), InvalidOption);
}

TEST(FlowMove, NoRowsAreFine) {
  const Flow flow = mixed_flow();
  Matrix none(0, kDim);
  flow.move(none, Route::to_shared({}), Rows(none), nullptr, kOneThread);
}

}  // namespace move_test
}  // namespace conflux
