#include "baselines/coupling_layer.h"

#include <algorithm>
#include <utility>

namespace conflux {

namespace {

void change_units(Rows rows, const CouplingLayer::Standard& from,
                  const CouplingLayer::Standard& to) {
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) {
      rows(i, j) = to.mean(j) + (rows(i, j) - from.mean(j)) / from.deviation(j) * to.deviation(j);
    }
  }
}

bool all_zero(const std::vector<std::vector<double>>& parameters) {
  return std::all_of(parameters.begin(), parameters.end(), [](const std::vector<double>& each) {
    return std::all_of(each.begin(), each.end(), [](double value) { return value == 0; });
  });
}

// Scratch memory of the thread.
networks::Coupling<double>::Trace& trace_of_thread() {
  thread_local networks::Coupling<double>::Trace trace;
  return trace;
}

}  // namespace

CouplingLayer::Standard CouplingLayer::unit(Index dim) {
  return {Vector::Zero(dim), Vector::Ones(dim)};
}

CouplingLayer::CouplingLayer(std::vector<Mask> masks, Index hidden, std::vector<Map> maps)
    : masks_(std::move(masks)), hidden_(hidden), maps_(std::move(maps)) {
  for (const Mask& mask : masks_) couplings_.emplace_back(mask, hidden);
  for (const Map& map : maps_) {
    padded_.emplace_back();
    for (std::size_t c = 0; c < masks_.size() && !all_zero(map.parameters); ++c) {
      padded_.back().push_back(couplings_[c].net().padded(map.parameters[c]));
    }
    log_dets_.push_back((map.to.deviation.array() / map.from.deviation.array()).log().sum());
  }
}

void CouplingLayer::forward(Index group, Rows rows, double* log_det) const {
  const Map& map = maps_[group];
  const auto& parameters = padded_[group];
  change_units(rows, map.from, unit(dim()));
  for (std::size_t c = 0; c < parameters.size(); ++c) {
    couplings_[c].forward(parameters[c].data(), rows, log_det, trace_of_thread());
  }
  change_units(rows, unit(dim()), map.to);
  for (Index i = 0; log_det != nullptr && i < rows.rows(); ++i) log_det[i] += log_dets_[group];
}

void CouplingLayer::inverse(Index group, Rows rows, double* log_det) const {
  const Map& map = maps_[group];
  const auto& parameters = padded_[group];
  change_units(rows, map.to, unit(dim()));
  for (std::size_t c = parameters.size(); c-- > 0;) {
    couplings_[c].inverse(parameters[c].data(), rows, log_det, trace_of_thread());
  }
  change_units(rows, unit(dim()), map.from);
  for (Index i = 0; log_det != nullptr && i < rows.rows(); ++i) log_det[i] -= log_dets_[group];
}

}  // namespace conflux
