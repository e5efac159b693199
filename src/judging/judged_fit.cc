#include "judging/judged_fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "comparing/composition.h"
#include "conflux/core/error.h"
#include "conflux/judging/evaluation.h"
#include "core/rng.h"
#include "core/take_rows.h"
#include "flow/knot_reach.h"
#include "judging/new_rows.h"
#include "metrics/thinning.h"
#include "training/pool_draw.h"
#include "training/within_labels.h"

namespace conflux {

namespace {

constexpr Index kMostJudgedRows = 10'000;
constexpr Index kMostSampledRows = 2'000;
constexpr std::size_t kMostNamed = 3;

using Choice = std::vector<std::vector<Index>>;

std::vector<Index> counts_of(const Choice& rows) {
  std::vector<Index> out;
  for (const auto& each : rows) out.push_back(static_cast<Index>(each.size()));
  return out;
}

Index count_all(const Choice& rows) {
  Index out = 0;
  for (const auto& each : rows) out += static_cast<Index>(each.size());
  return out;
}

// Steps begin with 1: the held-out rows of the fit itself are drawn without one.
std::vector<Index> draw_sorted(Index rows, Index count, std::uint64_t seed, std::size_t group,
                               std::uint64_t step) {
  Stream stream(seed, Purpose::kHeldOut, group, step);
  std::vector<Index> out = stream.start_of_permutation(rows, count);
  std::sort(out.begin(), out.end());
  return out;
}

// Thins large groups to the same number of rows, so that all groups together keep within the limit.
Choice thinned(Choice rows, std::uint64_t seed) {
  const Index most = rows_per_group(counts_of(rows), kMostJudgedRows);
  for (std::size_t m = 0; m < rows.size(); ++m) {
    const auto size = static_cast<Index>(rows[m].size());
    if (size <= most) continue;
    std::vector<Index> kept = draw_sorted(size, most, seed, m, 2);
    for (Index& i : kept) i = rows[m][i];
    rows[m] = std::move(kept);
  }
  return rows;
}

Choice without_rows(const Choice& rows, const Choice& taken) {
  Choice out(rows.size());
  for (std::size_t m = 0; m < rows.size(); ++m) {
    std::set_difference(rows[m].begin(), rows[m].end(), taken[m].begin(), taken[m].end(),
                        std::back_inserter(out[m]));
  }
  return out;
}

// Groups that are larger than their pools have rows enough without a share of it.
void set_rows_aside(RowsToJudge& out, const GroupSet& groups, const Pool& pool, double share,
                    std::uint64_t seed) {
  Index large = 0;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const auto rows = static_cast<Index>(pool.fitted[m].size());
    const bool whole = rows == pool.sizes[m];
    const auto unseen = whole ? static_cast<Index>(std::lround(share * static_cast<double>(rows)))
                              : static_cast<Index>(pool.next[m].size());
    const bool enough = unseen >= kFewestUnseenRows;
    out.set_aside.push_back(
        whole ? draw_sorted(rows, enough ? unseen : 0, seed, static_cast<std::size_t>(m), 1)
              : pool.next[m]);
    large += enough ? 1 : 0;
    if (!enough) out.too_small.push_back(groups[m].name);
  }
  if (large > 1) return;
  out.set_aside.clear();
  out.too_small.clear();
}

DataShape shape_of(const GroupSet& groups) {
  DataShape out{.dim = groups.dim(), .group_names = groups.names()};
  for (Index m = 0; m < groups.num_groups(); ++m) out.group_sizes.push_back(groups[m].rows.rows());
  return out;
}

// Samples at most `limit` rows per group, without a list of the others.
Choice some_rows(const GroupSet& groups, std::uint64_t seed, Index limit) {
  const std::vector<Index> sizes = shape_of(groups).group_sizes;
  const Index most = rows_per_group(sizes, limit);
  Choice out;
  for (std::size_t m = 0; m < sizes.size(); ++m) {
    if (sizes[m] > most) {
      out.push_back(draw_sorted(sizes[m], most, seed, m, 2));
      continue;
    }
    out.emplace_back(static_cast<std::size_t>(sizes[m]));
    std::iota(out.back().begin(), out.back().end(), Index{0});
  }
  return out;
}

GroupSet sample_of(const GroupSet& groups, std::uint64_t seed) {
  return with_rows(take_rows(groups, some_rows(groups, seed, kMostSampledRows)));
}

std::string whose_rows(const RowsToJudge& rows, JudgedBy by, Index judged, const Fit& fit) {
  const bool fitted_again = fit.judged.has_value(), nothing_fitted = !fit.flow.moves();
  const std::string count = judged < rows.unseen_rows
                                ? fmt::format("{} of {}", judged, rows.unseen_rows)
                                : fmt::format("{}", judged);
  switch (by) {
    case JudgedBy::kCrossed:
      if (nothing_fitted) return fmt::format("Scores: {} rows, which stay where they are.", judged);
      if (rows.set_aside.empty()) {
        return fmt::format(
            "Scores: {} rows in two halves, each moved by a fit of the other half. The final model "
            "is "
            "fitted on all rows.",
            judged);
      }
      return fmt::format(
          "Scores: {} rows, each moved by a fit that has not seen it: {} test rows, kept from the "
          "fit, and the {} others in two halves, each by a fit of the other half.",
          judged, rows.judged.num_samples(), rows.fitted_rows);
    case JudgedBy::kSetAside:
      return fmt::format("Scores: {} test rows, kept from the fit, which had {} others.", count,
                         rows.fitted_rows);
    case JudgedBy::kHeldOut:
      if (fitted_again) {
        return fmt::format(
            "Scores: {} validation rows of {}, also used for early stopping. The final model is "
            "refitted on all rows.",
            judged, rows.fitted_rows);
      }
      return fmt::format(
          "Scores: {} validation rows of {}, also used for early stopping; new rows may score a "
          "little worse.",
          judged, rows.fitted_rows);
    case JudgedBy::kRehearsed:
      return fmt::format(
          "Scores: {} of the {} rows, moved by a trial fit of the others. The final model is "
          "fitted "
          "on all rows; new rows should score a little better.",
          judged, rows.fitted_rows);
    case JudgedBy::kFitted:
      return fmt::format(
          "Scores: {} of the {} training rows, which are optimistic: new rows will score worse.",
          judged, rows.fitted_rows);
  }
  return "";
}

// The fit's own held-out rows may see less than the rows that are judged, and are named therefore.
std::string how_it_ended(const FitRecord& record) {
  const std::size_t layers = record.layers.size();
  const std::string count = fmt::format("{} layer{}", layers, layers == 1 ? "" : "s");
  if (record.stop.empty()) return fmt::format("{}, as planned.", count);
  const bool judged = !record.predictions.empty() || !record.dropped_layers.empty();
  return judged && record.options.validation_fraction.value_or(0) > 0
             ? fmt::format("Stopped after {} by validation rows: {}", count, record.stop)
             : fmt::format("Stopped after {}: {}", count, record.stop);
}

// How many rows have maps of their label, and how many are moved by where they lie.
std::string rows_by_label(const FitRecord& record) {
  Index all = 0, labeled = 0;
  for (const Index rows : record.group_sizes) all += rows;
  for (const WithinRecord& each : record.within) {
    for (const Index rows : each.rows) labeled += rows;
  }
  const std::size_t labels = record.within.size();
  const std::string own =
      fmt::format("{} of {} fitted rows have maps of their own label ({} label{})", labeled, all,
                  labels, labels == 1 ? "" : "s");
  if (labeled == all) return own + "; a new row without a label is moved by where it lies.";
  return fmt::format(
      "{}; {} without a label, or of a label that too few rows of their group have, are moved by "
      "where they lie.",
      own, all - labeled);
}

std::vector<std::string> groups_without_rows(const GroupSet& groups) {
  std::vector<std::string> out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (groups[m].rows.rows() == 0) out.push_back(groups[m].name);
  }
  return out;
}

void add_groups_left_out(std::vector<std::string> names, std::vector<std::string>& sentences) {
  if (names.empty()) return;
  const std::size_t all = names.size();
  names.resize(std::min(all, kMostNamed));
  sentences.push_back(
      fmt::format("Not scored, because these groups are too small to hold out rows: {}{}.",
                  fmt::join(names, ", "),
                  all > kMostNamed ? fmt::format(" and {} more", all - kMostNamed) : ""));
}

// How far fitted rows lie beyond the outer knots; that of new rows is compared with it.
std::optional<double> beyond_knots(const Flow& flow, const GroupSet& fitted,
                                   const Workers& workers) {
  std::vector<double> shares;
  bool knots = false;
  for (Index m = 0; m < fitted.num_groups(); ++m) {
    const KnotReach found =
        knot_reach(flow, flow.group_index(fitted[m].name), fitted[m].rows, workers);
    knots |= found.maps > 0;
    shares.insert(shares.end(), found.beyond.begin(), found.beyond.end());
  }
  if (!knots) return std::nullopt;
  return most_beyond(std::move(shares));
}

void summarize(Fit& fit, const RowsToJudge& rows, JudgedBy by, const Judgement& judgement) {
  FitSummary& out = fit.record.summary;
  const GroupPrediction& before = judgement.verdict_before();
  const GroupPrediction& after = judgement.verdict_after();
  out.verdict = name_of(judgement.verdict);
  out.auc_before = before.auc;
  out.auc_after = after.auc;
  out.auc_by_chance = after.by_chance();
  out.auc_low = after.low();
  out.auc_high = after.high();
  if (const std::optional<Index> worst = after.worst_group()) {
    out.worst_group = judgement.worst_group;
    out.worst_before = before.per_group[*worst];
    out.worst_after = after.per_group[*worst];
  }
  out.within_labels = judgement.within_labels;
  out.neighbors_kept = judgement.mean_neighbors_kept;
  out.neighbors_by_chance = judgement.neighbors_by_chance;
  for (std::size_t j = 0; j < std::min(kMostNamed, judgement.features_moved.size()); ++j) {
    out.moved_most.push_back(judgement.features_moved[j].name);
    out.moved_by.push_back(judgement.features_moved[j].distance);
  }
  out.energy_after = judgement.energy.after;
  out.energy_low = judgement.energy_low;
  out.energy_high = judgement.energy.by_chance;
  out.judged_rows = judgement.rows;
  out.unseen_rows = by == JudgedBy::kFitted ? 0 : judgement.rows;
  out.sentences = judgement.sentences;
  if (fit.record.options.amount < 1) {
    out.sentences.push_back(fmt::format(
        "Rows are moved by {:g} of their way (amount); the fit is the same for any amount.",
        fit.record.options.amount));
  }
  fit.record.neighborhoods = judgement.neighborhoods;
  const std::vector<std::string>& ladder = fit.record.ladder.sentences;
  out.sentences.insert(out.sentences.end(), ladder.begin(), ladder.end());
  const std::string& reason = fit.record.clusters.reason;
  if (!reason.empty() && !fit.record.layers.empty()) out.sentences.push_back(reason);
  if (!fit.record.given_sizes.empty()) out.sentences.push_back(pool_sentence(fit.record));
  if (!fit.record.within.empty()) out.sentences.push_back(rows_by_label(fit.record));
  out.sentences.push_back(whose_rows(rows, by, judgement.rows, fit));
  add_groups_left_out(
      by == JudgedBy::kRehearsed ? groups_without_rows(fit.rehearsed->before) : rows.too_small,
      out.sentences);
  out.sentences.push_back(how_it_ended(fit.record));
  fit.record.warnings.insert(fit.record.warnings.end(), judgement.warnings.begin(),
                             judgement.warnings.end());
}

// Rows of all groups below each other.
Matrix stacked(const GroupSet& groups) {
  Matrix out(groups.num_samples(), groups.dim());
  Index at = 0;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    out.middleRows(at, groups[m].rows.rows()) = groups[m].rows.to_matrix();
    at += groups[m].rows.rows();
  }
  return out;
}

Judgement judge_unseen(const UnseenRows& rows, std::uint64_t seed, const Workers& workers) {
  const Matrix before = stacked(rows.before), after = stacked(rows.after);
  std::vector<Index> group_of, label_of;
  std::vector<std::string> names;
  for (Index m = 0; m < rows.before.num_groups(); ++m) {
    const Group& group = rows.before[m];
    if (group.rows.rows() > 0) names.push_back(group.name);
    for (Index i = 0; i < group.rows.rows(); ++i) {
      group_of.push_back(static_cast<Index>(names.size()) - 1);
      label_of.push_back(group.label(i));
    }
  }
  Alignment alignment{.before = SampleRows(before),
                      .after = SampleRows(after),
                      .group_of = group_of,
                      .group_names = std::move(names),
                      .label_names = rows.before.label_names(),
                      .covariates = rows.before.covariates(),
                      .feature_names = rows.before.feature_names()};
  if (!alignment.label_names.empty()) alignment.label_of = label_of;
  return judge_alignment(alignment, {.seed = seed}, workers);
}

void choose_gate_by(const GroupSet& groups, RowsToJudge& out) {
  GateDecision decision = decide_gate(groups, out.options, 1, Workers(out.options.threads));
  out.options.gate = decision.gate;
  out.clusters = std::move(decision.clusters);
}

}  // namespace

FitPlan RowsToJudge::plan() const {
  FitPlan out;
  out.clusters = &clusters;
  out.drawn_from = &drawn_from;
  out.rehearse = by == JudgedBy::kFitted;
  return out;
}

RowsToJudge choose_rows_to_judge(GroupSet groups, double unseen, const FitOptions& options,
                                 const Pool* drawn) {
  if (!(unseen >= 0 && unseen < 1)) {
    throw InvalidOption(
        fmt::format("unseen is {}; choose a fraction from 0 to below 1, say 0.2.", unseen));
  }
  RowsToJudge out{.options = options};
  Pool pool;
  // If no row is set aside, no list of all rows is made.
  const bool all = drawn == nullptr && unseen == 0 && rows_to_fit(options).all();
  if (drawn != nullptr) {
    pool = *drawn;
  } else if (!all) {
    pool = draw_pool(groups, rows_to_fit(options), options.seed);
  }
  if (!all) set_rows_aside(out, groups, pool, unseen, options.seed);
  if (!pool.whole()) {
    out.drawn_from = pool.sizes;
    fix_size_weights(out.options, pool.sizes);
  }
  choose_gate_by(pool.whole() ? groups : take_rows(groups, pool.fitted), out);
  if (!out.set_aside.empty()) {
    out.by = JudgedBy::kSetAside;
    out.unseen_rows = count_all(out.set_aside);
    out.judged = with_rows(take_rows(groups, thinned(out.set_aside, options.seed)));
    out.fitted = take_rows(groups, without_rows(pool.fitted, out.set_aside));
    out.fitted_rows = out.fitted.num_samples();
    out.sampled = sample_of(out.fitted, options.seed);
    return out;
  }
  if (!pool.whole()) groups = take_rows(groups, pool.fitted);
  out.fitted_rows = groups.num_samples();
  Choice held_out;
  if (groups.num_groups() > 1) {
    held_out = rows_held_out_within(groups, out.options);
    if (held_out.empty()) {
      held_out = rows_held_out(groups, resolve(out.options, shape_of(groups)));
    }
  }
  out.by = held_out.empty() ? JudgedBy::kFitted : JudgedBy::kHeldOut;
  out.unseen_rows = count_all(held_out);
  out.judged = with_rows(take_rows(groups, held_out.empty()
                                               ? some_rows(groups, options.seed, kMostJudgedRows)
                                               : thinned(std::move(held_out), options.seed)));
  out.sampled = sample_of(groups, options.seed);
  out.fitted = std::move(groups);
  return out;
}

Fit fit_that_leaves(const GroupSet& groups, const FitOptions& options) {
  Fit out{.flow = Flow(groups.names(), groups.dim()), .record = {}};
  const DataShape shape = shape_of(groups);
  out.record.options = resolve(options, shape);
  out.record.group_sizes = shape.group_sizes;
  out.record.summary.verdict = name_of(Verdict::kNothingToAlign);
  out.record.summary.sentences = {"There is nothing to align, so the rows were left as they are."};
  return out;
}

std::optional<Judgement> judge_fit(Fit& fit, const RowsToJudge& rows, const std::string& to) {
  const FitOptions& options = fit.record.options;
  fit.record.summary.beyond_knots = beyond_knots(fit.flow, rows.sampled, Workers(options.threads));
  note_reach(fit.record.summary, stacked(rows.sampled));
  EvaluationOptions how{.metrics = {"transport_cost"},
                        .gate = options.gate,
                        .to = to,
                        .seed = options.seed,
                        .threads = options.threads};
  // Where rows were set aside they come first, and otherwise the first part.
  const bool apart = rows.by == JudgedBy::kSetAside;
  const std::vector<Flow> flows =
      rows.crossed ? fit_others(fit, *rows.crossed) : std::vector<Flow>();
  if (!flows.empty()) {
    const GroupSet& first = apart ? rows.judged : rows.crossed->judged.front();
    how.further = judge_parts(flows, *rows.crossed, first.names(), how);
  }
  const bool crossed = !how.further.empty();
  if (!crossed && rows.by == JudgedBy::kFitted && fit.rehearsed && to.empty()) {
    const Judgement judgement =
        judge_unseen(*fit.rehearsed, options.seed, Workers(options.threads));
    summarize(fit, rows, JudgedBy::kRehearsed, judgement);
    return judgement;
  }
  // Rows that were set aside judge the model itself, as no fit has seen them. Other rows judge a
  // fit of the other parts, or the flow that has not seen them.
  const bool part = crossed && !apart;
  const bool again = rows.by == JudgedBy::kHeldOut && fit.judged.has_value();
  if (part) how.further.erase(how.further.begin());
  const Evaluation found = part ? evaluate(flows.front(), rows.crossed->judged.front(), how)
                                : evaluate(again ? *fit.judged : fit.flow, rows.judged, how);
  if (found.judgement) {
    summarize(fit, rows, crossed ? JudgedBy::kCrossed : rows.by, *found.judgement);
  } else {
    fit.record.summary.sentences = {
        "Too few rows: scores need two groups of at least three rows each.",
        how_it_ended(fit.record)};
  }
  return found.judgement;
}

}  // namespace conflux
