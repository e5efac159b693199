// Fits within labels.

#include "training/within_labels.h"

#include <gtest/gtest.h>

#include "conflux/training/fit.h"
#include "core/rng.h"

namespace conflux {
namespace within_labels_test {

// Two labels that overlap in space; group b is shifted the other way in each of them. A third label
// is only in group a.
GroupSet overlapping(Index rows) {
  Stream stream(71, Purpose::kTest);
  GroupSet out;
  std::vector<std::vector<Index>> labels;
  for (const double sign : {0.0, 1.0}) {
    Matrix points = stream.normal_matrix(rows, 3);
    std::vector<Index> own;
    for (Index i = 0; i < rows; ++i) {
      own.push_back(sign == 0 && i % 10 == 0 ? 2 : stream.below(2));
      points(i, 0) += sign * (own.back() == 0 ? 1.5 : -1.5);
    }
    out.add(sign == 0 ? "a" : "b", std::move(points));
    labels.push_back(std::move(own));
  }
  out.set_labels({"up", "down", "alone"}, std::move(labels));
  return out;
}

FitOptions by_label() {
  FitOptions out;
  out.method = Method::kInb;
  out.layers = 20;
  out.gate = Gating::kLabel;
  return out;
}

double mean_of(const Flow& flow, const GroupSet& groups, Index m, Index label) {
  const std::vector<Index> codes = flow.label_codes(groups.label_names(), groups[m].labels);
  const Matrix moved =
      flow.moved(groups[m].rows, Route::to_shared({&m, 1}).of_labels(codes), Workers(1));
  double sum = 0, count = 0;
  for (Index i = 0; i < moved.rows(); ++i) {
    if (groups[m].label(i) != label) continue;
    sum += moved(i, 0);
    count += 1;
  }
  return sum / count;
}

// Gates by location mix labels that overlap: both would stay where they are, as the shifts cancel.
TEST(FitWithinLabels, AlignsLabelsThatOverlapInSpace) {
  const GroupSet groups = overlapping(600);
  const Fit fit = fit_flow(groups, by_label());
  ASSERT_EQ(fit.flow.within().size(), 2U);
  for (const Index label : {0, 1}) {
    // Three standard errors of a difference of means of 300 rows.
    EXPECT_NEAR(mean_of(fit.flow, groups, 0, label), mean_of(fit.flow, groups, 1, label), 0.25);
  }
  EXPECT_EQ(fit.flow.label_index("alone"), -1);
  ASSERT_EQ(fit.record.within.size(), 2U);
  EXPECT_EQ(fit.record.within[0].label, "up");
}

// As strong as a fit without labels: the flow of a label is the fit of its rows by themselves.
TEST(FitWithinLabels, FitsEachLabelLikeATableOfItsOwn) {
  const GroupSet groups = overlapping(300);
  FitOptions options = by_label();
  const Fit fit = fit_flow(groups, options);
  for (const LabelPart& part : label_parts(groups, options)) {
    const GroupSet own = rows_of(part, groups);
    FitOptions alone = options;
    alone.gate = Gating::kNone;
    const Fit expected = fit_flow(own, alone);
    const Flow& found = fit.flow.within()[fit.flow.label_index(part.label)]->flow;
    for (Index m = 0; m < 2; ++m) {
      EXPECT_EQ(found.forward(m, own[m].rows, Workers(1)),
                expected.flow.forward(m, own[m].rows, Workers(1)));
    }
  }
}

TEST(FitWithinLabels, TheTargetStaysWhereItIs) {
  const GroupSet groups = overlapping(300);
  for (const Method method : {Method::kInb, Method::kAuto, Method::kNbInb}) {
    FitOptions options = by_label();
    options.method = method;
    if (method == Method::kAuto) options.layers.reset();
    options.target = "a";
    const Fit fit = fit_flow(groups, options);
    const Index target = 0;
    const std::vector<Index> codes =
        fit.flow.label_codes(groups.label_names(), groups[target].labels);
    const Matrix moved = fit.flow.moved(
        groups[target].rows, Route::to_shared({&target, 1}).of_labels(codes), Workers(1));
    EXPECT_LT((moved - groups[target].rows.to_matrix()).cwiseAbs().maxCoeff(), 1e-9)
        << static_cast<int>(method);
  }
}

// Rows of the parts are told to judges, and no fit within labels has learned from them.
TEST(FitWithinLabels, HeldOutRowsAreThoseOfTheParts) {
  const GroupSet groups = overlapping(4000);
  FitOptions options = by_label();
  options.method = Method::kAuto;
  options.layers.reset();
  const auto held = rows_held_out_within(groups, options);
  ASSERT_EQ(held.size(), 2U);
  for (Index m = 0; m < 2; ++m) {
    EXPECT_GT(held[m].size(), 10U);
    for (const Index i : held[m]) EXPECT_NE(groups[m].label(i), 2);
  }
}

}  // namespace within_labels_test
}  // namespace conflux
