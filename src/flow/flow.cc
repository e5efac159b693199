#include "conflux/flow/flow.h"

#include <fmt/format.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "conflux/core/group_set.h"
#include "flow/block_size.h"

namespace conflux {

namespace {

// Calls move(block of rows, their log-dets or null) for blocks that cover all rows.
template <class Move>
void move_in_blocks(Rows rows, double* log_det, const Workers& workers, Move move) {
  workers.for_each_block(rows.rows(), rows_per_block(rows.cols()), [&](Index begin, Index end) {
    double* part = log_det == nullptr ? nullptr : log_det + begin;
    if (part != nullptr) std::fill_n(part, end - begin, 0.0);
    move(rows.middle_rows(begin, end - begin), part);
  });
}

std::shared_ptr<const Layer> part_of(const std::shared_ptr<const Layer>& layer, double amount) {
  if (amount == 1 || amount == 0 || layer->same_for_all_groups()) return layer;
  if (auto part = layer->part(amount)) return part;
  throw InvalidOption(fmt::format(
      "amount is {}, but a {} layer moves rows all the way only; leave the amount at 1.", amount,
      layer->kind()));
}

}  // namespace

Flow::Flow(std::vector<std::string> group_names, Index dim)
    : group_names_(std::move(group_names)), dim_(dim) {}

void Flow::append(std::shared_ptr<const Layer> layer) {
  if (layer->dim() != dim_) {
    throw InvalidData(fmt::format("a {} layer of {} columns cannot follow in a flow of {}.",
                                  layer->kind(), layer->dim(), dim_));
  }
  if (!layer->same_for_all_groups() && layer->num_groups() != num_groups()) {
    throw InvalidData(fmt::format("a {} layer of {} groups cannot follow in a flow of {}.",
                                  layer->kind(), layer->num_groups(), num_groups()));
  }
  moving_.push_back(part_of(layer, amount_));
  if (amount_ == 0) moving_.clear();
  layers_.push_back(std::move(layer));
}

void Flow::set_amount(double amount) {
  if (!(amount >= 0 && amount <= 1)) {
    throw InvalidOption(fmt::format(
        "amount is {}; choose a number from 0, which leaves rows in place, to 1.", amount));
  }
  std::vector<std::shared_ptr<const Layer>> moving;
  for (const auto& layer : layers_) {
    if (amount > 0) moving.push_back(part_of(layer, amount));
  }
  for (auto& each : within_) {
    LabelFlow part = *each;
    part.flow.set_amount(amount);
    each = std::make_shared<LabelFlow>(std::move(part));
  }
  moving_ = std::move(moving);
  amount_ = amount;
}

void Flow::add_within(std::string label, Flow flow) {
  if (flow.dim() != dim_) {
    throw InvalidData(
        fmt::format("the flow of label \"{}\" has {} columns, not {}.", label, flow.dim(), dim_));
  }
  flow.set_amount(amount_);
  std::vector<Index> places(group_names_.size(), -1);
  for (Index k = 0; k < flow.num_groups(); ++k) {
    places[static_cast<std::size_t>(group_index(flow.group_names()[static_cast<std::size_t>(k)]))] =
        k;
  }
  within_.push_back(
      std::make_shared<LabelFlow>(LabelFlow{std::move(label), std::move(flow), std::move(places)}));
}

Index Flow::label_index(const std::string& label) const {
  const auto found = std::find_if(within_.begin(), within_.end(),
                                  [&](const auto& each) { return each->label == label; });
  return found == within_.end() ? -1 : found - within_.begin();
}

std::vector<Index> Flow::label_codes(const std::vector<std::string>& names,
                                     std::span<const Index> labels) const {
  if (within_.empty()) return {};
  std::vector<Index> places;
  for (const std::string& name : names) places.push_back(label_index(name));
  std::vector<Index> out;
  for (const Index label : labels) {
    out.push_back(label < 0 ? -1 : places[static_cast<std::size_t>(label)]);
  }
  return out;
}

std::pair<const Flow*, Index> Flow::flow_of(Index group, Index label) const {
  if (label < 0) return {this, group};
  const LabelFlow& own = *within_[static_cast<std::size_t>(label)];
  const Index place = own.group_in_flow[static_cast<std::size_t>(group)];
  return place < 0 ? std::pair(this, group) : std::pair(&own.flow, place);
}

bool Flow::takes_gaps() const {
  return std::all_of(moving_.begin(), moving_.end(),
                     [](const auto& layer) { return layer->takes_gaps(); }) &&
         std::all_of(within_.begin(), within_.end(),
                     [](const auto& each) { return each->flow.takes_gaps(); });
}

Index Flow::group_index(const std::string& name) const { return find_group(group_names_, name); }

void Flow::check(Index group, Index cols) const {
  if (num_groups() == 0) throw InvalidOption("this flow has no groups; fit or load one first.");
  if (group < 0 || group >= num_groups()) {
    throw InvalidOption(fmt::format("there is no group {}; this flow has groups 0 to {}.", group,
                                    num_groups() - 1));
  }
  if (cols != dim_) {
    throw InvalidData(fmt::format(
        "the rows have {} columns but the flow was fitted on {}; give the same features.", cols,
        dim_));
  }
}

void Flow::move_forward(Index group, Rows block, double* log_det) const {
  for (const auto& layer : moving_) layer->forward(group, block, log_det);
}

void Flow::move_back(Index group, Rows block, double* log_det) const {
  for (auto layer = moving_.rbegin(); layer != moving_.rend(); ++layer) {
    (*layer)->inverse(group, block, log_det);
  }
}

void Flow::move_across(Index from, Index to, Rows block, double* log_det) const {
  // Last layers that all groups share would be undone at once.
  auto turn = moving_.end();
  while (turn != moving_.begin() && (*std::prev(turn))->same_for_all_groups()) --turn;
  for (auto layer = moving_.begin(); layer != turn; ++layer) {
    (*layer)->forward(from, block, log_det);
  }
  for (auto layer = turn; layer != moving_.begin();) (*--layer)->inverse(to, block, log_det);
}

void Flow::forward_in_place(Index group, Rows rows, double* log_det, const Workers& workers) const {
  check(group, rows.cols());
  move_in_blocks(rows, log_det, workers,
                 [&](Rows block, double* part) { move_forward(group, block, part); });
}

void Flow::inverse_in_place(Index group, Rows rows, double* log_det, const Workers& workers) const {
  check(group, rows.cols());
  move_in_blocks(rows, log_det, workers,
                 [&](Rows block, double* part) { move_back(group, block, part); });
}

void Flow::translate_in_place(Index from, Index to, Rows rows, double* log_det,
                              const Workers& workers) const {
  check(from, rows.cols());
  check(to, rows.cols());
  move_in_blocks(rows, log_det, workers,
                 [&](Rows block, double* part) { move_across(from, to, block, part); });
}

Matrix Flow::forward(Index group, SampleRows rows, const Workers& workers) const {
  return moved(rows, Route::to_shared({&group, 1}), workers);
}

Matrix Flow::inverse(Index group, SampleRows rows, const Workers& workers) const {
  return moved(rows, Route::from_shared({&group, 1}), workers);
}

Matrix Flow::translate(Index from, Index to, SampleRows rows, const Workers& workers) const {
  return moved(rows, Route::between({&from, 1}, {&to, 1}), workers);
}

Matrix Flow::moved(const SampleRows& rows, const Route& route, const Workers& workers) const {
  Matrix out(rows.rows(), rows.cols());
  move(rows, route, Rows(out), nullptr, workers);
  return out;
}

void forward_in_place(const Layer& layer, Index group, Rows rows, const Workers& workers) {
  move_in_blocks(rows, nullptr, workers,
                 [&](Rows block, double*) { layer.forward(group, block, nullptr); });
}

}  // namespace conflux
