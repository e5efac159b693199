#include "conflux/aligning/align.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "conflux/core/error.h"
#include "core/rng.h"

namespace conflux {
namespace align_test {

using testing::ElementsAre;
using testing::HasSubstr;

// Three rows of each patient, nearly alike; patients are assigned to arms at random.
Table randomized_arms(Index patients, double shift) {
  Stream stream(3, Purpose::kTest);
  std::vector<double> pressure, pulse;
  std::vector<std::string> patient, arm;
  for (Index p = 0; p < patients; ++p) {
    const bool treated = stream.uniform() < 0.5;
    const double a = stream.normal() + (treated ? shift : 0), b = stream.normal();
    for (int visit = 0; visit < 3; ++visit) {
      pressure.push_back(a + 0.05 * stream.normal());
      pulse.push_back(b + 0.05 * stream.normal());
      patient.push_back("p" + std::to_string(p));
      arm.emplace_back(treated ? "treated" : "control");
    }
  }
  Table out;
  out.add("pressure", std::move(pressure));
  out.add("pulse", std::move(pulse));
  out.add("patient_id", std::move(patient));
  out.add("arm", std::move(arm));
  return out;
}

Dataset arms(double shift) {
  return dataset_of(randomized_arms(120, shift), DatasetOptions{.group = "arm"});
}

// The fit had a test of its own once, which took rows of one patient for witnesses of their own.
TEST(Align, NeitherItNorAFitMovesArmsThatWereAssignedAtRandom) {
  const Aligned aligned = align(arms(0)), fitted = fit_model(arms(0));
  EXPECT_FALSE(aligned.check.differ);
  EXPECT_EQ(aligned.check.p_value, fitted.check.p_value);
  EXPECT_EQ(aligned.model.flow.num_layers(), 0);
  EXPECT_EQ(fitted.model.flow.num_layers(), 0);
}

TEST(Align, FitsAndJudgesGroupsThatDiffer) {
  std::vector<CheckReport> seen;
  Index layers = 0;
  AlignHooks hooks;
  hooks.on_check = [&](const CheckReport& found) { seen.push_back(found); };
  hooks.on_layer = [&](const LayerRecord&) { return ++layers > 0; };
  const Aligned done = align(arms(3), {.fit = {.method = Method::kInb, .layers = 5}}, hooks);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_TRUE(seen.front().differ);
  EXPECT_EQ(layers, 5);
  EXPECT_EQ(done.model.flow.group_names().size(), 2u);
  EXPECT_EQ(done.model.group_column, "arm");
  ASSERT_TRUE(done.judgement.has_value());
  EXPECT_LT(done.judgement->prediction_after.auc, done.judgement->prediction_before.auc);
  EXPECT_FALSE(done.unseen_rows.empty());
  EXPECT_EQ(done.model.record.check, record_of(seen.front()));
}

// Noise that spreads repeated values would hide which rows are neighbors, and a shift needs none.
TEST(Align, RepeatedValuesThatAreOnlyShiftedAndScaledStayRepeated) {
  Stream stream(8, Purpose::kTest);
  std::vector<double> count;
  std::vector<std::string> day;
  for (int i = 0; i < 600; ++i) {
    const bool second = i % 2 == 1;
    count.push_back(std::round((second ? 9 : 5) + (second ? 3 : 2) * stream.normal()));
    day.emplace_back(second ? "b" : "a");
  }
  Table table;
  table.add("count", count);
  table.add("day", day);
  const Aligned done = fit_model(dataset_of(Table(table), DatasetOptions{.group = "day"}),
                                 {.fit = {.method = Method::kLocationScale}, .unseen = 0});
  to_shared(done.model, table);
  std::map<double, double> moved_to;
  for (std::size_t i = 0; i < count.size(); i += 2) {
    const auto [at, is_new] = moved_to.emplace(count[i], table["count"].numbers[i]);
    EXPECT_DOUBLE_EQ(at->second, table["count"].numbers[i]) << count[i];
  }
  EXPECT_LT(moved_to.size(), 25u);
}

TEST(Align, ACallbackEndsTheFit) {
  AlignHooks hooks;
  hooks.on_layer = [](const LayerRecord& record) { return record.layer < 2; };
  const Aligned done = fit_model(arms(3), {.fit = {.method = Method::kInb, .layers = 9}}, hooks);
  EXPECT_LT(done.model.record.layers.size(), 9u);
}

TEST(Align, AFitThatIsNotJudgedHasTheSameMaps) {
  const AlignOptions judged{.fit = {.seed = 2}, .unseen = 0},
      quiet{.fit = {.seed = 2}, .unseen = 0, .judge = false};
  const Aligned a = fit_model(arms(2), judged), b = fit_model(arms(2), quiet);
  EXPECT_TRUE(a.judgement.has_value());
  EXPECT_FALSE(b.judgement.has_value());
  ASSERT_EQ(a.model.flow.num_layers(), b.model.flow.num_layers());
  const Matrix rows = Stream(1, Purpose::kTest).normal_matrix(20, a.model.flow.dim());
  EXPECT_EQ(a.model.flow.forward(0, rows, Workers(1)), b.model.flow.forward(0, rows, Workers(1)));
}

TEST(Align, LabelsAreGatesUnlessTheCallerHasChosenOne) {
  Table table = randomized_arms(120, 2);
  std::vector<std::string> sex;
  for (Index i = 0; i < table.num_rows(); ++i) sex.emplace_back(i % 2 == 0 ? "f" : "m");
  table.add("sex", sex);
  const Dataset data = dataset_of(table, DatasetOptions{.group = "arm", .label = "sex"});
  std::vector<std::string> messages;
  const auto listen = [&](const Message& message) { messages.push_back(message.text); };
  EXPECT_EQ(options_for(data, {}, listen).gate, Gating::kLabel);
  EXPECT_THAT(messages, ElementsAre(HasSubstr("aligned within their \"sex\"")));
  EXPECT_EQ(options_for(data, {.fit = {.gate = Gating::kNone}}).gate, Gating::kNone);
  EXPECT_EQ(options_for(data, {.gate_by_labels = false}).gate, Gating::kAuto);
  EXPECT_EQ(options_for(arms(2), {}).gate, Gating::kAuto);
}

TEST(Align, MovesATableIntoTheSharedSpace) {
  Table table = randomized_arms(120, 3);
  const Aligned done = align(dataset_of(table, DatasetOptions{.group = "arm"}));
  const auto gap = [](const Table& rows) {
    double sum[2] = {0, 0}, count[2] = {0, 0};
    const Column& value = rows.columns[rows.find("pressure")];
    const Column& arm = rows.columns[rows.find("arm")];
    for (Index i = 0; i < rows.num_rows(); ++i) {
      const int m = arm.text[static_cast<std::size_t>(i)] == "treated" ? 1 : 0;
      sum[m] += value.numbers[static_cast<std::size_t>(i)];
      count[m] += 1;
    }
    return std::abs(sum[0] / count[0] - sum[1] / count[1]);
  };
  const double before = gap(table);
  to_shared(done.model, table);
  EXPECT_LT(gap(table), 0.2 * before);
}

TEST(AlignOptions, AreReadByName) {
  DatasetOptions data;
  AlignOptions options;
  for (const auto& [name, text] :
       std::vector<std::pair<std::string, std::string>>{{"seed", "7"},
                                                        {"method", "nb"},
                                                        {"missing", "drop"},
                                                        {"label", "sex"},
                                                        {"drop", "id,note"},
                                                        {"as", "age=whole"},
                                                        {"unseen", "0.1"},
                                                        {"gate", "auto"}}) {
    set_option(data, options, name, text);
  }
  EXPECT_EQ(options.fit.seed, 7u);
  EXPECT_EQ(data.seed, 7u);
  EXPECT_EQ(options.fit.method, Method::kNb);
  EXPECT_EQ(data.columns.missing, MissingRule::kDrop);
  EXPECT_EQ(data.label, "sex");
  EXPECT_THAT(data.columns.drop, ElementsAre("id", "note"));
  EXPECT_THAT(data.columns.as, ElementsAre(std::pair<std::string, std::string>("age", "whole")));
  EXPECT_EQ(options.unseen, 0.1);
  EXPECT_FALSE(options.gate_by_labels);
  EXPECT_THROW(set_option(data, options, "unseen", "1"), InvalidOption);
  EXPECT_THROW(set_option(data, options, "as", "whole"), InvalidOption);
  EXPECT_THROW(set_option(data, options, "metod", "nb"), InvalidOption);
}

TEST(Align, RefusesAGroupThatIsNotThere) {
  EXPECT_THROW(align(arms(1), {.to = "placebo"}), InvalidOption);
}

}  // namespace align_test
}  // namespace conflux
