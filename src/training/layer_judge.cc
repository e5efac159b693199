#include "training/layer_judge.h"

namespace conflux {

LayerJudge::LayerJudge(RowChoice& usable, const GroupSet& groups, const FitOptions& options,
                       Communicator& comm)
    : held_out_(usable, groups, *options.validation_fraction, options.seed, comm) {}

void LayerJudge::see_start(const FitInput& input) {
  if (!exists()) return;
  see(input);
  const LayerKind& nb = layer_kind("coordinate");
  if (method_info(input.options.method).opens == nb.name) return;
  nb_ = nb.start(input)->fit(input, 0, 1).layers.front();
  judged_nb_ = held_out_.judge_after(*nb_, input.groups(), input.comm, input.workers);
}

std::optional<double> LayerJudge::see(const FitInput& input) {
  if (!exists()) return std::nullopt;
  judged_.push_back(held_out_.judge(input.groups(), input.comm, input.workers));
  return judged_.back().divergence;
}

bool LayerJudge::out_of_patience(Index patience) const {
  if (!exists()) return false;
  const auto layers = static_cast<Index>(judged_.size()) - 1;
  return layers - layers_worth_keeping(judged_) >= patience;
}

Index LayerJudge::layers_to_keep() const { return layers_worth_keeping(judged_); }

LayerPointer LayerJudge::better_alone() const {
  if (nb_ == nullptr) return nullptr;
  const Judgement& end = judged_[static_cast<std::size_t>(layers_to_keep())];
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
