#include <gtest/gtest.h>

#include <cmath>

#include "conflux/core/parallel.h"
#include "conflux/metrics/group_prediction.h"
#include "conflux/training/fit.h"
#include "core/rng.h"

namespace conflux::ladder_test {

namespace {

constexpr Index kDim = 12;

/// Rows of two classes, of which `fraction` are of the first, that share three hidden factors: what
/// one feature says of a row the others say too.
struct Made {
  Matrix rows;
  std::vector<Index> label;
};

Made made_rows(Index count, double fraction, std::uint64_t seed) {
  Stream stream(seed, Purpose::kTest, 1);
  Stream loadings(7, Purpose::kTest, 2);
  const Matrix factors = loadings.normal_matrix(3, kDim);
  const Matrix class_means = 1.5 * loadings.normal_matrix(2, kDim);
  Made out{Matrix(count, kDim), {}};
  for (Index i = 0; i < count; ++i) {
    const Index label = stream.uniform() < fraction ? 0 : 1;
    out.label.push_back(label);
    const Vector hidden{{stream.normal(), stream.normal(), stream.normal()}};
    out.rows.row(i) = class_means.row(label) + (hidden.transpose() * factors);
    for (Index j = 0; j < kDim; ++j) out.rows(i, j) += 0.5 * stream.normal();
  }
  return out;
}

Matrix shifted(Matrix rows, double shift, double scale) {
  for (Index j = 0; j < rows.cols(); ++j) {
    rows.col(j) = (rows.col(j).array() * (j % 2 == 0 ? scale : 1 / scale) +
                   static_cast<double>(j % 3 - 1) * shift);
  }
  return rows;
}

GroupSet two_groups(Matrix a, Matrix b) {
  GroupSet out;
  out.add("a", std::move(a));
  out.add("b", std::move(b));
  return out;
}

double auc_after(const Fit& fit, const GroupSet& groups) {
  GroupSet moved;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    moved.add(groups[m].name, fit.flow.forward(m, groups[m].rows, Workers(2)));
  }
  return predict_groups(moved, {}, Workers(2)).auc;
}

bool is_per_feature(const std::string& rung) {
  return rung == "none" || rung == "means" || rung == "location-scale";
}

}  // namespace

// An instrument that shifts and scales needs no more than that, however much a flow could do.
TEST(Ladder, TakesLocationAndScaleWhereInstrumentsShiftAndScale) {
  const GroupSet groups =
      two_groups(made_rows(800, 0.5, 1).rows, shifted(made_rows(800, 0.5, 2).rows, 2, 1.5));
  const Fit fit = fit_flow(groups, {.goal = Goal::kTransfer});
  EXPECT_EQ(fit.record.ladder.chosen, "location-scale") << fit.record.ladder.sentences.front();
  const GroupSet unseen =
      two_groups(made_rows(800, 0.5, 3).rows, shifted(made_rows(800, 0.5, 4).rows, 2, 1.5));
  EXPECT_LT(auc_after(fit, unseen), 0.56);
}

// The classes make the groups differ, not an instrument: equal distributions would turn rows of one
// class into rows of the other.
TEST(Ladder, MovesLittleWhereOnlyProportionsDiffer) {
  const Made a = made_rows(800, 0.85, 1), b = made_rows(800, 0.15, 2);
  const Fit fit = fit_flow(two_groups(a.rows, b.rows), {.goal = Goal::kTransfer});
  EXPECT_TRUE(is_per_feature(fit.record.ladder.chosen) || fit.record.ladder.chosen == "clusters")
      << fit.record.ladder.sentences.front();
}

// Curves that differ by feature cannot be undone by shifts and scales.
TEST(Ladder, ClimbsWhereInstrumentsBend) {
  const auto bent = [](Matrix rows) {
    for (Index j = 0; j < rows.cols(); ++j) {
      rows.col(j) = rows.col(j).unaryExpr(
          [&](double x) { return j % 2 == 0 ? std::exp(0.5 * x) : x + 0.2 * x * x * x; });
    }
    return rows;
  };
  const GroupSet groups =
      two_groups(made_rows(1500, 0.5, 1).rows, bent(made_rows(1500, 0.5, 2).rows));
  const Fit fit = fit_flow(groups, {.goal = Goal::kTransfer});
  EXPECT_FALSE(is_per_feature(fit.record.ladder.chosen)) << fit.record.ladder.sentences.front();
  const GroupSet unseen =
      two_groups(made_rows(1500, 0.5, 3).rows, bent(made_rows(1500, 0.5, 4).rows));
  EXPECT_LT(auc_after(fit, unseen), 0.6);
}

TEST(Ladder, LeavesGroupsThatDoNotDiffer) {
  const Fit fit = fit_flow(two_groups(made_rows(400, 0.5, 1).rows, made_rows(400, 0.5, 2).rows),
                           {.goal = Goal::kTransfer});
  EXPECT_EQ(fit.flow.num_layers(), 0);
  EXPECT_TRUE(fit.record.ladder.rungs.empty());
}

// A requested method is used, and not another that a ladder prefers.
TEST(Ladder, IsNotAskedWhereLayersStrengthOrMethodAreGiven) {
  const GroupSet groups =
      two_groups(made_rows(300, 0.5, 1).rows, shifted(made_rows(300, 0.5, 2).rows, 2, 1.5));
  for (const FitOptions& options : {FitOptions{.method = Method::kInb, .layers = 3},
                                    FitOptions{.goal = Goal::kTransfer, .layers = 3},
                                    FitOptions{.goal = Goal::kTransfer, .strength = 0.4}}) {
    const Fit fit = fit_flow(groups, options);
    EXPECT_TRUE(fit.record.ladder.rungs.empty());
    if (options.layers) {
      EXPECT_EQ(static_cast<Index>(fit.record.layers.size() + fit.record.dropped_layers.size()), 3);
    }
  }
}

// The same data and seed give the same choice and the same figures on any number of threads.
TEST(Ladder, HasTheSameBitsOnAnyNumberOfThreads) {
  const GroupSet groups =
      two_groups(made_rows(300, 0.5, 1).rows, shifted(made_rows(200, 0.3, 2).rows, 1, 1.2));
  const Fit one = fit_flow(groups, {.goal = Goal::kTransfer, .threads = 1});
  const Fit two = fit_flow(groups, {.goal = Goal::kTransfer, .threads = 2});
  EXPECT_EQ(one.record.ladder, two.record.ladder);
  EXPECT_FALSE(one.record.ladder.rungs.empty());
}

// With the goal `hide` proportions are no excuse: the group must become hard to predict.
TEST(Ladder, HidesTheGroupIfAskedTo) {
  const GroupSet groups = two_groups(made_rows(800, 0.85, 1).rows, made_rows(800, 0.15, 2).rows);
  const Fit fit = fit_flow(groups, {.goal = Goal::kHide});
  const GroupSet unseen = two_groups(made_rows(800, 0.85, 3).rows, made_rows(800, 0.15, 4).rows);
  EXPECT_LT(auc_after(fit, unseen), 0.65);
}

}  // namespace conflux::ladder_test
