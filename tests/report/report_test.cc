#include "conflux/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/rng.h"
#include "judging/judged_fit.h"
#include "report/facts.h"

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
  // Training rows score below chance, because the maps follow them.
  EXPECT_TRUE(report.verdict == Verdict::kAligned || report.verdict == Verdict::kBelowChance);
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
  EXPECT_EQ(make_report(matched.model, matched.groups).verdict, Verdict::kBelowChance);
  const Scene left(2, 300, 3, 0);
  EXPECT_EQ(make_report(left.model, left.groups).verdict, Verdict::kNothingToAlign);
}

TEST(Report, CannotTellFromAFewRows) {
  const Scene scene(2, 300, 3, 2, inb(3));
  GroupSet few;
  few.add("g0", Matrix(scene.groups[0].rows.to_matrix().topRows(2)));
  few.add("g1", Matrix(scene.groups[1].rows.to_matrix().topRows(2)));
  const Report report = make_report(scene.model, few);
  EXPECT_EQ(report.verdict, Verdict::kTooFewRows);
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
  EXPECT_TRUE(report.verdict == Verdict::kAligned || report.verdict == Verdict::kReduced);
  EXPECT_THAT(report.cautions, Contains(HasSubstr("were mixed")));
  ASSERT_TRUE(report.neighborhoods);
  EXPECT_FALSE(report.neighborhoods->fused.empty());
  EXPECT_GT(report.neighborhoods->before.diagonal().minCoeff(), 0.98);
  EXPECT_THAT(report.sentences, Contains(HasSubstr("tcell among mono")));
}

GroupSet moved_rows(const GroupSet& groups, double shift, std::uint64_t seed) {
  GroupSet out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    Matrix rows = Stream(seed + static_cast<std::uint64_t>(m), Purpose::kTest)
                      .normal_matrix(groups[m].rows.rows(), groups.dim());
    rows.array() += shift + 2 * static_cast<double>(m);
    out.add(groups[m].name, std::move(rows));
  }
  return out;
}

// Rows far outside lie beyond the knots of nearly all maps.
TEST(Report, SeesRowsThatTheMapsHaveNotSeen) {
  const Scene scene(2, 300, 3, 2, inb(10));
  const Report inside = make_report(scene.model, scene.groups);
  ASSERT_TRUE(inside.reach);
  EXPECT_EQ(inside.reach->maps, 30);
  EXPECT_LT(inside.reach->far, 0.05);
  const Report outside = make_report(scene.model, moved_rows(scene.groups, 40, 7));
  EXPECT_GT(outside.reach->far, 0.95);
}

// New rows are measured by rows of the fit: alike ones pass their 99 % point about as often, and
// those that lie a little outside much more often, though never beyond a quarter of the maps.
TEST(Report, MeasuresNewRowsByThoseOfTheFit) {
  Scene scene(2, 1000, 3, 2, inb(10));
  const RowsToJudge rows = choose_rows_to_judge(scene.groups, 0, scene.model.record.options);
  Fit fit{.flow = scene.model.flow, .record = scene.model.record};
  judge_fit(fit, rows);
  scene.model.record = fit.record;
  ASSERT_TRUE(scene.model.record.summary.beyond_knots);
  const Report alike = make_report(scene.model, moved_rows(scene.groups, 0, 7));
  ASSERT_TRUE(alike.reach->beyond_fitted);
  EXPECT_LT(*alike.reach->beyond_fitted, 0.03);
  EXPECT_THAT(report_html(alike), HasSubstr("99 % of the training rows are to its left"));
  const Report apart = make_report(scene.model, moved_rows(scene.groups, 2.5, 7));
  EXPECT_GT(*apart.reach->beyond_fitted, 0.15);
  EXPECT_THAT(apart.sentences, Contains(HasSubstr("outside the training range")));
  // A model that nobody judged has no measure; the page says what it can.
  scene.model.record.summary.beyond_knots.reset();
  const Report bare = make_report(scene.model, moved_rows(scene.groups, 0, 7));
  EXPECT_FALSE(bare.reach->beyond_fitted);
  EXPECT_THAT(report_html(bare), HasSubstr("99 % of them are to its left"));
}

// Features are pixels by their names alone; what could be anything else is none.
TEST(Report, KnowsPixelsByTheirNames) {
  const auto names = [](const std::string& form, Index count) {
    std::vector<std::string> out;
    for (Index j = 0; j < count; ++j) {
      out.push_back(form == "pairs"   ? "p" + std::to_string(j / 8) + std::to_string(j % 8)
                    : form == "lines" ? std::to_string(j / 8 + 1) + "x" + std::to_string(j % 8 + 1)
                                      : form + std::to_string(j));
    }
    return out;
  };
  for (const char* form : {"pairs", "lines", "pixel", "px_"}) {
    std::vector<std::string> all = names(form, 64);
    all.erase(all.begin());  // a corner that is always empty is no feature
    const auto found = find_pixels(all);
    ASSERT_TRUE(found) << form;
    EXPECT_EQ(found->height, 8) << form;
    EXPECT_EQ(found->width, 8) << form;
    for (std::size_t j = 0; j < all.size(); ++j) {
      EXPECT_EQ(found->place[j], static_cast<Index>(j) + 1) << form;
    }
  }
  for (const char* form : {"PC", "f", "", "gene_"}) EXPECT_FALSE(find_pixels(names(form, 64)));
  EXPECT_FALSE(find_pixels(names("pixel", 9)));
  // The last 24 of 784 pixels are no image.
  const std::vector<std::string> all = names("pixel", 784);
  EXPECT_FALSE(find_pixels({all.end() - 24, all.end()}));
}

// The way begins where rows were and ends where they are; of two features, lines go with them.
TEST(Report, ShowsRowsAndGridsOnTheirWay) {
  const Scene scene(2, 200, 2, 2, inb(12));
  const Report report = make_report(scene.model, scene.groups);
  const RowView& view = *report.view;
  EXPECT_EQ(view.layers.front(), 0);
  EXPECT_EQ(view.layers.back(), 12);
  EXPECT_GT(view.places.size(), 2u);
  EXPECT_LE(view.places.size(), 8u);
  ASSERT_EQ(report.grids.size(), 2u);
  for (const WarpedGrid& grid : report.grids) {
    for (std::size_t k = 0; k < grid.before.size(); ++k) {
      const Matrix there =
          scene.model.flow.forward(grid.group, SampleRows(grid.before[k]), Workers(1));
      EXPECT_NEAR((there - grid.after[k]).norm(), 0, 1e-12);
    }
  }
  const std::string page = report_html(report);
  for (std::size_t k = 0; k < view.places.size(); ++k) {
    EXPECT_THAT(page, HasSubstr("id=\"w" + std::to_string(k) + "\""));
  }
  EXPECT_TRUE(make_report(Scene(2, 60, 3, 1, inb(3)).model, Scene(2, 60, 3, 1, inb(3)).groups)
                  .grids.empty());
}

// A model that leaves rows alone must not be praised, blamed or explained.
TEST(Report, SaysOfAModelWithoutLayersThatNothingMoves) {
  Scene scene(2, 300, 3, 0, inb(1));
  Fit left = fit_that_leaves(scene.groups, {});
  scene.model = {.flow = std::move(left.flow), .record = std::move(left.record)};
  const std::string page = report_html(make_report(scene.model, scene.groups));
  EXPECT_THAT(page, HasSubstr("No row moved."));
  EXPECT_THAT(page, HasSubstr("new rows stay where they are"));
  for (const char* wrong : {"optimistic", "validation-fraction", "moved furthest", "e-10"}) {
    EXPECT_THAT(page, Not(HasSubstr(wrong)));
  }
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

// Layers that were tried in the place of those that the model has are not drawn behind them.
TEST(Report, DrawsDroppedLayersWhereTheyWereTried) {
  FitOptions judged = inb(12);
  judged.validation_fraction = 0.3;
  const Scene scene(2, 400, 3, 2, judged);
  Report report = make_report(scene.model, scene.groups);
  const std::vector<LayerRecord> judged_layers = report.record.layers;
  report.record.dropped_layers = {judged_layers.back()};
  const auto last = [](Index layer) { return "layer " + std::to_string(layer) + ": "; };
  const Index kept = static_cast<Index>(judged_layers.size());
  const std::string after = report_html(report);
  EXPECT_THAT(after, HasSubstr(last(kept + 1)));
  EXPECT_THAT(after, HasSubstr("stopped here"));
  for (LayerRecord& layer : report.record.layers) layer.held_out.reset();
  report.record.dropped_layers = judged_layers;
  const std::string instead = report_html(report);
  EXPECT_THAT(instead, HasSubstr(last(1)));
  EXPECT_THAT(instead, Not(HasSubstr(last(kept + 1))));
  EXPECT_THAT(instead, Not(HasSubstr("stopped here")));
  EXPECT_THAT(instead, HasSubstr("tried and dropped"));
}

// Held-out rows may score well by luck; if these rows are predicted as before, nothing is gained.
TEST(Report, DoesNotCallItAGainThatTheseRowsDoNotShow) {
  Scene scene(2, 400, 3, 2, inb(1));
  scene.model.flow = Flow(scene.groups.names(), 3);
  const Report seen = make_report(scene.model, scene.groups);
  EXPECT_EQ(seen.verdict, Verdict::kUnchanged);
  Report report = seen;
  report.fitted_rows = true;
  report.sentences.clear();
  report.record.summary.verdict = name_of(Verdict::kReduced);
  report.record.summary.unseen_rows = 100;
  conclude(report, scene.model, {});
  EXPECT_EQ(report.verdict, Verdict::kUnchanged);
  EXPECT_THAT(report.sentences, Contains(HasSubstr("but these rows do not show it")));
  EXPECT_THAT(report_html(report), HasSubstr("<span class=\"option\">-o</span>"));
}

// One feature, and one with many: pages of both are small and whole.
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
