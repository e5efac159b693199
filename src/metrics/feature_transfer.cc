#include "metrics/feature_transfer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "conflux/core/error.h"
#include "metrics/transfer_plan.h"
#include "metrics/transfer_score.h"

namespace conflux {

namespace {

// The variance that is due to the choice of rows, which are drawn within groups, and of features,
// of which clusters are drawn.
double standard_error(const std::vector<TransferCell>& cells, const std::vector<double>& scores,
                      const std::vector<double>& influences, const std::vector<Index>& rows) {
  double variance = 0;
  auto next = influences.begin();
  for (const Index size : rows) {
    const double mean = std::accumulate(next, next + size, 0.0) / static_cast<double>(size);
    double squares = 0;
    for (Index i = 0; i < size; ++i, ++next) squares += (*next - mean) * (*next - mean);
    if (size > 1) variance += squares * static_cast<double>(size) / static_cast<double>(size - 1);
  }
  if (cells.empty()) return std::sqrt(variance);
  const double count = static_cast<double>(cells.size());
  const double mean = std::accumulate(scores.begin(), scores.end(), 0.0) / count;
  Index clusters = 0;
  for (const TransferCell& cell : cells) clusters = std::max(clusters, cell.cluster + 1);
  std::vector<double> deviations(static_cast<std::size_t>(clusters), 0.0);
  std::vector<bool> present(deviations.size(), false);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    deviations[cells[c].cluster] += (scores[c] - mean) / count;
    present[cells[c].cluster] = true;
  }
  const auto drawn = static_cast<double>(std::count(present.begin(), present.end(), true));
  double squares = 0;
  for (const double deviation : deviations) squares += deviation * deviation;
  if (drawn > 1) variance += squares * drawn / (drawn - 1);
  return std::sqrt(variance);
}

std::vector<double> scores_of(const FeatureTransfer& transfer) {
  std::vector<double> out;
  for (const TransferCell& cell : transfer.cells) out.push_back(cell.score);
  return out;
}

bool same_cell(const TransferCell& a, const TransferCell& b) {
  return a.block == b.block && a.feature == b.feature && a.group == b.group;
}

}  // namespace

FeatureTransferJudge::FeatureTransferJudge(const GroupSet& groups,
                                           const FeatureTransferOptions& options,
                                           const Workers& workers)
    : plan_(std::make_unique<const TransferPlan>(plan_transfer(groups, options, workers))),
      workers_(workers) {}

FeatureTransferJudge::~FeatureTransferJudge() = default;

const std::string& FeatureTransferJudge::reason() const { return plan_->reason; }

const std::vector<std::vector<Index>>& FeatureTransferJudge::blocks() const {
  return plan_->blocks;
}

FeatureTransfer FeatureTransferJudge::judge(const BlockAligner& align) const {
  if (!plan_->reason.empty()) {
    throw InvalidOption("Held-out features cannot be scored on this table: " + plan_->reason + ".");
  }
  FeatureTransfer out;
  for (const auto& rows : plan_->judged) out.rows.push_back(static_cast<Index>(rows.size()));
  out.row_influences.assign(plan_->group_of.size(), 0.0);
  for (std::size_t b = 0; b < plan_->blocks.size(); ++b) {
    const std::vector<Index>& features = plan_->predicted[b];
    Matrix ranks(static_cast<Index>(features.size()), plan_->ranks.cols());
    for (std::size_t k = 0; k < features.size(); ++k) {
      ranks.row(static_cast<Index>(k)) = plan_->ranks.row(plan_->place[features[k]]);
    }
    const Matrix rows = comparable_rows(move_judged_rows(*plan_, align, plan_->blocks[b]));
    const Matrix predictions =
        predict_from_other_groups(rows, plan_->group_of, ranks, plan_->options.neighbors, workers_);
    score_block(*plan_, static_cast<Index>(b), predictions, out, workers_);
  }
  const double count = static_cast<double>(std::max<std::size_t>(1, out.cells.size()));
  const std::vector<double> scores = scores_of(out);
  out.score = std::accumulate(scores.begin(), scores.end(), 0.0) / count;
  for (double& influence : out.row_influences) influence /= count;
  out.standard_error = standard_error(out.cells, scores, out.row_influences, out.rows);
  return out;
}

PairedTransfer compare(const FeatureTransfer& a, const FeatureTransfer& b) {
  if (a.rows != b.rows || a.row_influences.size() != b.row_influences.size() ||
      !std::equal(a.cells.begin(), a.cells.end(), b.cells.begin(), b.cells.end(), same_cell)) {
    throw InvalidData(
        "Two alignments were judged on different rows or features; judge both with one "
        "FeatureTransferJudge.");
  }
  std::vector<double> scores = scores_of(b);
  for (std::size_t c = 0; c < scores.size(); ++c) scores[c] -= a.cells[c].score;
  std::vector<double> influences = b.row_influences;
  for (std::size_t i = 0; i < influences.size(); ++i) influences[i] -= a.row_influences[i];
  return {b.score - a.score, standard_error(a.cells, scores, influences, a.rows)};
}

bool anything_transfers(const std::vector<FeatureTransfer>& scores) {
  return std::any_of(scores.begin(), scores.end(), [](const FeatureTransfer& each) {
    return each.score > 2 * each.standard_error;
  });
}

}  // namespace conflux
