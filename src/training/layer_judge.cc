#include "training/layer_judge.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/normal.h"
#include "options/methods.h"

namespace conflux {

namespace {

// Layers between two predictions of the group; the interval grows with their number, because each
// layer changes less.
constexpr Index kLayersPerPrediction = 10;
constexpr double kGrowth = 1;
// Predictions without improvement before the fit stops.
constexpr std::size_t kPatience = 2;
// Predictions whose AUCs differ by less than this fraction of the chance band are equally good.
constexpr double kSlack = 0.3;

// The same for layers with their own stopping rule, which are removed only if they clearly do harm.
constexpr double kSlackOfEvidence = 1;

// Layers that fit noise show no effect on validation rows, where each has a standard deviation of
// 1: the sum over this many layers must exceed its own standard deviation.
constexpr std::ptrdiff_t kLayersOfExcess = 30;

// A fit is given up if it would stay behind its rival even at this multiple of its last pace.
constexpr double kHopefulPace = 2;

// How many deviations two normal groups are apart whose rows are predicted so well, up to a factor.
double deviations_apart(double auc) {
  constexpr double kSure = 1 - 1e-9;
  const double p = std::clamp(auc, 0.5, kSure);
  return kernels::normal_quantile(p, 1 - p);
}

// The longest of the equally good ones.
Index layers_of_best(const std::vector<PredictionRecord>& predictions, const PredictionRecord& best,
                     double slack) {
  const double good = best.auc + slack * (best.by_chance - 0.5);
  Index out = best.layer;
  for (const PredictionRecord& each : predictions) {
    if (each.auc <= good) out = std::max(out, each.layer);
  }
  return out;
}

}  // namespace

// Each doubling of the layers brings groups nearer by about the same factor, once all features had
// their turn.
bool stays_behind(const std::vector<PredictionRecord>& predictions, const PredictionRecord& rival,
                  const StagePlan& plan) {
  if (predictions.size() < 3 || predictions.back().layer < plan.features) return false;
  const PredictionRecord &now = predictions.back(), &before = predictions[predictions.size() - 2];
  const auto doublings = [](Index from, Index to) {
    return std::log2(static_cast<double>(to) / static_cast<double>(from));
  };
  const double left = deviations_apart(now.auc), was = deviations_apart(before.auc);
  const double pace = left < was ? std::log(left / was) / doublings(before.layer, now.layer) : 0;
  const double at_best = left * std::exp(kHopefulPace * pace * doublings(now.layer, plan.layers));
  return at_best > deviations_apart(rival.auc + (rival.by_chance - 0.5));
}

LayerJudge::LayerJudge(RowChoice& usable, const GroupSet& groups, const FitOptions& options,
                       Communicator& comm, const std::optional<PredictionRecord>& rival)
    : held_out_(usable, groups, *options.validation_fraction, options.seed, comm),
      by_prediction_(options.judge == Judging::kPrediction),
      needs_hope_(!method_info(options.method).ends_by_itself),
      rival_(rival),
      plan_{.features = groups.dim(), .layers = *options.layers} {}

void LayerJudge::see_start(const FitInput& input) {
  if (!exists()) return;
  if (by_prediction_) return predict(input);
  see(input);
  const LayerKind& nb = layer_kind("coordinate");
  if (method_info(input.options.method).opens == nb.name) return;
  nb_ = nb.start(input)->fit(input, 0, 1).layers.front();
  judged_nb_ = held_out_.judge_after(*nb_, input.latent, input.comm, input.workers);
}

void LayerJudge::predict(const FitInput& input) {
  const GroupPrediction seen = held_out_.predict(input.groups(), input.options.seed, input.workers);
  predictions_.push_back({.layer = layers_, .auc = seen.auc, .by_chance = seen.by_chance()});
}

void LayerJudge::foresee(const Layer& layer, const FitInput& input) {
  if (!exists()) return;
  const LayerKind* kind = find_layer_kind(layer.kind());
  if (kind == nullptr || kind->excess == nullptr) return;
  excess_.push_back(kind->excess(layer, input.groups(), held_out_.rows(), input.comm));
}

bool LayerJudge::chases_chance() const {
  if (excess_.size() < kLayersOfExcess) return false;
  const double sum = std::accumulate(excess_.end() - kLayersOfExcess, excess_.end(), 0.0);
  return sum < std::sqrt(static_cast<double>(kLayersOfExcess));
}

const HeldOutJudgement* LayerJudge::see(const FitInput& input) {
  if (!exists()) return nullptr;
  if (by_prediction_) {
    ++layers_;
    const Index last = predictions_.back().layer;
    const auto wait = static_cast<Index>(kGrowth * static_cast<double>(last));
    if (layers_ - last >= std::max(kLayersPerPrediction, wait)) predict(input);
    return nullptr;
  }
  judged_.push_back(held_out_.judge(input.latent, input.comm, input.workers));
  return &judged_.back();
}

void LayerJudge::see_end(const FitInput& input) {
  if (exists() && by_prediction_ && predictions_.back().layer < layers_) predict(input);
}

bool LayerJudge::out_of_patience(Index patience) const {
  if (!exists()) return false;
  if (chases_chance()) return true;
  if (rival_ && stays_behind(predictions_, *rival_, plan_)) return true;
  if (by_prediction_) {
    // Stop at once if the group cannot be predicted before the first layer, unless the layers test
    // for differences themselves, with more rows than the validation rows. Later stages go on: with
    // few validation rows prediction fails early although differences remain.
    const PredictionRecord& start = predictions_.front();
    const bool hopeless = needs_hope_ && start.auc <= start.by_chance;
    return hopeless || predictions_.size() - best_prediction() > kPatience;
  }
  const auto layers = static_cast<Index>(judged_.size()) - 1;
  return layers - layers_worth_keeping(judged_) >= patience;
}

std::size_t LayerJudge::best_prediction() const {
  const auto smaller = [](const PredictionRecord& a, const PredictionRecord& b) {
    return a.auc < b.auc;
  };
  return static_cast<std::size_t>(
      std::min_element(predictions_.begin(), predictions_.end(), smaller) - predictions_.begin());
}

Index LayerJudge::layers_to_keep() const {
  if (!by_prediction_) return layers_worth_keeping(judged_);
  const PredictionRecord& best = predictions_[best_prediction()];
  return best.layer == 0
             ? 0
             : layers_of_best(predictions_, best, needs_hope_ ? kSlack : kSlackOfEvidence);
}

LayerPointer LayerJudge::better_alone() const {
  if (nb_ == nullptr) return nullptr;
  const HeldOutJudgement& end = judged_[static_cast<std::size_t>(layers_to_keep())];
  return clearly_better(judged_nb_, end) ? nb_ : nullptr;
}

std::optional<double> LayerJudge::divergence_at_start() const {
  if (judged_.empty()) return std::nullopt;
  return judged_.front().divergence;
}

std::optional<double> LayerJudge::divergence_of_nb() const {
  if (nb_ == nullptr) return std::nullopt;
  return judged_nb_.divergence;
}

}  // namespace conflux
