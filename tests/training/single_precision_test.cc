// Fits on rows in single precision: close to those on doubles, the same bits each time, and no copy
// when the caller gives the rows up.

#include <gtest/gtest.h>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "conflux/model/model.h"
#include "conflux/toys/toy.h"
#include "conflux/training/fit.h"
#include "options/option_table.h"

namespace conflux {
namespace single_precision_test {

GroupSet singles_of(const GroupSet& groups) {
  GroupSet out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    out.add(groups[m].name, SingleMatrix(groups[m].rows.eigen().cast<float>()));
  }
  return out;
}

const Workers kWorkers(2);

class SinglePrecision : public testing::TestWithParam<Method> {
 protected:
  static GroupSet gaussians() { return make_gaussian_groups(3, 6, 400, 4); }
  static FitOptions options() {
    FitOptions out;
    out.method = GetParam();
    const bool one = GetParam() == Method::kNb || GetParam() == Method::kGb;
    out.layers = one ? 1 : 6;
    out.directions = 3;
    return without_ignored(out);
  }
};

TEST_P(SinglePrecision, IsCloseToDouble) {
  const GroupSet doubles = gaussians();
  const Fit a = fit_flow(doubles, options());
  const Fit b = fit_flow(singles_of(doubles), options());
  ASSERT_EQ(a.flow.num_layers(), b.flow.num_layers());
  for (Index m = 0; m < 3; ++m) {
    const Matrix x = a.flow.forward(m, doubles[m].rows, kWorkers);
    const Matrix y = b.flow.forward(m, doubles[m].rows, kWorkers);
    // A search may take another way at a tie of rounded values; what it finds is as good.
    EXPECT_LT(exact_w2_squared(x, y, {}, kWorkers), 0.02) << name_of(GetParam());
  }
}

TEST_P(SinglePrecision, ThreadsDoNotChangeBits) {
  const GroupSet groups = singles_of(gaussians());
  FitOptions one = options();
  one.threads = 1;
  FitOptions three = options();
  three.threads = 3;
  const Matrix x = Matrix::Random(50, 6);
  EXPECT_EQ(fit_flow(groups, one).flow.forward(1, x, Workers(1)),
            fit_flow(groups, three).flow.forward(1, x, Workers(1)));
}

TEST_P(SinglePrecision, RoundTripsAndNewGroups) {
  const GroupSet groups = singles_of(gaussians());
  const Fit fit = fit_flow(groups, options());
  const Matrix x = groups[0].rows.to_matrix();
  const Matrix back = fit.flow.inverse(0, fit.flow.forward(0, x, kWorkers), kWorkers);
  EXPECT_LT((x - back).cwiseAbs().maxCoeff(), 1e-8);
  if (GetParam() == Method::kTree) return;  // knows no new groups
  const Model wider =
      add_group({.flow = fit.flow, .record = fit.record}, "new", groups[2].rows, {}, kWorkers);
  EXPECT_EQ(wider.flow.num_groups(), 4);
}

INSTANTIATE_TEST_SUITE_P(Methods, SinglePrecision,
                         testing::Values(Method::kNb, Method::kGb, Method::kInb, Method::kNbInb,
                                         Method::kSinf, Method::kDd, Method::kTree),
                         [](const auto& method) {
                           std::string name(name_of(method.param));
                           std::erase(name, '-');
                           return name;
                         });

TEST(SinglePrecision, ResumingGivesTheSameBits) {
  const GroupSet groups = singles_of(make_moons({.samples = 700}));
  FitOptions options;
  options.layers = 12;
  options.unit_cube = UnitCube::kOff;
  SelfCommunicator comm;
  const Fit whole = fit_flow(groups, options);
  const Fit part =
      fit_flow(groups, options, comm, [](const LayerRecord& layer) { return layer.layer < 4; });
  const Fit rest = fit_flow(groups, options, comm, {}, {.resume = &part});
  const Matrix x = groups[1].rows.to_matrix();
  EXPECT_EQ(rest.flow.forward(1, x, Workers(1)), whole.flow.forward(1, x, Workers(1)));
}

TEST(SinglePrecision, MixedGroupsAreFittedInDouble) {
  const GroupSet moons = make_moons({.samples = 300});
  GroupSet mixed;
  mixed.add(moons[0].name, SingleMatrix(moons[0].rows.eigen().cast<float>()));
  mixed.add(moons[1].name, moons[1].rows);
  GroupSet rounded;
  rounded.add(moons[0].name, mixed[0].rows.to_matrix());
  rounded.add(moons[1].name, moons[1].rows);
  FitOptions options;
  options.layers = 4;
  const Matrix x = moons[1].rows.to_matrix();
  EXPECT_EQ(fit_flow(mixed, options).flow.forward(1, x, Workers(1)),
            fit_flow(rounded, options).flow.forward(1, x, Workers(1)));
}

TEST(SinglePrecision, RowsOfOthersAreNotTouched) {
  const GroupSet groups = singles_of(make_moons({.samples = 300}));
  const Matrix before = groups[0].rows.to_matrix();
  FitOptions options;
  options.layers = 3;
  const Fit kept = fit_flow(groups, options);
  EXPECT_EQ(groups[0].rows.to_matrix(), before);
  GroupSet given = groups;
  fit_flow(std::move(given), options);  // `groups` owns the same rows
  EXPECT_EQ(groups[0].rows.to_matrix(), before);
}

TEST(SinglePrecision, InPlaceIsRefusedWithARemedy) {
  const GroupSet groups = singles_of(make_moons({.samples = 30}));
  EXPECT_THROW(static_cast<void>(groups[0].rows.doubles()), Error);
}

TEST(GroupSetOwnership, RowsThatAreGivenUpAreNotCopied) {
  GroupSet groups = singles_of(make_moons({.samples = 30}));
  const float* before = groups[0].rows.singles().data();
  GroupSet taken = std::move(groups);
  taken.own_rows();
  EXPECT_EQ(taken[0].rows.singles().data(), before);
  GroupSet shared = taken;
  shared.own_rows();
  EXPECT_NE(shared[0].rows.singles().data(), before);
  EXPECT_EQ(taken[0].rows.singles().data(), before);
}

}  // namespace single_precision_test
}  // namespace conflux
