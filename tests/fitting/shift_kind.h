// A toy kind of layer, whole: every group moves by a vector of its own, so that all means meet.
//
// It shows what a new kind needs: a layer, a fitter, maps for a new group, and a row in the table
// of fitting/layer_kinds.cc (and one in storage/layer_codecs.cc if models with it are to be saved).

#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "fitting/layer_kinds.h"
#include "fitting/moments.h"

namespace conflux {

class ShiftLayer final : public Layer {
 public:
  ShiftLayer(std::vector<Vector> shifts, Vector target)
      : shifts_(std::move(shifts)), target_(std::move(target)) {}

  std::string_view kind() const override { return "shift"; }
  Index dim() const override { return target_.size(); }
  Index num_groups() const override { return static_cast<Index>(shifts_.size()); }
  void forward(Index group, Rows rows, double*) const override { add(rows, shifts_[group]); }
  void inverse(Index group, Rows rows, double*) const override { add(rows, -shifts_[group]); }

  const std::vector<Vector>& shifts() const { return shifts_; }
  const Vector& target() const { return target_; }

 private:
  static void add(Rows rows, const Vector& shift) { rows.eigen().rowwise() += shift.transpose(); }

  std::vector<Vector> shifts_;
  Vector target_;
};

class ShiftFitter final : public LayerFitter {
 public:
  Fitted fit(const FitInput& input, Index, double strength) override {
    const Moments moments = fit_moments(input.groups(), input.usable, input.comm, input.workers);
    Vector target = Vector::Zero(input.groups().dim());
    for (std::size_t m = 0; m < moments.means.size(); ++m) {
      target += input.options.weights.list[m] * moments.means[m];
    }
    std::vector<Vector> shifts;
    for (const Vector& mean : moments.means) shifts.emplace_back(strength * (target - mean));
    return plain_layer(std::make_shared<ShiftLayer>(std::move(shifts), std::move(target)),
                       input.workers);
  }
};

inline LayerPointer widen_shift(const LayerPointer& layer, const NewGroup& added) {
  const auto& shift = dynamic_cast<const ShiftLayer&>(*layer);
  SelfCommunicator comm;
  const Moments moments = fit_moments(added.group, added.chosen, comm, added.workers);
  std::vector<Vector> shifts = shift.shifts();
  shifts.emplace_back(added.strength * (shift.target() - moments.means.front()));
  return std::make_shared<ShiftLayer>(std::move(shifts), shift.target());
}

inline LayerKind shift_kind() {
  return {.name = "shift",
          .start = [](const FitInput&) -> std::unique_ptr<LayerFitter> {
            return std::make_unique<ShiftFitter>();
          },
          .widen = widen_shift};
}

}  // namespace conflux
