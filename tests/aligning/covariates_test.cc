// Columns that are kept, from a table to a model and back to tables.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include "conflux/aligning/align.h"
#include "conflux/aligning/confounding.h"
#include "conflux/model/model.h"
#include "conflux/model/table_mover.h"
#include "conflux/storage/model_file.h"
#include "core/rng.h"
#include "kernels/dense.h"
#include "tests/support/error_text.h"

namespace conflux {
namespace covariates_test {

using testing::HasSubstr;

const double kNone = std::numeric_limits<double>::quiet_NaN();

struct Sites {
  double shift = 2;
  double spread = 1.5;
  Index rows = 400;
  double missing = 0;
  std::uint64_t stream = 1;
};

// Two sites of which the second has older people. Features depend on age, bent in one of them, and
// on sex; the second site is shifted and spread.
Table people(const Sites& sites) {
  Stream stream(sites.stream, Purpose::kTest);
  std::vector<double> age, a, b, c;
  std::vector<std::string> sex, site;
  for (Index i = 0; i < 2 * sites.rows; ++i) {
    const bool second = i >= sites.rows;
    const double years = 40 + (second ? 12 : 0) + 12 * stream.normal();
    const bool male = stream.uniform() < (second ? 0.7 : 0.4);
    const double scale = second ? sites.spread : 1, shift = second ? sites.shift : 0;
    a.push_back(0.1 * years + shift + scale * stream.normal());
    b.push_back(2 * (male ? 1 : 0) - shift + scale * stream.normal());
    c.push_back(4 * std::sin(years / 12) + shift + scale * stream.normal());
    age.push_back(stream.uniform() < sites.missing ? kNone : years);
    sex.emplace_back(male ? "m" : "f");
    site.emplace_back(second ? "B" : "A");
  }
  Table out;
  out.add("a", std::move(a));
  out.add("b", std::move(b));
  out.add("c", std::move(c));
  out.add("age", std::move(age));
  out.add("sex", std::move(sex));
  out.add("site", std::move(site));
  return out;
}

DatasetOptions keeping(std::vector<std::string> names) {
  DatasetOptions out{.group = "site"};
  out.columns.keep = std::move(names);
  return out;
}

Model fitted(const Table& table, const FitOptions& fit = {}) {
  return fit_model(dataset_of(table, keeping({"age", "sex"})), {.fit = fit, .judge = false}).model;
}

std::vector<Index> groups_of(const Table& table) {
  std::vector<Index> out;
  for (const std::string& site : table["site"].text) out.push_back(site == "B" ? 1 : 0);
  return out;
}

// Effects of [age, male, site B] on a feature, by least squares.
Vector effects(const Table& table, const std::string& feature) {
  const Index count = table.num_rows();
  Matrix design(count, 4);
  Vector y(count);
  for (Index i = 0; i < count; ++i) {
    const auto row = static_cast<std::size_t>(i);
    design.row(i) << table["age"].numbers[row], table["sex"].text[row] == "m" ? 1 : 0,
        table["site"].text[row] == "B" ? 1 : 0, 1;
    y(i) = table[feature].numbers[row];
  }
  const Matrix moments = design.transpose() * design;
  return *kernels::solve_positive(moments, Matrix(design.transpose() * y));
}

// ComBat without a model destroys this: the second site is older, and a larger feature there is
// partly age.
TEST(KeptColumns, KeepTheirEffectsWhileGroupsMeet) {
  Table table = people({});
  EXPECT_NEAR(effects(table, "a")(2), 2, 0.3);
  const Model model = fitted(table);
  to_shared(model, table, 1);
  const Vector a = effects(table, "a"), b = effects(table, "b");
  EXPECT_NEAR(a(0), 0.1, 0.005);
  EXPECT_NEAR(b(1), 2, 0.1);
  // Age tells the site in part, and a smooth effect and a straight one share it otherwise.
  EXPECT_NEAR(a(2), 0, 0.15);
  EXPECT_NEAR(b(2), 0, 0.15);
}

TEST(KeptColumns, AreNoFeaturesAndNeverMove) {
  const Table before = people({});
  Table table = before;
  const Model model = fitted(table);
  EXPECT_EQ(model.feature_names, (std::vector<std::string>{"a", "b", "c"}));
  to_shared(model, table, 1);
  EXPECT_EQ(table["age"].numbers, before["age"].numbers);
  EXPECT_EQ(table["sex"].text, before["sex"].text);
  EXPECT_NE(table["a"].numbers, before["a"].numbers);
  const Workers workers(1);
  const TableMover mover(model, workers);
  const std::vector<Index> groups = groups_of(table);
  mover.inverse(table, groups, groups);
  for (const char* name : {"a", "b", "c"}) {
    for (Index i = 0; i < table.num_rows(); ++i) {
      ASSERT_NEAR(table[name].numbers[i], before[name].numbers[i], 1e-12) << name << i;
    }
  }
}

// Groups that differ by what is kept alone: the second site is older, and nothing else.
TEST(KeptColumns, ExplainDifferencesThatAreNotAligned) {
  const Table table = people({.shift = 0, .spread = 1});
  const Aligned kept = align(dataset_of(table, keeping({"age", "sex"})));
  EXPECT_FALSE(kept.check.differ);
  EXPECT_EQ(kept.model.flow.num_layers(), 0);
  const Aligned not_kept =
      align(dataset_of(table, {.group = "site", .columns = {.drop = {"age", "sex"}}}));
  EXPECT_TRUE(not_kept.check.differ);
}

TEST(KeptColumns, AreInModelFiles) {
  const Table table = people({.missing = 0.1});
  const Model model = fitted(table);
  const std::string path = testing::TempDir() + "/kept.conflux";
  save_model(path, model);
  const Model loaded = load_model(path);
  std::filesystem::remove(path);
  ASSERT_EQ(loaded.columns.kept.size(), 2u);
  EXPECT_EQ(loaded.columns.kept[0].knots, model.columns.kept[0].knots);
  EXPECT_EQ(loaded.columns.kept[1].categories, model.columns.kept[1].categories);
  Table one = table, other = table;
  to_shared(model, one, 1);
  to_shared(loaded, other, 2);
  EXPECT_EQ(one["a"].numbers, other["a"].numbers);
  EXPECT_EQ(one["c"].numbers, other["c"].numbers);
}

TEST(KeptColumns, GiveARowTheSameBitsInAnyBlock) {
  const Table table = people({.missing = 0.1});
  const Model model = fitted(table, {.threads = 2});
  EXPECT_EQ(fitted(table, {.threads = 1}).columns.kept_means, model.columns.kept_means);
  Table all = table;
  to_shared(model, all, 2);
  const std::vector<Index> some = {3, 700, 11};
  Table part = table.rows(some);
  to_shared(model, part, 1);
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_EQ(part["c"].numbers[i], all["c"].numbers[some[i]]);
  }
}

// A row without an age moves as one with the mean age of its site, and returns as exactly.
TEST(KeptColumns, MayBeMissingInCells) {
  const Table before = people({.missing = 0.1});
  Table table = before;
  const Model model = fitted(table);
  to_shared(model, table, 1);
  for (const double value : table["a"].numbers) ASSERT_TRUE(std::isfinite(value));
  const Workers workers(1);
  const TableMover mover(model, workers);
  const std::vector<Index> groups = groups_of(table);
  mover.inverse(table, groups, groups);
  for (Index i = 0; i < table.num_rows(); ++i) {
    ASSERT_NEAR(table["a"].numbers[i], before["a"].numbers[i], 1e-12);
    ASSERT_EQ(std::isnan(table["age"].numbers[i]), std::isnan(before["age"].numbers[i]));
  }
}

TEST(KeptColumns, LetMissingCellsOfFeaturesStayMissing) {
  Table table = people({});
  table.columns[0].numbers[5] = kNone;
  const Model model = fitted(table);
  to_shared(model, table, 1);
  EXPECT_TRUE(std::isnan(table["a"].numbers[5]));
  EXPECT_TRUE(std::isfinite(table["b"].numbers[5]));
}

TEST(KeptColumns, LetAnotherGroupJoin) {
  const Model model = fitted(people({}));
  std::vector<Index> second(400);
  std::iota(second.begin(), second.end(), Index{400});
  Table late = people({.shift = -3, .spread = 0.5, .stream = 7}).rows(second);
  const Model grown = add_group(model, "C", late, Workers(1));
  EXPECT_EQ(grown.columns.kept_means.size(), 3u);
  Table table = people({});
  to_shared(grown, table, 1);
  for (std::string& site : late.columns.back().text) site = "C";
  to_shared(grown, late, 1);
  for (std::string& site : late.columns.back().text) site = "B";
  table.append(late);
  EXPECT_NEAR(effects(table, "a")(2), 0, 0.2);
}

// The second site has another effect of age: P(features | age) meets only age by age.
Table interaction(std::uint64_t number, Index rows = 1000) {
  Stream stream(number, Purpose::kTest);
  std::vector<double> age, a, b;
  std::vector<std::string> site;
  for (Index i = 0; i < rows; ++i) {
    const bool second = i % 2 == 0;
    const double years = stream.normal();
    a.push_back(years * (second ? 2 : 0.5) + stream.normal());
    b.push_back((second ? std::abs(years) : -1) + stream.normal());
    age.push_back(years);
    site.emplace_back(second ? "B" : "A");
  }
  Table out;
  out.add("a", std::move(a));
  out.add("b", std::move(b));
  out.add("age", std::move(age));
  out.add("site", std::move(site));
  return out;
}

// The largest difference of the sites' means of a feature within tertiles of age.
double largest_gap(const Table& table, const std::string& feature) {
  double out = 0;
  for (const double low : {-9.0, -0.43, 0.43}) {
    const double high = low < -1 ? -0.43 : (low < 0 ? 0.43 : 9);
    double sums[2] = {0, 0}, counts[2] = {0, 0};
    for (Index i = 0; i < table.num_rows(); ++i) {
      const double years = table["age"].numbers[i];
      if (years < low || years >= high) continue;
      const int site = table["site"].text[i] == "B" ? 1 : 0;
      sums[site] += table[feature].numbers[i];
      counts[site] += 1;
    }
    out = std::max(out, std::abs(sums[1] / counts[1] - sums[0] / counts[0]));
  }
  return out;
}

Model fitted_by(const Table& table, const FitOptions& fit) {
  return fit_model(dataset_of(table, keeping({"age"})), {.fit = fit, .judge = false}).model;
}

TEST(KeptColumns, GateSlicedLayersWhereTheirEffectsDiffer) {
  Table unseen = interaction(12);
  EXPECT_GT(largest_gap(unseen, "a"), 1);
  const Model model = fitted_by(interaction(11), {.method = Method::kInb, .layers = 15});
  EXPECT_EQ(model.record.options.gate, Gating::kKept);
  Table affine = unseen;
  to_shared(fitted_by(interaction(11), {.method = Method::kLocationScale}), affine, 1);
  to_shared(model, unseen, 1);
  for (const char* feature : {"a", "b"}) {
    EXPECT_LT(largest_gap(unseen, feature), 0.5);
    EXPECT_LT(2 * largest_gap(unseen, feature), largest_gap(affine, feature));
  }
}

// Common slopes of all groups cannot do this; on rows that the fit has not seen.
TEST(KeptColumns, HaveEffectsOfTheirOwnInEveryGroupByInteraction) {
  Table common = interaction(12, 6000), own = common, conditional = common;
  FitOptions options{.method = Method::kLocationScale};
  to_shared(fitted_by(interaction(11), options), common, 1);
  options.interaction = true;
  to_shared(fitted_by(interaction(11), options), own, 1);
  options.method = Method::kConditional;
  to_shared(fitted_by(interaction(11), options), conditional, 1);
  for (const char* feature : {"a", "b"}) {
    EXPECT_GT(largest_gap(common, feature), 1.5 * largest_gap(own, feature)) << feature;
    EXPECT_LT(largest_gap(own, feature), 0.4) << feature;
    EXPECT_LT(largest_gap(conditional, feature), 0.4) << feature;
  }
}

// Groups whose effects are the same are moved as if nobody had asked for others.
TEST(KeptColumns, HaveTheCommonEffectWhereChanceExplainsTheRest) {
  const Table before = people({});
  Table plain = before, asked = before;
  FitOptions options{.method = Method::kLocationScale};
  to_shared(fitted(before, options), plain, 1);
  options.interaction = true;
  to_shared(fitted(before, options), asked, 1);
  for (const char* name : {"a", "b", "c"}) {
    double sum = 0;
    for (Index i = 0; i < before.num_rows(); ++i) {
      sum += std::pow(plain[name].numbers[i] - asked[name].numbers[i], 2);
    }
    EXPECT_LT(std::sqrt(sum / static_cast<double>(before.num_rows())), 0.15) << name;
  }
}

// A reference group is not moved, to the bit, by any method that keeps columns.
TEST(KeptColumns, LeaveATargetInPlaceUnderEveryMethod) {
  const Table before = interaction(11, 600);
  const GroupSet groups = dataset_of(before, keeping({"age"})).groups;
  const Index a = groups.index_of("A");
  for (const bool own : {false, true}) {
    for (const Method method :
         {Method::kMeans, Method::kLocationScale, Method::kInb, Method::kConditional}) {
      FitOptions options{.method = method, .interaction = own && method != Method::kMeans};
      options.target = "A";
      if (method == Method::kInb || method == Method::kConditional) options.layers = 3;
      const Model model = fitted_by(before, options);
      const Matrix given = groups[a].rows.to_matrix();
      const Matrix there = model.flow.forward(a, groups[a].rows, Workers(1));
      EXPECT_LT((there - given).cwiseAbs().maxCoeff(), 1e-12)
          << static_cast<int>(method) << " " << own;
    }
  }
}

TEST(KeptColumns, WithOwnEffectsAreInModelFilesAndLetAnotherGroupJoin) {
  const Table before = interaction(11);
  const Model model = fitted_by(before, {.method = Method::kLocationScale, .interaction = true});
  const std::string path = testing::TempDir() + "/own.conflux";
  save_model(path, model);
  const Model loaded = load_model(path);
  std::filesystem::remove(path);
  Table one = before, other = before;
  to_shared(model, one, 1);
  to_shared(loaded, other, 2);
  EXPECT_EQ(one["a"].numbers, other["a"].numbers);
  EXPECT_EQ(one["b"].numbers, other["b"].numbers);
  // The rows of B once more, as a group that comes later, are moved as B nearly.
  std::vector<Index> second;
  for (Index i = 0; i < before.num_rows(); i += 2) second.push_back(i);
  Table late = before.rows(second);
  const Model grown = add_group(loaded, "C", late, Workers(1));
  for (std::string& site : late.columns.back().text) site = "C";
  to_shared(grown, late, 1);
  double gap = 0;
  for (std::size_t i = 0; i < second.size(); ++i) {
    gap = std::max(gap, std::abs(late["a"].numbers[i] - one["a"].numbers[second[i]]));
  }
  EXPECT_LT(gap, 0.2);
}

TEST(KeptColumns, AreNeededForAnInteraction) {
  const Table table = people({.rows = 60});
  EXPECT_THAT(error_text([&] {
                (void)fit_model(dataset_of(table, {.group = "site"}),
                                {.fit = {.method = Method::kLocationScale, .interaction = true}});
              }),
              HasSubstr("no columns are kept"));
}

TEST(KeptColumns, StayWhereTheyAreUnderGates) {
  const Table before = interaction(11);
  const GroupSet groups = dataset_of(before, keeping({"age"})).groups;
  const Model model = fitted_by(before, {.method = Method::kInb, .layers = 4});
  const Workers workers(2);
  for (Index m = 0; m < 2; ++m) {
    const Matrix given = groups[m].rows.to_matrix();
    const Matrix there = model.flow.forward(m, groups[m].rows, workers);
    EXPECT_EQ(there.rightCols(groups.covariates()), given.rightCols(groups.covariates()));
    EXPECT_LT((model.flow.inverse(m, there, workers) - given).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_EQ(model.flow.forward(m, groups[m].rows, Workers(1)), there);
  }
  const std::string path = testing::TempDir() + "/gated.conflux";
  save_model(path, model);
  const Model loaded = load_model(path);
  std::filesystem::remove(path);
  EXPECT_EQ(loaded.flow.forward(1, groups[1].rows, workers),
            model.flow.forward(1, groups[1].rows, workers));
}

TEST(KeptColumns, FitTheSameGatedBitsOnAnyNumberOfThreads) {
  Table one = interaction(11), two = one;
  to_shared(fitted_by(one, {.method = Method::kInb, .layers = 4, .threads = 1}), one, 1);
  to_shared(fitted_by(two, {.method = Method::kInb, .layers = 4, .threads = 2}), two, 2);
  EXPECT_EQ(one["a"].numbers, two["a"].numbers);
  EXPECT_EQ(one["b"].numbers, two["b"].numbers);
}

TEST(KeptColumns, LetTheAutomaticFitChooseByWhatIsLeft) {
  EXPECT_THAT(fitted_by(interaction(11, 2000), {}).record.ladder.chosen, HasSubstr("by-group"));
  const std::string affine = fitted(people({})).record.ladder.chosen;
  EXPECT_TRUE(affine == "location-scale" || affine == "means") << affine;
  EXPECT_EQ(fitted(people({.rows = 40})).record.ladder.chosen, "location-scale");
}

// Said before anything is moved, and kept with the model.
TEST(KeptColumns, AreSaidToBeConfoundedWithFigures) {
  const Confounding apart = find_confounding(dataset_of(interaction(3), keeping({"age"})), 0, 1);
  ASSERT_TRUE(apart.auc.has_value());
  EXPECT_LT(*apart.auc, *apart.auc_by_chance + 0.05);
  EXPECT_TRUE(apart.warnings.empty());
  Table table = people({});
  for (Index i = 0; i < 400; ++i) {
    table.columns[3].numbers[i] -= 60;
    table.columns[4].text[i] = i % 2 == 0 ? "f" : "x";
  }
  const Dataset data = dataset_of(table, keeping({"age", "sex"}));
  const Confounding found = find_confounding(data, 0, 1);
  EXPECT_GT(*found.auc, 0.9);
  EXPECT_THAT(found.sentence, HasSubstr("predict the group with an AUC of"));
  EXPECT_THAT(found.warnings, testing::Contains(HasSubstr("can hardly be separated")));
  EXPECT_THAT(found.warnings, testing::Contains(HasSubstr("\"age\"")));
  EXPECT_THAT(found.warnings, testing::Contains(HasSubstr("in one group only")));
  const Model model = fit_model(data, {.judge = false}).model;
  EXPECT_THAT(model.record.warnings, testing::Contains(HasSubstr("in one group only")));
}

TEST(KeptColumns, AreRefusedByMethodsThatWouldMoveThem) {
  const Table table = people({.rows = 60});
  EXPECT_THAT(error_text([&] { (void)fitted(table, {.method = Method::kNb}); }),
              HasSubstr("choose location-scale"));
  DatasetOptions twice = keeping({"age", "age:linear"});
  EXPECT_THAT(error_text([&] { (void)dataset_of(table, twice); }), HasSubstr("twice"));
  DatasetOptions unknown = keeping({"agee"});
  EXPECT_THAT(error_text([&] { (void)dataset_of(table, unknown); }),
              HasSubstr("did you mean \"age\""));
}

}  // namespace covariates_test
}  // namespace conflux
