#include "judging/cross_judging.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "conflux/core/error.h"
#include "core/rng.h"
#include "core/take_rows.h"
#include "options/methods.h"
#include "training/fit_plan.h"

namespace conflux {

namespace {

// With more parts, fits have more rows and judges fewer, which then miss what new rows show: claims
// would be too good.
constexpr Index kParts = 2;
constexpr Index kMostCrossedRows = 20'000;
// Numbers of a table beyond which further fits would take long.
constexpr Index kMostCrossedNumbers = 1'000'000;
// Smaller groups are fitted as they are and do not judge.
constexpr Index kFewestToSplit = 20;
// Apart from the other draws of rows that are held out.
constexpr std::uint64_t kCrossed = 5;

Flow fit_like(const Fit& fit, const GroupSet& rows, const std::vector<Index>& gaps) {
  if (!fit.flow.moves()) return fit.flow;
  const std::vector<Index> all_fitted;
  FitPlan plan;
  plan.groups_differ = true;
  plan.rehearse = false;
  plan.gaps = gaps;
  plan.clusters = &fit.record.clusters;
  plan.drawn_from = &all_fitted;
  SelfCommunicator alone;
  return fit_planned(rows, fit.chosen, alone, {}, plan).flow;
}

// Values of other groups in the order of `names`; NaN for groups that the others do not have.
void reorder_groups(GroupPrediction& prediction, const std::vector<std::string>& from,
                    const std::vector<std::string>& names) {
  if (prediction.per_group.empty()) return;
  std::vector<double> out;
  for (const std::string& name : names) {
    const auto at =
        static_cast<std::size_t>(std::find(from.begin(), from.end(), name) - from.begin());
    out.push_back(at < prediction.per_group.size() ? prediction.per_group[at]
                                                   : std::numeric_limits<double>::quiet_NaN());
  }
  prediction.per_group = std::move(out);
}

}  // namespace

GroupSet with_rows(const GroupSet& groups) {
  GroupSet out;
  std::vector<std::vector<Index>> labels;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (groups[m].rows.rows() == 0) continue;
    out.add(groups[m].name, groups[m].rows.to_matrix());
    labels.emplace_back(groups[m].labels.begin(), groups[m].labels.end());
  }
  if (!groups.feature_names().empty()) out.set_feature_names(groups.feature_names());
  out.set_covariates(groups.covariates());
  if (!groups.label_names().empty()) out.set_labels(groups.label_names(), std::move(labels));
  return out;
}

std::optional<CrossedRows> cross_rows(const GroupSet& groups, const FitOptions& requested,
                                      std::uint64_t seed) {
  const Index rows = groups.num_samples();
  if (rows > kMostCrossedRows || rows * groups.dim() > kMostCrossedNumbers ||
      !requested.image.empty()) {
    return std::nullopt;
  }
  Index permuted = 0;
  std::vector<std::vector<std::vector<Index>>> fitted(kParts), judged(kParts);
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Index size = groups[m].rows.rows();
    const bool small = size < kFewestToSplit;
    permuted += small ? 0 : 1;
    const std::vector<Index> order = Stream(seed, Purpose::kHeldOut, 0, kCrossed).permutation(size);
    std::vector<Index> part_of(order.size());
    for (Index i = 0; i < size; ++i) part_of[order[i]] = small ? -1 : i % kParts;
    for (Index p = 0; p < kParts; ++p) {
      fitted[p].emplace_back();
      judged[p].emplace_back();
      for (Index i = 0; i < size; ++i) (part_of[i] == p ? judged : fitted)[p].back().push_back(i);
    }
  }
  if (permuted < 2) return std::nullopt;
  CrossedRows out;
  for (Index p = 0; p < kParts; ++p) {
    out.fitted.push_back(take_rows(groups, fitted[p]));
    out.judged.push_back(with_rows(take_rows(groups, judged[p])));
  }
  return out;
}

std::vector<Flow> fit_others(const Fit& fit, const CrossedRows& rows) {
  try {
    std::vector<Flow> out;
    for (const GroupSet& fitted : rows.fitted) out.push_back(fit_like(fit, fitted, rows.gaps));
    return out;
  } catch (const InvalidData&) {
    return {};
  } catch (const InvalidOption&) {
    return {};
  }
}

std::vector<GroupPredictions> judge_parts(const std::vector<Flow>& flows, const CrossedRows& rows,
                                          const std::vector<std::string>& names,
                                          const EvaluationOptions& options) {
  std::vector<GroupPredictions> out;
  for (std::size_t p = 0; p < flows.size(); ++p) {
    std::optional<GroupPredictions> found = prediction_after(flows[p], rows.judged[p], options);
    if (!found) return {};
    const std::vector<std::string> own = rows.judged[p].names();
    for (GroupPrediction* each : {&found->before, &found->after}) reorder_groups(*each, own, names);
    for (auto* each : {&found->within_before, &found->within_after}) {
      if (*each) reorder_groups(**each, own, names);
    }
    out.push_back(std::move(*found));
  }
  return out;
}

bool gains_nothing_clear(const Fit& fit, const Judgement& judgement) {
  return fit.flow.moves() && !judgement.clear_gain();
}

void leave_alone(Fit& fit, const Judgement& judgement) {
  const GroupPrediction& before = judgement.verdict_before();
  const GroupPrediction& after = judgement.verdict_after();
  FitRecord& record = fit.record;
  FitSummary& summary = record.summary;
  record.dropped_layers.insert(record.dropped_layers.end(), record.layers.begin(),
                               record.layers.end());
  record.layers.clear();
  record.within.clear();
  record.stop = "The scored rows show no clear gain.";
  record.neighborhoods.clear();
  record.warnings.clear();
  fit.flow = Flow(fit.flow.group_names(), fit.flow.dim());
  fit.judged.reset();
  summary.verdict = name_of(Verdict::kLeftAlone);
  summary.sentences = {fmt::format(
      "Left alone: a fit changes the group AUC from {:.3f} to {:.3f} (standard error of the "
      "difference {:.3f}) on {} rows that it has not seen, which is no clear gain, so every row "
      "stays where it is. More rows may show one; a method chosen by name, say --method nb, aligns "
      "the rows all the same.",
      before.auc, after.auc, judgement.gain_error, judgement.rows)};
  summary.auc_after = before.auc;
  summary.auc_by_chance = before.by_chance();
  summary.auc_low = before.low();
  summary.auc_high = before.high();
  summary.worst_after = summary.worst_before;
  summary.neighbors_kept = 1;
  summary.moved_most.clear();
  summary.moved_by.clear();
  summary.beyond_knots.reset();
  summary.reach_low.clear();
  summary.reach_high.clear();
  summary.energy_after = judgement.energy.before;
}

}  // namespace conflux
