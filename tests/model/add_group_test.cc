// A group that comes later: where it lands, and what it leaves alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "conflux/metrics/group_prediction.h"
#include "conflux/metrics/moves.h"
#include "conflux/model/model.h"
#include "conflux/toys/toy.h"
#include "core/rng.h"
#include "options/methods.h"
#include "options/option_table.h"

namespace conflux {
namespace add_group_test {

Model fit_model(const GroupSet& groups, Method method, Estimator estimator, Index grid = 0) {
  FitOptions options;
  options.method = method;
  options.estimator = estimator;
  options.grid = grid;
  options.layers = method_info(method).one_layer() ? 1 : 8;
  options.search_steps = 5;
  Fit fit = fit_flow(groups, without_ignored(options));
  return {.flow = std::move(fit.flow), .record = std::move(fit.record)};
}

struct Case {
  Method method;
  Estimator estimator;
  Index grid = 0;
};

void PrintTo(const Case& each, std::ostream* out) {
  *out << name_of(each.method) << " " << name_of(each.estimator) << " " << each.grid;
}

class AddGroup : public testing::TestWithParam<Case> {
 protected:
  Model fit(const GroupSet& groups) const {
    return fit_model(groups, GetParam().method, GetParam().estimator, GetParam().grid);
  }
  Workers workers_{2};
};

// A map depends on a group's rows and the barycenter only, so these are the same sums once more.
TEST_P(AddGroup, WithTheRowsOfAnOldGroupGetsTheBitsOfThatGroup) {
  const GroupSet groups = make_gaussian_groups(3, 6, 200, 1);
  const Model model = fit(groups);
  const Model wider = add_group(model, "again", groups[1].rows, {}, workers_);
  const Matrix x = 3 * Matrix(groups[2].rows.eigen());
  EXPECT_EQ(wider.flow.forward(3, x, workers_), model.flow.forward(1, x, workers_));
  EXPECT_EQ(wider.flow.inverse(3, x, workers_), model.flow.inverse(1, x, workers_));
}

TEST_P(AddGroup, LeavesTheBitsOfOldGroupsAlone) {
  const GroupSet groups = make_gaussian_groups(4, 6, 200, 2);
  GroupSet old;
  for (Index m = 0; m < 3; ++m) old.add(groups[m].name, groups[m].rows);
  const Model model = fit(old);
  const Model wider = add_group(model, "new", groups[3].rows, {}, workers_);
  for (Index m = 0; m < 3; ++m) {
    const Matrix x = 2 * Matrix(groups[3].rows.eigen());
    EXPECT_EQ(wider.flow.forward(m, x, workers_), model.flow.forward(m, x, workers_));
    EXPECT_EQ(wider.flow.inverse(m, x, workers_), model.flow.inverse(m, x, workers_));
    EXPECT_EQ(wider.flow.translate(m, (m + 1) % 3, x, workers_),
              model.flow.translate(m, (m + 1) % 3, x, workers_));
  }
  EXPECT_EQ(wider.record.group_sizes, (std::vector<Index>{200, 200, 200, 200}));
  EXPECT_EQ(wider.flow.group_names().back(), "new");
}

TEST_P(AddGroup, NewMapsAreBijections) {
  const GroupSet groups = make_gaussian_groups(3, 5, 150, 3);
  GroupSet old;
  for (Index m = 0; m < 2; ++m) old.add(groups[m].name, groups[m].rows);
  const Model wider = add_group(fit(old), "new", groups[2].rows, {}, workers_);
  for (const double reach : {1.0, 1e4}) {
    const Matrix x = reach * Matrix(groups[2].rows.eigen());
    const Matrix back = wider.flow.inverse(2, wider.flow.forward(2, x, workers_), workers_);
    EXPECT_LT(round_trip_error(x, back).largest, 1e-9);
  }
}

// Two samples of one law are not at distance 0: the new one may be as far from the old one in the
// shared space as it was before, not further.
TEST_P(AddGroup, OfTheLawOfAnOldGroupLandsOnIt) {
  const GroupSet twice = make_gaussian_groups(2, 3, 1200, 4);
  GroupSet old;
  old.add("a", twice[0].rows.middle_rows(0, 600));
  old.add("b", twice[1].rows.middle_rows(0, 600));
  const ConstRows fresh = twice[1].rows.middle_rows(600, 600).doubles();
  const Model wider = add_group(fit(old), "fresh", fresh, {}, workers_);
  const Matrix b = wider.flow.forward(1, old[1].rows, workers_);
  const Matrix moved = wider.flow.forward(2, fresh, workers_);
  const double floor = exact_w2_squared(old[1].rows.doubles(), fresh, {}, workers_);
  const double apart = exact_w2_squared(old[0].rows.doubles(), fresh, {}, workers_);
  const double after = exact_w2_squared(b, moved, {}, workers_);
  EXPECT_GT(apart, 4 * floor);
  EXPECT_LT(after, 1.5 * floor);
  RecordProperty("within_group_floor", std::to_string(floor));
  RecordProperty("after", std::to_string(after));
}

INSTANTIATE_TEST_SUITE_P(Each, AddGroup,
                         testing::Values(Case{Method::kNb, Estimator::kQuantile},
                                         Case{Method::kInb, Estimator::kQuantile},
                                         Case{Method::kGbInb, Estimator::kQuantile},
                                         Case{Method::kNbInb, Estimator::kHistogram},
                                         Case{Method::kInb, Estimator::kHistogram, 100},
                                         Case{Method::kInb, Estimator::kSpline},
                                         Case{Method::kTree, Estimator::kQuantile},
                                         Case{Method::kTreeInb, Estimator::kQuantile},
                                         Case{Method::kConditional, Estimator::kQuantile}),
                         [](const auto& each) {
                           std::string name(name_of(each.param.method));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + "_" + std::string(name_of(each.param.estimator)) +
                                  (each.param.grid > 0 ? "_grid" : "");
                         });

// The sign of the third feature is the product of the signs of the first two, times `sign`.
Matrix parity_rows(double sign, Index count, std::uint64_t seed) {
  Matrix rows = Stream(seed, Purpose::kTest).normal_matrix(count, 3);
  for (Index i = 0; i < count; ++i) {
    rows(i, 2) = std::copysign(rows(i, 2), sign * rows(i, 0) * rows(i, 1));
  }
  return rows;
}

// The default fit of a table may end with conditional layers or trees, whose maps move as far as
// those of their stage.
TEST(AddedGroup, JoinsAnAutomaticFitWithLaterStages) {
  GroupSet groups;
  groups.add("a", parity_rows(1, 700, 9));
  groups.add("b", parity_rows(-1, 700, 10));
  Fit fit = fit_flow(groups, {.method = Method::kCascade});
  ASSERT_NE(fit.flow.layers().back()->kind(), "sliced");
  const Model model{.flow = std::move(fit.flow), .record = std::move(fit.record)};
  const Workers workers(2);
  const Matrix known = parity_rows(1, 1000, 11), fresh = parity_rows(-1, 1000, 12);
  const Model wider = add_group(model, "c", fresh, {}, workers);
  const auto predict = [&](const Matrix& a, const Matrix& c) {
    GroupSet both;
    both.add("a", ConstRows(a));
    both.add("c", ConstRows(c));
    return predict_groups(both, {}, workers).auc;
  };
  EXPECT_GT(predict(known, fresh), 0.95);
  EXPECT_LT(predict(wider.flow.forward(0, known, workers), wider.flow.forward(2, fresh, workers)),
            0.75);
}

TEST(AddedGroup, CountsRowsByTheirMass) {
  const GroupSet groups = make_gaussian_groups(2, 3, 100, 5);
  const Model model = fit_model(groups, Method::kInb, Estimator::kQuantile);
  // The second half of the rows has no mass and must not matter.
  std::vector<double> masses(100, 2.0);
  std::fill(masses.begin() + 50, masses.end(), 0.0);
  const Workers workers(1);
  const Model weighted = add_group(model, "c", groups[1].rows, masses, workers);
  const Model half = add_group(model, "c", groups[1].rows.middle_rows(0, 50), {}, workers);
  EXPECT_EQ(weighted.record.group_sizes.back(), 50);
  const Matrix a = weighted.flow.forward(2, groups[0].rows, workers);
  const Matrix b = half.flow.forward(2, groups[0].rows, workers);
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(AddedGroup, ThreeThreadsGiveTheBitsOfOne) {
  const GroupSet groups = make_gaussian_groups(3, 8, 150, 6);
  const Model model = fit_model(groups, Method::kGbInb, Estimator::kQuantile);
  const Model one = add_group(model, "c", groups[1].rows, {}, Workers(1));
  const Model three = add_group(model, "c", groups[1].rows, {}, Workers(3));
  EXPECT_EQ(one.flow.forward(3, groups[0].rows, Workers(1)),
            three.flow.forward(3, groups[0].rows, Workers(3)));
}

TEST(AddedGroup, PassesTheUnitCubeAndSaysWhenValuesLieOutside) {
  GroupSet groups;
  Stream stream(7, Purpose::kTest);
  for (const std::string name : {"a", "b", "c"}) {
    Matrix rows(100, 3);
    for (double& value : rows.reshaped()) value = stream.uniform();
    groups.add(name, std::move(rows));
  }
  GroupSet old;
  for (Index m = 0; m < 2; ++m) old.add(groups[m].name, groups[m].rows);
  const Model model = fit_model(old, Method::kInb, Estimator::kQuantile);
  const Workers workers(1);
  const Model inside = add_group(model, "c", groups[2].rows, {}, workers);
  EXPECT_EQ(inside.record.warnings, model.record.warnings);
  const Matrix larger = 2 * Matrix(groups[2].rows.eigen());
  const Model outside = add_group(model, "c", larger, {}, workers);
  EXPECT_THAT(outside.record.warnings.back(), testing::HasSubstr("outside [0, 1]"));
}

TEST(AddedGroup, RefusesWhatDoesNotSuit) {
  const GroupSet groups = make_gaussian_groups(2, 3, 50, 8);
  const Model model = fit_model(groups, Method::kInb, Estimator::kQuantile);
  const Workers workers(1);
  const Matrix wide = Matrix::Zero(5, 4);
  Matrix broken = groups[0].rows.eigen();
  broken(7, 1) = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> nothing(50, 0.0);
  EXPECT_THROW(add_group(model, groups[0].name, groups[0].rows, {}, workers), InvalidOption);
  EXPECT_THROW(add_group(model, "c", wide, {}, workers), InvalidData);
  EXPECT_THROW(add_group(model, "c", broken, {}, workers), InvalidData);
  EXPECT_THROW(add_group(model, "c", Matrix(0, 3), {}, workers), InvalidData);
  EXPECT_THROW(add_group(model, "c", groups[0].rows, nothing, workers), InvalidData);
}

TEST(Methods, TakeNewGroups) {
  const GroupSet groups = make_gaussian_groups(2, 3, 120, 4);
  for (const MethodInfo& method : kMethods) {
    FitOptions options;
    options.method = method.id;
    options.layers = 2;
    options = without_ignored(options);
    if (method.one_layer() || method.id == Method::kCascade) options.layers.reset();
    Fit fit = fit_flow(groups, options);
    const Model model{.flow = std::move(fit.flow), .record = std::move(fit.record)};
    EXPECT_NO_THROW(add_group(model, "new", groups[0].rows, {}, Workers(1))) << method.name;
  }
}

}  // namespace add_group_test
}  // namespace conflux
