#include "training/automatic.h"

#include <fmt/format.h>

#include "fitting/line_maps.h"
#include "metrics/difference.h"
#include "options/automatic.h"
#include "options/methods.h"
#include "training/held_out.h"
#include "training/inspection.h"
#include "training/resumption.h"

namespace conflux {

namespace {

// Groups that do not differ are found to differ in one of twenty tables.
constexpr double kErrorRate = 0.05;

FitOptions sliced_options(const FitOptions& resolved) {
  FitOptions out = resolved;
  out.method = Method::kInb;
  return without_ignored(out);
}

FitOptions tree_options(const FitOptions& resolved) {
  FitOptions out = resolved;
  out.method = Method::kTree;
  out.layers = automatic::kTreeLayers;
  out.strength = method_info(resolved.method).then_strength;
  out.tree_rows = automatic::kSmallestLeaf;
  out.judge = Judging::kGuess;
  // Trees see features through charts of their own and leave no feature's range.
  out.scale = Scaling::kNone;
  out.unit_cube = UnitCube::kOff;
  return without_ignored(out);
}

bool is_table(const GroupSet& groups, const FitOptions& resolved, const Communicator& comm) {
  return groups.dim() <= automatic::kMostTreeFeatures && resolved.gate == Gating::kNone &&
         resolved.image.empty() && *resolved.validation_fraction > 0 && comm.size() == 1;
}

GroupSet moved_by(const Flow& flow, const GroupSet& groups, const Workers& workers) {
  GroupSet out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Group& group = groups[m];
    out.add(group.name, flow.forward(m, group.rows, workers),
            std::vector<double>(group.weights.begin(), group.weights.end()));
  }
  if (!groups.feature_names().empty()) out.set_feature_names(groups.feature_names());
  return out;
}

double last_auc(const Fit& fit) {
  double best = fit.record.guesses.front().auc;
  for (const GuessRecord& guess : fit.record.guesses) best = std::min(best, guess.auc);
  return best;
}

// The layers of `second` after those of `first`, with the guesses that were made for them.
void add_stage(Fit& first, const Fit& second) {
  const auto before = static_cast<Index>(first.record.layers.size());
  for (const auto& layer : second.flow.layers()) first.flow.append(layer);
  for (LayerRecord record : second.record.layers) {
    record.layer += before;
    first.record.layers.push_back(std::move(record));
  }
  for (GuessRecord guess : second.record.guesses) {
    if (guess.layer > static_cast<Index>(second.record.layers.size())) break;
    guess.layer += before;
    if (guess.layer > 0) first.record.guesses.push_back(guess);
  }
}

class AutomaticFit {
 public:
  AutomaticFit(GroupSet groups, const FitOptions& requested, Communicator& comm,
               const LayerCallback& on_layer, const FitControl& control)
      : groups_(std::move(groups)),
        comm_(comm),
        on_layer_(on_layer),
        control_(control),
        workers_(requested.threads),
        fit_(begin_fit(groups_, all_rows(groups_), requested, comm)) {}

  Fit run() {
    if (comm_.size() == 1 && !control_.known_to_differ &&
        !find_difference(groups_, kErrorRate, options().seed, workers_).found) {
      return leave_alone();
    }
    const FitOptions resolved = options();
    const bool table = is_table(groups_, resolved, comm_);
    fit_ = sliced_stage(resolved, table ? groups_ : std::move(groups_));
    if (table && go_on_) tree_stages(resolved);
    fit_.record.options = resolved;
    return std::move(fit_);
  }

 private:
  const FitOptions& options() const { return fit_.record.options; }

  Fit leave_alone() {
    fit_.record.warnings =
        find_warnings(groups_, all_rows(groups_), fit_.record.group_sizes, options(), comm_);
    fit_.record.stop =
        "The groups do not differ by more than chance, so there is nothing to align.";
    fit_.record.warnings.push_back(
        "the groups do not differ by more than chance: the rows stay where they are. Choose a "
        "method, say inb, to align them all the same.");
    return std::move(fit_);
  }

  /// Checkpoints are of this stage: a fit that goes on from one repeats the trees, which are quick.
  Fit sliced_stage(const FitOptions& resolved, GroupSet groups) {
    Fit earlier;
    FitControl control;
    if (control_.resume != nullptr) {
      earlier = *control_.resume;
      check_same_options(earlier.record.options, resolved);
      earlier.record.options = sliced_options(resolved);
      control.resume = &earlier;
    }
    if (control_.on_progress) {
      control.on_progress = [&](const Fit& so_far) {
        Fit told = so_far;
        told.record.options = resolved;
        control_.on_progress(told);
      };
    }
    return fit_stack(std::move(groups), sliced_options(resolved), comm_, watched(), control);
  }

  /// Tries trees after the sliced layers, and trees alone.
  void tree_stages(const FitOptions& resolved) {
    const FitOptions trees = tree_options(resolved);
    RowChoice usable = all_rows(groups_);
    const HeldOut held_out(usable, groups_, *resolved.validation_fraction, resolved.seed, comm_);
    const Guess start = held_out.guess(groups_, resolved.seed, workers_);
    const GuessRecord at_start{.auc = start.auc, .by_chance = start.by_chance()};
    fit_.record.guesses = {at_start};
    const Fit after =
        fit_stack(moved_by(fit_.flow, groups_, workers_), trees, comm_, watched(), {});
    double best = last_auc(after);
    const double by_chance = after.record.guesses.back().by_chance;
    if (go_on_ && best > by_chance) {
      Fit alone = fit_stack(groups_, trees, comm_, watched(), {});
      if (last_auc(alone) < best) {
        best = last_auc(alone);
        replace_by(alone);
        return tell_stop(best, by_chance);
      }
    }
    add_stage(fit_, after);
    tell_stop(best, by_chance);
  }

  void replace_by(const Fit& alone) {
    fit_.record.dropped_layers.insert(fit_.record.dropped_layers.end(), fit_.record.layers.begin(),
                                      fit_.record.layers.end());
    fit_.record.layers.clear();
    fit_.flow = Flow(fit_.flow.group_names(), fit_.flow.dim());
    add_stage(fit_, alone);
  }

  void tell_stop(double auc, double by_chance) {
    fit_.record.stop =
        auc <= by_chance
            ? fmt::format(
                  "Nobody can tell: the group of held-out rows is guessed with an AUC of "
                  "{:.3f}, which is chance.",
                  auc)
            : fmt::format(
                  "More layers do not make the group of held-out rows harder to guess "
                  "(AUC {:.3f}; chance is below {:.3f}).",
                  auc, by_chance);
  }

  /// The caller's callback, whose wish to end counts for all stages.
  LayerCallback watched() {
    if (!on_layer_) return {};
    return [this](const LayerRecord& record) { return go_on_ = on_layer_(record); };
  }

  GroupSet groups_;
  Communicator& comm_;
  const LayerCallback& on_layer_;
  const FitControl& control_;
  Workers workers_;
  Fit fit_;
  bool go_on_ = true;
};

}  // namespace

Fit fit_automatically(GroupSet groups, const FitOptions& options, Communicator& comm,
                      const LayerCallback& on_layer, const FitControl& control) {
  return AutomaticFit(std::move(groups), options, comm, on_layer, control).run();
}

}  // namespace conflux
