#include "metrics/transfer_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "conflux/core/error.h"
#include "core/rng.h"
#include "metrics/feature_blocks.h"
#include "metrics/thinning.h"
#include "metrics/transfer_score.h"

namespace conflux {

namespace {

using RowLists = std::vector<std::vector<Index>>;

constexpr Index kFewestFeatures = 4;
// Rows that say which features belong together.
constexpr Index kRowsForBlocks = 1000;
// Numbers that an alignment is fitted on at most: 320 MB.
constexpr Index kMostFittedNumbers = 40'000'000;

// Some rows and columns of every group, with what belongs to them.
GroupSet rows_and_features(const GroupSet& groups, const RowLists& rows,
                           const std::vector<Index>& features) {
  GroupSet out;
  RowLists labels(rows.size());
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Group& group = groups[m];
    Matrix taken(static_cast<Index>(rows[m].size()), static_cast<Index>(features.size()));
    std::vector<double> masses;
    std::vector<double> buffer;
    for (Index i = 0; i < taken.rows(); ++i) {
      const Index row = rows[m][static_cast<std::size_t>(i)];
      const double* values = group.rows.row(row, buffer);
      for (Index j = 0; j < taken.cols(); ++j) taken(i, j) = values[features[j]];
      if (!group.masses.empty()) masses.push_back(mass_of(group, row));
      labels[m].push_back(group.label(row));
    }
    out.add(group.name, std::move(taken), std::move(masses));
  }
  std::vector<std::string> names;
  std::vector<MeasuredScale> scales;
  for (const Index j : features) {
    if (!groups.feature_names().empty()) names.push_back(groups.feature_names()[j]);
    if (!groups.measured().empty()) scales.push_back(groups.measured()[j]);
  }
  if (!names.empty()) out.set_feature_names(std::move(names));
  if (!scales.empty()) out.set_measured(std::move(scales));
  if (!groups.label_names().empty()) out.set_labels(groups.label_names(), std::move(labels));
  return out;
}

void draw_transfer_rows(TransferPlan& plan) {
  const GroupSet& groups = plan.groups;
  const FeatureTransferOptions& options = plan.options;
  std::vector<Index> sizes;
  for (Index m = 0; m < groups.num_groups(); ++m) sizes.push_back(groups[m].rows.rows());
  const Index most_judged = rows_per_group(sizes, options.max_judged_rows);
  const Index most_fitted = rows_per_group(
      sizes, std::min(options.max_fit_rows, kMostFittedNumbers / std::max<Index>(1, groups.dim())));
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Index judged_rows = std::min(sizes[m], most_judged);
    const bool apart = sizes[m] > 2 * judged_rows;
    const Index begin = apart ? judged_rows : 0;
    const Index end = std::min(sizes[m], begin + most_fitted);
    Stream stream(options.seed, Purpose::kMetric, 39, static_cast<std::uint64_t>(m));
    const std::vector<Index> order =
        stream.start_of_permutation(sizes[m], std::max(judged_rows, end));
    plan.judged.emplace_back(order.begin(), order.begin() + judged_rows);
    plan.fitted.emplace_back(order.begin() + begin, order.begin() + end);
    std::sort(plan.judged.back().begin(), plan.judged.back().end());
    std::sort(plan.fitted.back().begin(), plan.fitted.back().end());
    plan.group_of.insert(plan.group_of.end(), static_cast<std::size_t>(judged_rows), m);
  }
}

std::vector<Index> features_that_vary(const TransferPlan& plan, const std::vector<Index>& asked) {
  std::vector<Index> out;
  for (std::size_t k = 0; k < asked.size(); ++k) {
    const auto row = plan.ranks.row(static_cast<Index>(k)).array();
    if (row.isFinite().select(row.abs(), 0.0).maxCoeff() > 0) out.push_back(asked[k]);
  }
  return out;
}

void make_blocks(TransferPlan& plan, const std::vector<Index>& features, const Workers& workers) {
  const Index n = plan.ranks.cols();
  const Index step = std::max<Index>(1, n / kRowsForBlocks);
  Matrix few(static_cast<Index>(features.size()), (n + step - 1) / step);
  for (Index k = 0; k < few.rows(); ++k) {
    double squares = 0;
    for (Index i = 0; i < few.cols(); ++i) {
      const double rank = plan.ranks(plan.place[features[k]], i * step);
      few(k, i) = std::isfinite(rank) ? rank : 0;
      squares += few(k, i) * few(k, i);
    }
    if (squares > 0) few.row(k) *= std::sqrt(static_cast<double>(few.cols()) / squares);
  }
  const FeatureBlocks found =
      feature_blocks(few, plan.options.blocks, plan.options.together, workers);
  plan.cluster_of.assign(static_cast<std::size_t>(plan.groups.dim()), -1);
  for (std::size_t k = 0; k < features.size(); ++k)
    plan.cluster_of[features[k]] = found.cluster_of[k];
  for (const std::vector<Index>& block : found.blocks) {
    plan.blocks.emplace_back();
    for (const Index k : block) plan.blocks.back().push_back(features[k]);
  }
  if (plan.blocks.size() < 2)
    plan.reason = "all features that may be left out are copies of one another";
}

void choose_predicted(TransferPlan& plan) {
  std::size_t all = 0;
  for (const std::vector<Index>& block : plan.blocks) all += block.size();
  const double part = std::min(1.0, static_cast<double>(plan.options.max_features) /
                                        static_cast<double>(std::max<std::size_t>(1, all)));
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    const std::vector<Index>& block = plan.blocks[b];
    const auto count = static_cast<Index>(std::ceil(part * static_cast<double>(block.size())));
    Stream stream(plan.options.seed, Purpose::kMetric, 40, b);
    std::vector<Index> chosen;
    for (const Index k : stream.start_of_permutation(static_cast<Index>(block.size()), count)) {
      chosen.push_back(block[k]);
    }
    std::sort(chosen.begin(), chosen.end());
    plan.predicted.push_back(std::move(chosen));
  }
}

std::vector<Index> all_but(const std::vector<Index>& block, Index count) {
  std::vector<Index> out;
  for (Index j = 0; j < count; ++j) {
    if (!std::binary_search(block.begin(), block.end(), j)) out.push_back(j);
  }
  return out;
}

// The features that may be left out, in order.
std::vector<Index> features_to_leave_out(const GroupSet& groups, std::vector<Index> asked) {
  std::sort(asked.begin(), asked.end());
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  if (asked.empty()) {
    asked.resize(static_cast<std::size_t>(groups.dim()));
    std::iota(asked.begin(), asked.end(), Index{0});
  }
  if (!asked.empty() && (asked.front() < 0 || asked.back() >= groups.dim())) {
    throw InvalidOption(fmt::format("Feature {} cannot be left out of {} features.",
                                    asked.front() < 0 ? asked.front() : asked.back(),
                                    groups.dim()));
  }
  return asked;
}

void check_transfer_options(const FeatureTransferOptions& options) {
  if (options.blocks < 2) {
    throw InvalidOption(fmt::format("blocks is {}; choose at least 2.", options.blocks));
  }
  if (options.neighbors < 1) {
    throw InvalidOption(fmt::format("neighbors is {}; choose at least 1.", options.neighbors));
  }
}

}  // namespace

TransferPlan plan_transfer(const GroupSet& groups, const FeatureTransferOptions& options,
                           const Workers& workers) {
  check_transfer_options(options);
  TransferPlan plan{groups, options};
  Index large = 0;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (groups[m].rows.rows() >= kFewestRowsOfTransfer) ++large;
  }
  if (large < 2) {
    plan.reason = fmt::format("only {} of {} groups have {} rows or more", large,
                              groups.num_groups(), kFewestRowsOfTransfer);
    return plan;
  }
  const std::vector<Index> asked = features_to_leave_out(groups, options.features);
  draw_transfer_rows(plan);
  plan.ranks = ranks_within_groups(rows_and_features(groups, plan.judged, asked), workers);
  plan.place.assign(static_cast<std::size_t>(groups.dim()), -1);
  for (std::size_t k = 0; k < asked.size(); ++k) plan.place[asked[k]] = static_cast<Index>(k);
  const std::vector<Index> varying = features_that_vary(plan, asked);
  if (static_cast<Index>(varying.size()) < kFewestFeatures) {
    plan.reason = fmt::format("only {} features that vary can be left out, {} are needed",
                              varying.size(), kFewestFeatures);
  } else if (plan.ranks.array().isFinite().count() * 2 < plan.ranks.size()) {
    plan.reason = "more than half of the cells are missing";
  } else {
    make_blocks(plan, varying, workers);
    choose_predicted(plan);
  }
  return plan;
}

GroupSet move_judged_rows(const TransferPlan& plan, const BlockAligner& align,
                          const std::vector<Index>& block) {
  const std::vector<Index> features = all_but(block, plan.groups.dim());
  const GroupSet to_fit = rows_and_features(plan.groups, plan.fitted, features);
  const GroupSet to_move = rows_and_features(plan.groups, plan.judged, features);
  GroupSet moved = align(to_fit, to_move, features);
  bool same = moved.num_groups() == to_move.num_groups() && moved.dim() > 0;
  for (Index m = 0; same && m < moved.num_groups(); ++m) {
    same = moved[m].rows.rows() == to_move[m].rows.rows();
  }
  if (!same) {
    throw InvalidData(fmt::format(
        "An aligner returned {} rows in {} groups for {} rows in {} groups; it must return every "
        "row that it is to move, in the same groups.",
        moved.num_samples(), moved.num_groups(), to_move.num_samples(), to_move.num_groups()));
  }
  return moved;
}

}  // namespace conflux
