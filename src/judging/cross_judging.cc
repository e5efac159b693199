#include "judging/cross_judging.h"

#include <fmt/format.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "core/rng.h"
#include "core/take_rows.h"
#include "options/methods.h"
#include "training/fit_plan.h"

namespace conflux {

namespace {

constexpr Index kMostCrossedRows = 50'000;
// Numbers of a table beyond which a second fit would take long.
constexpr Index kMostCrossedNumbers = 2'000'000;
// Smaller groups are fitted as they are and do not judge.
constexpr Index kFewestToHalve = 20;
// Apart from the other draws of rows that are held out.
constexpr std::uint64_t kCrossed = 5;

bool trains_networks(Method method) {
  return method_info(method).has("coupling") || method_info(method).critics;
}

Flow fit_like(const Fit& fit, const GroupSet& rows, const std::vector<Index>& gaps) {
  if (fit.flow.num_layers() == 0) return fit.flow;
  const std::vector<Index> all_fitted;
  FitPlan plan;
  plan.groups_differ = true;
  plan.rehearse = false;
  plan.gaps = gaps;
  plan.kinds = &fit.record.kinds;
  plan.drawn_from = &all_fitted;
  SelfCommunicator alone;
  return fit_planned(rows, fit.chosen, alone, {}, plan).flow;
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
  if (!groups.label_names().empty()) out.set_labels(groups.label_names(), std::move(labels));
  return out;
}

std::optional<CrossedRows> cross_rows(const GroupSet& groups, const FitOptions& requested,
                                      std::uint64_t seed) {
  const Index rows = groups.num_samples();
  if (rows > kMostCrossedRows || rows * groups.dim() > kMostCrossedNumbers ||
      !requested.image.empty() || trains_networks(requested.method)) {
    return std::nullopt;
  }
  using Choice = std::vector<std::vector<Index>>;
  std::array<Choice, 2> fitted, judged;
  Index halved = 0;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Index size = groups[m].rows.rows();
    const bool small = size < kFewestToHalve;
    halved += small ? 0 : 1;
    std::vector<Index> order = Stream(seed, Purpose::kHeldOut, 0, kCrossed).permutation(size);
    const auto middle = order.begin() + size / 2;
    std::sort(order.begin(), middle);
    std::sort(middle, order.end());
    const std::vector<Index> first(order.begin(), middle), second(middle, order.end());
    std::sort(order.begin(), order.end());
    fitted[0].push_back(small ? order : first);
    fitted[1].push_back(small ? order : second);
    judged[0].push_back(small ? std::vector<Index>() : second);
    judged[1].push_back(small ? std::vector<Index>() : first);
  }
  if (halved < 2) return std::nullopt;
  CrossedRows out;
  for (std::size_t h = 0; h < 2; ++h) {
    out.fitted[h] = take_rows(groups, fitted[h]);
    out.judged[h] = with_rows(take_rows(groups, judged[h]));
  }
  return out;
}

bool gains_nothing_clear(const Fit& fit, const Judgement& judgement) {
  return fit.flow.num_layers() > 0 && !judgement.clear_gain();
}

void leave_alone(Fit& fit, const Judgement& judgement) {
  const Guess& before = judgement.verdict_before();
  const Guess& after = judgement.verdict_after();
  FitRecord& record = fit.record;
  FitSummary& summary = record.summary;
  record.dropped_layers.insert(record.dropped_layers.end(), record.layers.begin(),
                               record.layers.end());
  record.layers.clear();
  record.stop = "The judged rows show no clear gain.";
  record.neighborhoods.clear();
  record.warnings.clear();
  fit.flow = Flow(fit.flow.group_names(), fit.flow.dim());
  fit.judged.reset();
  summary.verdict = "left alone";
  summary.sentences = {fmt::format(
      "Left alone: a fit changes the group AUC from {:.3f} to {:.3f} (standard error of the "
      "difference {:.3f}, on {} rows that judged it without being fitted), which is no clear gain, "
      "so every row stays where it is. More rows may show one; a method that is named, say --method "
      "nb, aligns the rows all the same.",
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
  summary.energy_after = judgement.energy.before;
}

std::optional<std::array<Flow, 2>> fit_halves(const Fit& fit, const CrossedRows& rows) {
  try {
    return std::array{fit_like(fit, rows.fitted[0], rows.gaps),
                      fit_like(fit, rows.fitted[1], rows.gaps)};
  } catch (const InvalidData&) {
    return std::nullopt;
  } catch (const InvalidOption&) {
    return std::nullopt;
  }
}

}  // namespace conflux
