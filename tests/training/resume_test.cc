// A fit that goes on from an earlier one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "conflux/toys/toy.h"
#include "conflux/training/fit.h"
#include "core/rng.h"
#include "options/option_table.h"

namespace conflux {
namespace resume_test {

FitOptions options_of(Method method) {
  FitOptions options;
  options.method = method;
  options.layers = 6;
  options.search_steps = 5;
  options.search_rows = 60;
  options.split = Split::kRandomHalf;
  return without_ignored(options);
}

// The fit after `layers` of its layers, as a checkpoint would keep it.
Fit fit_up_to(Index layers, const GroupSet& groups, const FitOptions& options) {
  SelfCommunicator comm;
  Fit kept;
  FitControl control;
  control.on_progress = [&](const Fit& so_far) { kept = so_far; };
  fit_flow(
      groups, options, comm, [&](const LayerRecord& record) { return record.layer + 1 < layers; },
      control);
  return kept;
}

Fit resume(const Fit& earlier, const GroupSet& groups, const FitOptions& options) {
  SelfCommunicator comm;
  return fit_flow(groups, options, comm, {}, {.on_progress = {}, .resume = &earlier});
}

class ResumedFit : public testing::TestWithParam<Method> {};

TEST_P(ResumedFit, HasTheBitsOfAnUninterruptedOne) {
  const GroupSet groups = make_gaussian_groups(3, 8, 120, 1);
  for (const Estimator estimator : {Estimator::kQuantile, Estimator::kHistogram}) {
    FitOptions options = options_of(GetParam());
    options.estimator = estimator;
    options = without_ignored(options);
    const Fit whole = fit_flow(groups, options);
    for (const Index layers : {1, 4, 6}) {
      const Fit part = fit_up_to(layers, groups, options);
      EXPECT_EQ(part.flow.num_layers(), layers);
      options.threads = 2;  // may differ
      const Fit rest = resume(part, groups, options);
      ASSERT_EQ(rest.flow.num_layers(), whole.flow.num_layers());
      ASSERT_EQ(rest.record.layers.size(), whole.record.layers.size());
      EXPECT_EQ(rest.record.layers.back().spread_after, whole.record.layers.back().spread_after);
      for (Index m = 0; m < 3; ++m) {
        EXPECT_EQ(rest.flow.forward(m, groups[m].rows, Workers(1)),
                  whole.flow.forward(m, groups[m].rows, Workers(1)));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, ResumedFit,
                         testing::Values(Method::kInb, Method::kRandNb, Method::kNbInb,
                                         Method::kGbInb, Method::kSinf, Method::kTree,
                                         Method::kTreeInb, Method::kConditional),
                         [](const auto& each) {
                           std::string name(name_of(each.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

GroupSet unit_cube_groups() {
  Stream stream(2, Purpose::kTest);
  GroupSet groups;
  for (const std::string name : {"a", "b"}) {
    Matrix rows(100, 3);
    for (double& value : rows.reshaped()) value = name == "a" ? stream.uniform() : 0.5;
    groups.add(name, std::move(rows));
  }
  return groups;
}

// The unit cube is entered once and left once, however often the fit is taken up.
TEST(ResumedFits, CrossTheUnitCubeOnce) {
  const GroupSet groups = unit_cube_groups();
  const FitOptions options = options_of(Method::kInb);
  const Fit whole = fit_flow(groups, options);
  const Fit part = fit_up_to(3, groups, options);
  EXPECT_EQ(part.flow.num_layers(), 4);
  const Fit rest = resume(part, groups, options);
  const Fit nothing_left = resume(whole, groups, options);
  for (const Fit* fit : {&rest, &nothing_left}) {
    ASSERT_EQ(fit->flow.num_layers(), 8);
    EXPECT_EQ(fit->flow.forward(0, groups[0].rows, Workers(1)),
              whole.flow.forward(0, groups[0].rows, Workers(1)));
  }
}

TEST(ResumedFits, RefuseOtherOptionsAndOtherGroups) {
  const GroupSet groups = make_gaussian_groups(2, 4, 80, 3);
  const FitOptions options = options_of(Method::kInb);
  const Fit part = fit_up_to(2, groups, options);
  FitOptions other = options;
  other.strength = 0.25;
  try {
    resume(part, groups, other);
    FAIL() << "resumed with another strength";
  } catch (const InvalidOption& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("strength is 0.25 but the fit to resume from"));
  }
  EXPECT_THROW(resume(part, make_gaussian_groups(2, 4, 81, 3), options), InvalidData);
  GroupSet renamed;
  renamed.add("x", groups[0].rows);
  renamed.add("y", groups[1].rows);
  EXPECT_THROW(resume(part, renamed, options), InvalidData);
}

}  // namespace resume_test
}  // namespace conflux
