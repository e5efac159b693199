#include "conflux/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/rng.h"

namespace conflux {
namespace report_test {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// Groups of normal rows, each shifted by `shift` along all features, and a model of them.
struct Scene {
  GroupSet groups;
  Model model;

  Scene(Index count, Index rows, Index dim, double shift, const FitOptions& options = {}) {
    for (Index m = 0; m < count; ++m) {
      Matrix group = Stream(static_cast<std::uint64_t>(m), Purpose::kTest).normal_matrix(rows, dim);
      group.array() += shift * static_cast<double>(m);
      groups.add("g" + std::to_string(m), std::move(group));
    }
    Fit fit = fit_flow(groups, options);
    model = {.flow = std::move(fit.flow), .record = std::move(fit.record)};
  }
};

FitOptions inb(Index layers) {
  return {.method = Method::kInb, .layers = layers, .validation_fraction = 0.0};
}

// How many elements a browser would have to hold.
std::size_t elements_of(const std::string& page) {
  std::size_t out = 0;
  for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    out += at + 1 < page.size() && page[at + 1] >= 'a' && page[at + 1] <= 'z' ? 1 : 0;
  }
  return out;
}

TEST(Report, SaysThatAShiftIsGone) {
  const Scene scene(2, 400, 3, 2, inb(40));
  const Report report = make_report(scene.model, scene.groups);
  EXPECT_THAT(name_of(report.verdict), HasSubstr("worked"));
  ASSERT_EQ(report.features.size(), 3u);
  for (const FeatureChange& feature : report.features) {
    EXPECT_GT(feature.before.shift, 1);
    EXPECT_TRUE(feature.before.differs);
    EXPECT_LT(feature.after.shift, 0.2);
    EXPECT_FALSE(feature.after.differs);
  }
  EXPECT_EQ(report.headlines.size(), 4u);
  // Group 1 moves half way, that is by about one deviation, as group 0 does.
  EXPECT_NEAR(report.move_quantiles(0, 10), 1, 0.3);
}

TEST(Report, DoesNotDependOnThreads) {
  const Scene scene(3, 150, 4, 1, inb(5));
  const Report one = make_report(scene.model, scene.groups, {.threads = 1});
  const Report two = make_report(scene.model, scene.groups, {.threads = 2});
  EXPECT_EQ(report_json(one), report_json(two));
  EXPECT_EQ(report_html(one), report_html(two));
}

// A fit that is told to go on, of groups that do not differ, pulls single rows together.
TEST(Report, TellsNoiseThatWasMatchedFromNothingToAlign) {
  const Scene matched(20, 100, 3, 0, inb(20));
  EXPECT_EQ(make_report(matched.model, matched.groups).verdict, ReportVerdict::kMatchedNoise);
  const Scene left(2, 300, 3, 0);
  EXPECT_EQ(make_report(left.model, left.groups).verdict, ReportVerdict::kNothingToAlign);
}

TEST(Report, CannotTellFromAFewRows) {
  const Scene scene(2, 300, 3, 2, inb(3));
  GroupSet few;
  few.add("g0", Matrix(scene.groups[0].rows.to_matrix().topRows(2)));
  few.add("g1", Matrix(scene.groups[1].rows.to_matrix().topRows(2)));
  const Report report = make_report(scene.model, few);
  EXPECT_EQ(report.verdict, ReportVerdict::kCannotTell);
  // A page is made all the same, with sentences where pictures are missing.
  const std::string page = report_html(report);
  EXPECT_THAT(page, HasSubstr("at least three rows"));
  EXPECT_THAT(page, Not(HasSubstr("nan")));
}

// Two kinds, of which one is rare in group 1: rows of the other are sent where it is missing.
TEST(Report, NamesLabelsThatWereFused) {
  GroupSet groups;
  std::vector<std::vector<Index>> labels(2);
  for (Index m = 0; m < 2; ++m) {
    Matrix rows = Stream(static_cast<std::uint64_t>(m), Purpose::kTest).normal_matrix(400, 2);
    for (Index i = 0; i < 400; ++i) {
      labels[m].push_back(i % 20 < (m == 0 ? 10 : 1) ? 1 : 0);
      rows(i, 0) += 8 * static_cast<double>(labels[m].back());
      rows(i, 1) += 2 * static_cast<double>(m);
    }
    groups.add("g" + std::to_string(m), std::move(rows));
  }
  groups.set_labels({"tcell", "mono"}, labels);
  Fit fit = fit_flow(groups, inb(20));
  const Model model{.flow = std::move(fit.flow), .record = std::move(fit.record)};
  const Report report = make_report(model, groups);
  EXPECT_EQ(report.verdict, ReportVerdict::kWorkedButLook);
  ASSERT_TRUE(report.neighborhoods);
  EXPECT_FALSE(report.neighborhoods->fused.empty());
  EXPECT_GT(report.neighborhoods->before.diagonal().minCoeff(), 0.98);
  EXPECT_THAT(report.sentences, Contains(HasSubstr("tcell among mono")));
}

// Rows far outside lie beyond the knots of nearly all maps.
TEST(Report, SeesRowsThatTheMapsHaveNotSeen) {
  const Scene scene(2, 300, 3, 2, inb(10));
  const Report inside = make_report(scene.model, scene.groups);
  ASSERT_TRUE(inside.reach);
  EXPECT_EQ(inside.reach->maps, 30);
  EXPECT_LT(inside.reach->far, 0.05);
  GroupSet far;
  for (Index m = 0; m < 2; ++m) {
    Matrix rows = scene.groups[m].rows.to_matrix();
    rows.array() += 40;
    far.add(scene.groups[m].name, std::move(rows));
  }
  const Report outside = make_report(scene.model, far);
  EXPECT_GT(outside.reach->far, 0.95);
}

TEST(Report, HoldsNoValuesOfRowsWhenNoneAreWanted) {
  const Scene scene(2, 100, 3, 2, inb(3));
  const Report report = make_report(scene.model, scene.groups, {.rows = 0});
  EXPECT_FALSE(report.view);
  EXPECT_TRUE(report.elsewhere.empty());
  EXPECT_EQ(report.rows_inside, 0);
  EXPECT_THAT(report_html(report), HasSubstr("no values of rows"));
  const Report some = make_report(scene.model, scene.groups, {.rows = 20});
  EXPECT_EQ(some.view->group_of.size(), 20u);
}

// One feature, and one with many: pages of both are small and whole.
// Whoever decides by a difference must see whether it is one: bars of two errors, none without
// held-out rows.
TEST(Report, ShowsHowSureHeldOutDistancesAre) {
  FitOptions judged = inb(12);
  const Scene unjudged(2, 400, 3, 2, judged);
  const std::string bare = report_html(make_report(unjudged.model, unjudged.groups));
  EXPECT_THAT(bare, Not(HasSubstr("class=\"err\"")));
  judged.validation_fraction = 0.3;
  const Scene scene(2, 400, 3, 2, judged);
  const Report report = make_report(scene.model, scene.groups);
  for (const LayerRecord& layer : report.record.layers) {
    ASSERT_TRUE(layer.held_out && layer.held_out_error);
    EXPECT_GT(*layer.held_out_error, 0);
  }
  const std::string page = report_html(report);
  EXPECT_THAT(page, HasSubstr("class=\"err\""));
  EXPECT_THAT(page, HasSubstr("± 2 standard errors"));
}

TEST(Report, PagesStaySmall) {
  const Scene wide(2, 60, 800, 0.5, {.method = Method::kNb});
  const Scene thin(40, 60, 1, 0.5, {.method = Method::kNb});
  for (const Scene* scene : {&wide, &thin}) {
    const std::string page = report_html(make_report(scene->model, scene->groups));
    EXPECT_LT(page.size(), 3u << 20);
    EXPECT_LT(elements_of(page), 6000u);
    for (int section = 1; section <= 8; ++section) {
      EXPECT_THAT(page, HasSubstr("<section id=\"q" + std::to_string(section) + "\">"));
    }
    EXPECT_THAT(page, Not(HasSubstr("nan")));
    EXPECT_THAT(page, Not(HasSubstr("inf<")));
  }
}

}  // namespace report_test
}  // namespace conflux
