#include "training/automatic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conflux/comparing/check.h"
#include "core/stopwatch.h"
#include "fitting/line_maps.h"
#include "options/automatic.h"
#include "options/methods.h"
#include "training/cross_fit.h"
#include "training/held_out.h"
#include "training/inspection.h"
#include "training/moved_groups.h"
#include "training/resumption.h"
#include "training/stage_options.h"

namespace conflux {

namespace {

// AUCs differ clearly if they differ by more than this fraction of the chance band, which is one
// standard deviation.
constexpr double kClear = 0.6;
// Standard deviations by which two figures together must favor a candidate.
constexpr double kClearerThanATie = 0.5;

bool is_table(const GroupSet& groups, const FitOptions& resolved, const Communicator& comm) {
  return groups.dim() <= automatic::kMostTreeFeatures && resolved.gate == Gating::kNone &&
         resolved.image.empty() && comm.size() == 1;
}

PredictionRecord best_prediction(const Fit& fit) {
  const auto& all = fit.record.predictions;
  return *std::min_element(all.begin(), all.end(),
                           [](const auto& a, const auto& b) { return a.auc < b.auc; });
}

// The layers of `second` after those of `first`, with the predictions that were made for them, also
// if fewer layers were enough when all rows were there.
void add_stage(Fit& first, const Fit& second) {
  const auto before = static_cast<Index>(first.record.layers.size());
  for (const auto& layer : second.flow.layers()) first.flow.append(layer);
  for (LayerRecord record : second.record.layers) {
    record.layer += before;
    first.record.layers.push_back(std::move(record));
  }
  for (PredictionRecord prediction : second.record.predictions) {
    prediction.layer =
        before + std::min(prediction.layer, static_cast<Index>(second.record.layers.size()));
    if (prediction.layer > 0) first.record.predictions.push_back(prediction);
  }
}

// A smaller difference of two predictions may be chance.
double clear_step(const PredictionRecord& prediction) {
  return kClear * (prediction.by_chance - 0.5);
}

class AutomaticFit {
 public:
  AutomaticFit(GroupSet groups, const FitOptions& requested, Communicator& comm,
               const LayerCallback& on_layer, const FitPlan& control)
      : groups_(std::move(groups)),
        comm_(comm),
        on_layer_(on_layer),
        control_(control),
        workers_(requested.threads),
        may_hold_out_(!requested.validation_fraction),
        may_choose_layers_(!requested.layers),
        fit_(begin_fit(groups_, all_rows(groups_), requested, comm)) {}

  Fit run() {
    const Stopwatch watch;
    const double before = control_.resume != nullptr ? control_.resume->record.seconds : 0;
    Fit out = fit_stages();
    out.record.seconds = before + watch.seconds();
    return out;
  }

 private:
  Fit fit_stages() {
    if (comm_.size() == 1 && !groups_differ(groups_, options(), control_)) {
      return fit_no_layers(groups_, options(), comm_, kNoDifference, kNoDifferenceWarning);
    }
    const FitOptions resolved = options();
    if (are_few(resolved)) return few_rows_stage(resolved);
    const bool table = is_table(groups_, resolved, comm_) && *resolved.validation_fraction > 0;
    fit_ = sliced_stage(resolved, table ? groups_ : std::move(groups_), *resolved.layers, control_);
    if (table && go_on_) later_stages(resolved);
    fit_.record.options = resolved;
    return std::move(fit_);
  }

  const FitOptions& options() const { return fit_.record.options; }

  std::vector<std::string> warnings_of(const GroupSet& groups) const {
    const RowChoice usable = all_rows(groups);
    return find_warnings(groups, usable, place_rows(usable, comm_), options(), comm_);
  }

  /// Whether rows are too few for validation rows, although these are allowed.
  bool are_few(const FitOptions& resolved) const {
    return may_hold_out_ && *resolved.validation_fraction == 0 && comm_.size() == 1 &&
           resolved.gate == Gating::kNone;
  }

  /// As many sliced layers as bring rows nearest that were left out in turn, and none if half of
  /// the rows is harder to predict without; then conditional ones, which need no judge.
  Fit few_rows_stage(FitOptions resolved) {
    // A fit that goes on from a checkpoint must know that it may choose the number of layers.
    resolved.validation_fraction.reset();
    const std::optional<Index> layers =
        layers_by_cross_fit(groups_, sliced_options(resolved), watched(), workers_);
    if (!go_on_) return std::move(fit_);
    if (!layers) {
      // Images go through the unit cube, however few.
      const bool few = may_choose_layers_ && resolved.unit_cube != UnitCube::kOn;
      const Index planned = *resolved.layers;
      fit_ = sliced_stage(resolved, std::move(groups_),
                          few ? std::min(planned, automatic::kLayersOfFewest) : planned, control_);
      if (few) fit_.record.stop = "The groups are too small to tell whether more would help.";
      fit_.record.options = resolved;
      return std::move(fit_);
    }
    const bool compares = *layers > 0 && groups_.dim() <= automatic::kMostFeaturesOfFew &&
                          is_table(groups_, resolved, comm_);
    Rehearsal best{.layers = *layers};
    Halves halves;
    if (compares || control_.rehearse) {
      halves = halve_rows(groups_, resolved.seed);
      best = rehearse(halves, resolved, *layers);
    }
    if (compares && go_on_) {
      Rehearsal alone = rehearse(halves, resolved, 0);
      if (alone.prediction.auc < best.prediction.auc) best = std::move(alone);
    }
    if (!go_on_) return std::move(fit_);
    Fit out = fit_few(groups_, resolved, best.layers, control_);
    if (control_.rehearse) {
      out.rehearsed = {.before = std::move(halves.unseen), .after = std::move(best.after)};
    }
    out.record.options = resolved;
    out.record.stop =
        best.layers > 0 ? fmt::format(
                              "Rows that were left out in turn came nearest to each other after {} "
                              "sliced layers.",
                              best.layers)
                        : "Sliced layers did not help rows that were left out.";
    if (out.record.layers.empty()) warn_that_nothing_helps(out);
    return out;
  }

  /// Scores of one half by a fit of the other, with this number of sliced layers.
  struct Rehearsal {
    Index layers = 0;
    GroupSet after = {};
    GroupPrediction prediction = {};
  };

  Rehearsal rehearse(const Halves& halves, const FitOptions& resolved, Index layers) {
    const Fit fit = fit_few(halves.fitted, resolved, layers, {});
    Rehearsal out{.layers = layers, .after = moved_by(fit.flow, halves.unseen, workers_)};
    out.prediction = predict_groups(out.after, {.seed = resolved.seed}, workers_);
    return out;
  }

  Fit fit_few(const GroupSet& groups, const FitOptions& resolved, Index layers,
              const FitPlan& control) {
    Fit out{.flow = Flow(groups.names(), groups.dim()), .record = fit_.record};
    out.record.warnings = warnings_of(groups);
    const bool table = is_table(groups, resolved, comm_) && (layers == 0 || control_.gaps.empty());
    if (layers > 0) out = sliced_stage(resolved, groups, layers, control);
    if (!table || !go_on_) return out;
    FitOptions options = conditional_options(resolved);
    options.layers = automatic::kConditionalLayersOfFew;
    add_stage(out, later_fit(moved_by(out.flow, groups, workers_), options));
    return out;
  }

  void warn_that_nothing_helps(Fit& fit) const {
    fit.record.stop = "No layer brought rows nearer to each other that were left out in turn.";
    fit.record.warnings.push_back(
        "no layer brought rows nearer to each other that the fit had not seen: the rows stay where "
        "they are; the groups are too small to tell how they differ. Give more rows, or choose a "
        "method, say nb, to align them all the same.");
  }

  /// Checkpoints are of this stage: a fit that goes on from one repeats the trees, which are quick.
  Fit sliced_stage(const FitOptions& resolved, GroupSet groups, Index layers,
                   const FitPlan& given) {
    FitOptions sliced = sliced_options(resolved);
    sliced.layers = layers;
    if (!sliced.validation_fraction) sliced.validation_fraction = 0;
    Fit earlier;
    FitPlan control;
    if (given.resume != nullptr) {
      earlier = *given.resume;
      check_same_options(earlier.record.options, resolved);
      earlier.record.options = sliced;
      control.resume = &earlier;
    }
    if (given.on_progress) {
      control.on_progress = [&](const Fit& so_far) {
        Fit told = so_far;
        told.record.options = resolved;
        given.on_progress(told);
      };
    }
    return fit_stack(std::move(groups), sliced, comm_, watched(), control);
  }

  void later_stages(const FitOptions& resolved) {
    fit_.judged = fit_.flow;
    if (control_.gaps.empty() || fit_.flow.takes_gaps()) {
      conditional_stage(resolved);
    } else {
      replace_sliced_stage(resolved);
    }
    if (go_on_ && (control_.gaps.empty() || fit_.flow.takes_gaps())) tree_stage(resolved);
  }

  /// Layers that jump must not follow those that mix what is there with what is missing: such rows
  /// could not always be brought back. So rows with gaps get conditional layers and trees, or, if
  /// held-out rows are clearly harder to predict with them, sliced layers and nothing else.
  void replace_sliced_stage(const FitOptions& resolved) {
    const FitOptions options = conditional_options(resolved);
    const Fit alone = later_fit(groups_, options);
    if (!go_on_) return;
    PredictionRecord sliced = prediction_of(moved_by(fit_.flow, groups_, workers_), options);
    sliced.layer = static_cast<Index>(fit_.record.layers.size());
    fit_.record.predictions = {alone.record.predictions.front()};
    if (best_prediction(alone).auc - sliced.auc > clear_step(sliced)) {
      fit_.record.predictions.push_back(sliced);
      return tell_stop(sliced);
    }
    drop_layers();
    fit_.judged = fit_.flow;
    take_stage(alone, options);
    judged_rows_ = moved_by(alone.flow, groups_, workers_);
  }

  /// How well the group of held-out rows is predicted.
  PredictionRecord prediction_of(GroupSet groups, FitOptions options) {
    options.layers = 1;
    return later_fit(std::move(groups), options).record.predictions.front();
  }

  /// A stack of a later stage; the same for all that are tried.
  Fit later_fit(GroupSet groups, const FitOptions& options,
                const std::optional<PredictionRecord>& rival = std::nullopt) {
    return fit_stack(std::move(groups), options, comm_, watched(), {}, rival);
  }

  /// Tries conditional layers after the sliced ones, and alone, unless held-out rows have replaced
  /// the sliced ones by one map per feature: conditional ones would begin with the like.
  void conditional_stage(const FitOptions& resolved) {
    const FitOptions options = conditional_options(resolved);
    const GroupSet sliced = moved_by(fit_.flow, groups_, workers_);
    const Fit after = later_fit(sliced, options);
    if (!go_on_) return end_with(after);
    FitOptions options_alone = options;
    // Then only its first prediction is wanted, of the rows as they are.
    if (is_one_map_per_feature()) options_alone.layers = 1;
    const Fit alone = later_fit(groups_, options_alone, best_prediction(after));
    if (!go_on_) return end_with(after);
    fit_.record.predictions = {alone.record.predictions.front()};
    const bool without = !is_one_map_per_feature() && !are_needed(after, sliced, alone, resolved);
    if (without) drop_layers();
    fit_.judged = fit_.flow;
    const Fit& chosen = without ? alone : after;
    take_stage(chosen, options);
    judged_rows_ = moved_by(chosen.flow, without ? groups_ : sliced, workers_);
  }

  bool is_one_map_per_feature() const {
    return fit_.record.layers.size() == 1 && fit_.record.layers.front().kind == "coordinate";
  }

  /// The fit was stopped on request: it keeps its layers, which no validation row has scored.
  void end_with(const Fit& stage) {
    add_stage(fit_, stage);
    fit_.judged.reset();
  }

  /// Trees see cuts that are too fine for maps. They over-fit sooner, so they must gain clearly.
  void tree_stage(const FitOptions& resolved) {
    const FitOptions options = tree_options(resolved);
    const Fit trees = later_fit(std::move(judged_rows_), options);
    const PredictionRecord start = trees.record.predictions.front(), best = best_prediction(trees);
    const bool gain = go_on_ && start.auc - best.auc > clear_step(best);
    if (gain) take_stage(trees, options);
    tell_stop(gain ? best : start);
  }

  /// Whether validation rows favor the sliced layers, by how hard their group is to predict and by
  /// their distances, both in standard errors. Unlike conditional layers, sliced ones do not test
  /// whether a difference is beyond chance, so a tie is not enough.
  bool are_needed(const Fit& after, const GroupSet& sliced, const Fit& alone,
                  const FitOptions& resolved) {
    const PredictionRecord a = best_prediction(after), b = best_prediction(alone);
    RowChoice usable = all_rows(groups_);
    const HeldOut held(usable, groups_, *resolved.validation_fraction, resolved.seed, comm_);
    const auto left = [&](const Fit& fit, const GroupSet& groups) {
      return held.judge_after(fit.flow, groups, comm_, workers_);
    };
    const HeldOutJudgement with = left(after, sliced), without = left(alone, groups_);
    const double error = error_of_difference(with, without);
    const double by_distance = error > 0 ? (without.divergence - with.divergence) / error : 0;
    return (b.auc - a.auc) / clear_step(b) + by_distance > kClearerThanATie;
  }

  /// Adds a stage: as it was judged to the flow that has not seen the held-out rows, and, where
  /// groups are not large without them, fitted once more with these rows to the flow that is
  /// returned.
  void take_stage(const Fit& stage, const FitOptions& options) {
    for (const auto& layer : stage.flow.layers()) fit_.judged->append(layer);
    const auto layers = static_cast<Index>(stage.record.layers.size());
    if (layers == 0 || are_large()) return add_stage(fit_, stage);
    FitOptions all = options;
    all.layers = layers;
    all.validation_fraction = 0;
    Fit again = fit_stack(moved_by(fit_.flow, groups_, workers_), all, comm_, {}, {});
    again.record.predictions = stage.record.predictions;
    add_stage(fit_, again);
  }

  bool are_large() const {
    const std::vector<Index>& sizes = fit_.record.group_sizes;
    return *std::min_element(sizes.begin(), sizes.end()) >= automatic::kLargeWithoutHeldOut;
  }

  void drop_layers() {
    fit_.record.dropped_layers.insert(fit_.record.dropped_layers.end(), fit_.record.layers.begin(),
                                      fit_.record.layers.end());
    fit_.record.layers.clear();
    fit_.flow = Flow(fit_.flow.group_names(), fit_.flow.dim());
  }

  void tell_stop(const PredictionRecord& best) {
    fit_.record.stop =
        best.auc <= best.by_chance
            ? fmt::format(
                  "The group of held-out rows is predicted no better than by chance (AUC {:.3f}).",
                  best.auc)
            : fmt::format(
                  "More layers do not make the group of held-out rows harder to predict "
                  "(AUC {:.3f}; chance is below {:.3f}).",
                  best.auc, best.by_chance);
  }

  /// The caller's callback, whose wish to end counts for all stages.
  LayerCallback watched() {
    if (!on_layer_) return {};
    return [this](const LayerRecord& record) { return go_on_ = on_layer_(record); };
  }

  GroupSet groups_;
  Communicator& comm_;
  const LayerCallback& on_layer_;
  const FitPlan& control_;
  Workers workers_;
  bool may_hold_out_;
  bool may_choose_layers_;
  Fit fit_;
  GroupSet judged_rows_;  // as fit_.judged leaves them, conditional layers included
  bool go_on_ = true;
};

}  // namespace

bool groups_differ(const GroupSet& groups, const FitOptions& options, const FitPlan& plan) {
  if (plan.groups_differ) return *plan.groups_differ;
  return compare_groups(groups, {.seed = options.seed, .threads = options.threads}).differ;
}

Fit fit_no_layers(const GroupSet& groups, const FitOptions& options, Communicator& comm,
                  std::string_view stop, std::string_view warning) {
  const RowChoice usable = all_rows(groups);
  Fit out = begin_fit(groups, usable, options, comm);
  out.record.warnings =
      find_warnings(groups, usable, place_rows(usable, comm), out.record.options, comm);
  out.record.stop = stop;
  if (!warning.empty()) out.record.warnings.emplace_back(warning);
  return out;
}

Fit fit_automatically(GroupSet groups, const FitOptions& options, Communicator& comm,
                      const LayerCallback& on_layer, const FitPlan& control) {
  return AutomaticFit(std::move(groups), options, comm, on_layer, control).run();
}

}  // namespace conflux
