#include "conflux/training/fit.h"

#include <fmt/format.h>

#include <exception>
#include <map>

#include "comparing/composition.h"
#include "conflux/core/error.h"
#include "core/stopwatch.h"
#include "core/take_rows.h"
#include "fitting/layer_kinds.h"
#include "fitting/moments.h"
#include "fitting/row_choice.h"
#include "options/methods.h"
#include "training/automatic.h"
#include "training/climb.h"
#include "training/fit_plan.h"
#include "training/gathered_pool.h"
#include "training/inspection.h"
#include "training/layer_judge.h"
#include "training/memory.h"
#include "training/pool_draw.h"
#include "training/resumption.h"
#include "training/units.h"
#include "training/within_labels.h"

namespace conflux {

namespace {

LayerRecord record_of(const Fitted& fitted, Index layer) {
  return {.layer = layer,
          .kind = std::string(fitted.kind),
          .spread_at_start = fitted.spread_at_start,
          .spread_before = fitted.spread_before,
          .spread_after = fitted.spread_after ? fitted.spread_after() : 0,
          .steps = fitted.steps,
          .evaluations = fitted.evaluations,
          .passes = fitted.passes,
          .product_seconds = fitted.work.product_seconds,
          .sort_seconds = fitted.work.sort_seconds,
          .flops = fitted.work.flops,
          .bytes = fitted.work.bytes};
}

// One fit: the loop of the paper in run(), its steps below.
class Fitter {
 public:
  Fitter(GroupSet given, const FitOptions& requested, Communicator& comm,
         const LayerCallback& on_layer, const FitPlan& control,
         const std::optional<PredictionRecord>& rival)
      : comm_(comm),
        on_layer_(on_layer),
        control_(control),
        workers_(requested.threads),
        latent_(std::move(given), control.scratch),
        usable_(all_rows(latent_.groups())),
        fit_(begin_fit(latent_.groups(), usable_, requested, comm)),
        judge_(usable_, latent_.groups(), options(), comm, rival),
        places_(place_rows(usable_, comm)),
        input_{latent_, usable_, places_, options(), comm_, workers_} {
    fit_.record.warnings = find_warnings(latent_.groups(), usable_, places_, options(), comm);
    latent_.count_as(
        static_cast<Index>(comm.sum(static_cast<double>(latent_.given().num_samples()))));
  }

  Fit run() {
    start();
    if (control_.resume != nullptr) take_up(*control_.resume);
    while (!done()) {
      const Stopwatch watch;
      Fitted layer = next_layer();
      if (!layer) break;  // nothing is left to be moved
      move(layer);
      tell(record_of(layer, num_layers()), watch.seconds());
    }
    judge_.see_end(input_);
    fit_.record.predictions = judge_.predictions();
    const Index fitted = num_layers();
    keep_what_helps();
    fit_.record.stop = why_it_stopped(fitted);
    finish();
    return std::move(fit_);
  }

 private:
  const FitOptions& options() const { return fit_.record.options; }
  const MethodInfo& method() const { return method_info(options().method); }
  Index num_layers() const { return static_cast<Index>(fit_.record.layers.size()); }

  /// Enters the units that layers see, judges the groups as they are, and lets every kind of layer
  /// that may be fitted look at them.
  void start() {
    Matrix slopes;
    if (latent_.groups().covariates() > 0 && !method().one_layer()) {
      if (options().interaction) open_with_own_slopes();
      slopes = fit_covariate_slopes(latent_.groups(), usable_, comm_);
    }
    if (!method().to_uniform) units_ = units_of(latent_.groups().dim(), options(), slopes);
    for (const LayerPointer& layer : units_.entering) {
      latent_.move(*layer, workers_);
      fit_.flow.append(layer);
    }
    judge_.see_start(input_);
    fit_.record.held_out_at_start = judge_.divergence_at_start();
    fit_.record.held_out_nb = judge_.divergence_of_nb();
    for (const LayerKind& kind : layer_kinds()) {
      const bool as_gate = kind.name == "gated" && options().gate != Gating::kNone;
      if (method().has(kind.name) || as_gate) fitters_[kind.name] = kind.start(input_);
    }
  }

  /// Locations, scales and effects of covariates that groups have for themselves are removed first:
  /// what the next layers see has the same effects in all groups.
  void open_with_own_slopes() {
    const auto fitter = layer_kind("location-scale").start(input_);
    for (const LayerPointer& layer : fitter->fit(input_, 0, 1).layers) {
      latent_.move(*layer, workers_);
      fit_.flow.append(layer);
    }
  }

  bool done() const {
    return !go_on_ || num_layers() >= *options().layers ||
           judge_.out_of_patience(options().patience);
  }

  /// The layer types that may come next, in the order in which they are tried.
  std::vector<std::string_view> candidates() const {
    const std::string_view kind = method().kind_of(num_layers());
    if (kind == "sliced" && options().gate != Gating::kNone) return {"gated"};
    return {kind};
  }

  /// The first candidate that has something to offer; empty if none has. A rule that compares
  /// candidates belongs here: they have not moved the groups yet, and HeldOut::judge_after() tells
  /// what each would gain.
  Fitted next_layer() {
    for (const std::string_view kind : candidates()) {
      Fitted found = fitters_.at(kind)->fit(input_, num_layers(), strength_of(kind, options()));
      found.kind = kind;
      if (found) return found;
    }
    return {};
  }

  void move(Fitted& fitted) {
    if (fitted.move) {
      judge_.foresee(*fitted.layers.front(), input_);
      fitted.move(latent_, fitted.work);
    }
    for (const LayerPointer& layer : fitted.layers) fit_.flow.append(layer);
  }

  /// Keeps the record of a layer, with what held-out rows say, and passes it on.
  void tell(LayerRecord record, double seconds) {
    record.seconds = seconds;
    if (const HeldOutJudgement* seen = judge_.see(input_)) {
      record.held_out = seen->divergence;
      record.held_out_error = seen->error();
    }
    fit_.record.layers.push_back(std::move(record));
    fit_.record.seconds = seconds_before_ + total_.seconds();
    if (control_.on_progress) control_.on_progress(fit_);
    if (on_layer_) go_on_ = on_layer_(fit_.record.layers.back());
  }

  /// Moves the groups through the layers of an earlier fit. If NB has replaced them, there are none
  /// to go on from.
  void take_up(const Fit& earlier) {
    check_same_options(earlier.record.options, options());
    check_same_groups(earlier, fit_);
    seconds_before_ = earlier.record.seconds;
    const std::vector<LayerRecord>& records = earlier.record.layers;
    const bool replaced =
        !records.empty() && records.front().kind == "coordinate" && method().opens != "coordinate";
    if (replaced) return;
    for (const LayerRecord& record : records) {
      const LayerKind& kind = layer_kind(record.kind);
      Index left = kind.stage_size == nullptr ? 1 : kind.stage_size(options(), num_layers());
      while (left-- > 0) repeat(earlier.flow.layers()[fit_.flow.num_layers()]);
      judge_.see(input_);
      fit_.record.layers.push_back(record);
    }
  }

  /// Moves the groups by a layer of an earlier fit, to the bits of that fit.
  void repeat(const LayerPointer& layer) {
    judge_.foresee(*layer, input_);
    const LayerKind* kind = find_layer_kind(layer->kind());
    if (kind != nullptr && kind->repeat != nullptr) {
      kind->repeat(*layer, latent_, workers_);
    } else {
      latent_.move(*layer, workers_);
    }
    fit_.flow.append(layer);
  }

  /// Drops the layers from which held-out rows gained nothing.
  void keep_what_helps() {
    if (!judge_.exists()) return;
    FitRecord& record = fit_.record;
    const LayerPointer alone = judge_.better_alone();
    const Index kept = alone != nullptr ? 0 : judge_.layers_to_keep();
    drop_last_layers(num_layers() - kept);
    record.dropped_layers.assign(record.layers.begin() + kept, record.layers.end());
    record.layers.resize(static_cast<std::size_t>(kept));
    if (alone != nullptr) {
      fit_.flow.append(alone);
      record.layers = {{.kind = std::string(alone->kind()), .held_out = record.held_out_nb}};
      record.warnings.push_back(
          "held-out rows came nearest to each other by one map per feature (nb), which replaces "
          "the fitted layers; more rows may allow more.");
    } else if (kept == 0) {
      record.warnings.push_back(
          "no layer brought validation rows of the groups clearly closer: the rows stay where they "
          "are; the groups have the same distribution already, or more rows are needed.");
    }
  }

  /// Empty when all layers that were planned are there.
  std::string why_it_stopped(Index fitted) const {
    const std::size_t dropped = fit_.record.dropped_layers.size();
    if (dropped > 0) {
      return fmt::format("Held-out rows gained nothing by {} more, which {} dropped.", dropped,
                         dropped == 1 ? "is" : "are");
    }
    if (fitted >= *options().layers) return "";
    if (!go_on_) return "The fit was asked to end.";
    if (judge_.out_of_patience(options().patience)) {
      return "Held-out rows showed that more would follow chance.";
    }
    return "No difference is left that more could move.";
  }

  /// Stages of several layers are never judged, so a record has one layer here.
  void drop_last_layers(Index count) {
    const Flow whole = std::move(fit_.flow);
    fit_.flow = Flow(whole.group_names(), whole.dim());
    for (Index l = 0; l < whole.num_layers() - count; ++l) fit_.flow.append(whole.layers()[l]);
  }

  /// Closes the stack and leaves the units that layers saw.
  void finish() {
    for (const auto& [kind, fitter] : fitters_) {
      if (LayerPointer last = fitter->closing(input_)) fit_.flow.append(std::move(last));
    }
    for (const LayerPointer& layer : units_.leaving) fit_.flow.append(layer);
    fit_.record.seconds = seconds_before_ + total_.seconds();
  }

  Communicator& comm_;
  const LayerCallback& on_layer_;
  const FitPlan& control_;
  Stopwatch total_;
  double seconds_before_ = 0;
  Workers workers_;
  Latent latent_;
  RowChoice usable_;
  Fit fit_;
  LayerJudge judge_;  // takes its rows out of usable_
  RowPlaces places_;
  FitInput input_;
  Units units_;
  std::map<std::string_view, std::unique_ptr<LayerFitter>> fitters_;
  bool go_on_ = true;
};

}  // namespace

Fit fit_stack(GroupSet groups, const FitOptions& options, Communicator& comm,
              const LayerCallback& on_layer, const FitPlan& control,
              const std::optional<PredictionRecord>& rival) {
  return Fitter(std::move(groups), options, comm, on_layer, control, rival).run();
}

namespace {

Fit fit_whole_way(GroupSet groups, const FitOptions& requested, Communicator& comm,
                  const LayerCallback& on_layer, const FitPlan& plan);

/// Draws the rows that are fitted if there are more than enough. Returns the sizes of the groups
/// that they were drawn from; empty if all rows are fitted.
std::vector<Index> draw_rows_to_fit(GroupSet& groups, FitOptions& options) {
  if (rows_to_fit(options).all()) return {};
  const Pool pool = draw_pool(groups, rows_to_fit(options), options.seed);
  if (pool.whole()) return {};
  groups = take_rows(groups, pool.fitted);
  fix_size_weights(options, pool.sizes);
  return pool.sizes;
}

// The callbacks of all processes are called, and all processes end if one of them returns false or
// throws.
LayerCallback agreed(const LayerCallback& on_layer, Communicator& comm) {
  double someone = on_layer ? 1 : 0;
  comm.max(std::span(&someone, 1));
  if (someone == 0) return {};
  return [&](const LayerRecord& record) {
    std::exception_ptr wrong;
    double answer = 1;
    try {
      if (on_layer && !on_layer(record)) answer = 0;
    } catch (...) {
      wrong = std::current_exception();
      answer = -1;
    }
    comm.min(std::span(&answer, 1));
    if (wrong) std::rethrow_exception(wrong);
    if (answer < 0) throw Error("the fit was ended by an error of another process.");
    return answer > 0;
  };
}

/// Every process fits the pool of all of them, to the same bits as one process that has all rows.
Fit fit_gathered(const GroupSet& mine, FitOptions options, Communicator& comm,
                 const LayerCallback& on_layer, FitPlan control) {
  check_same_requests(options, comm);
  GatheredPool gathered = gather_pool(mine, rows_to_fit(options), options.seed, comm);
  std::vector<Index> sizes;
  if (!gathered.pool.whole()) {
    sizes = gathered.pool.sizes;
    fix_size_weights(options, sizes);
    gathered.groups = take_rows(gathered.groups, gathered.pool.fitted);
  }
  control.drawn_from = &sizes;
  SelfCommunicator alone;
  return fit_planned(std::move(gathered.groups), options, alone, agreed(on_layer, comm), control);
}

}  // namespace

Fit fit_planned(GroupSet groups, const FitOptions& requested, Communicator& comm,
                const LayerCallback& on_layer, const FitPlan& plan) {
  Fit out = fit_whole_way(std::move(groups), requested, comm, on_layer, plan);
  // The fit is the same for any amount, so that another may be chosen later.
  out.flow.set_amount(out.record.options.amount);
  if (out.judged) out.judged->set_amount(out.record.options.amount);
  return out;
}

namespace {

Fit fit_whole_way(GroupSet groups, const FitOptions& requested, Communicator& comm,
                  const LayerCallback& on_layer, const FitPlan& plan) {
  if (comm.size() > 1) {
    if (!rows_can_stay(requested)) {
      return fit_gathered(groups, requested, comm, on_layer, plan);
    }
    check_same_requests(requested, comm);
    groups = arrange_groups(groups, comm);
    return fit_stack(std::move(groups), requested, comm, agreed(on_layer, comm), plan);
  }
  FitOptions options = requested;
  // Different proportions of clusters tell the group as well as anything else.
  if (options.goal == Goal::kHide && options.gate == Gating::kAuto) options.gate = Gating::kNone;
  std::vector<Index> given_sizes;
  if (plan.drawn_from != nullptr) {
    given_sizes = *plan.drawn_from;
  } else {
    given_sizes = draw_rows_to_fit(groups, options);
  }
  ClustersRecord clusters;
  if (plan.resume != nullptr) {
    clusters = plan.resume->record.clusters;
    if (options.gate == Gating::kAuto) options.gate = plan.resume->record.options.gate;
  } else if (plan.clusters != nullptr) {
    clusters = *plan.clusters;
  } else {
    GateDecision decision = decide_gate(groups, options, comm.size(), Workers(options.threads));
    options.gate = decision.gate;
    clusters = std::move(decision.clusters);
  }
  FitPlan control = plan;
  if (control.on_progress) {
    control.on_progress = [&](const Fit& so_far) {
      Fit told = so_far;
      told.record.clusters = clusters;
      told.record.given_sizes = given_sizes;
      plan.on_progress(told);
    };
  }
  FitOptions within = options;
  // The fit below takes the rows, of which labels need those that they name.
  const GroupSet labeled = within.gate == Gating::kLabel ? groups : GroupSet();
  const Climb climb = climb_ladder(groups, requested, options, clusters, control, comm);
  FitOptions chosen = options;
  chosen.goal = Goal::kAuto;
  Fit out;
  if (climb.stay) {
    out = fit_no_layers(groups, options, comm, climb.stop, climb.warning);
  } else if (method_info(options.method).then.empty()) {
    out = fit_stack(std::move(groups), options, comm, on_layer, control);
  } else {
    out = fit_automatically(std::move(groups), options, comm, on_layer, control);
  }
  fit_within_labels(out, labeled, within, plan, on_layer);
  out.chosen = std::move(chosen);
  if (!out.record.within.empty()) out.chosen.goal = within.goal;
  out.record.ladder = climb.ladder;
  out.record.clusters = std::move(clusters);
  out.record.given_sizes = std::move(given_sizes);
  return out;
}

}  // namespace

Fit fit_flow(GroupSet groups, const FitOptions& options, Communicator& comm,
             const LayerCallback& on_layer, const FitControl& control) {
  return fit_planned(std::move(groups), options, comm, on_layer, FitPlan{control});
}

Fit fit_flow(GroupSet groups, const FitOptions& options) {
  SelfCommunicator comm;
  return fit_flow(std::move(groups), options, comm, {});
}

}  // namespace conflux
