#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conflux/judging/evaluation.h"
#include "metrics/judged_rows.h"
#include "metrics/thinning.h"
#include "metrics/unexplained.h"

namespace conflux {

namespace {

constexpr Index kMostCurveRows = 3'000;
constexpr Index kCurvePoints = 11;
// As many as folds.
constexpr Index kFewestRowsOfCurveLabel = 3;

// The rows whose label is known and not rare, and their labels from 0 on.
struct LabeledRows {
  std::vector<Index> rows;
  std::vector<Index> labels;
  Index different = 0;
};

LabeledRows rows_with_labels(const JudgedRows& judged, std::size_t num_labels) {
  std::vector<Index> counts(num_labels, 0), name(num_labels, -1);
  for (const Index label : judged.label_of) {
    if (label >= 0) ++counts[label];
  }
  LabeledRows out;
  for (std::size_t i = 0; i < judged.label_of.size(); ++i) {
    const Index label = judged.label_of[i];
    if (label < 0 || counts[label] < kFewestRowsOfCurveLabel) continue;
    if (name[label] < 0) name[label] = out.different++;
    out.rows.push_back(static_cast<Index>(i));
    out.labels.push_back(name[label]);
  }
  return out;
}

Matrix moved_rows(const Flow& flow, const GroupSet& groups, const JudgedRows& judged,
                  const Workers& workers) {
  Matrix out = judged.rows;
  const std::vector<Index> labels = flow.label_codes(groups.label_names(), judged.label_of);
  Index at = 0;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Index size = judged.sizes[m];
    const Index group = flow.group_index(groups[m].name);
    const Rows rows = Rows(out).middle_rows(at, size);
    std::span<const Index> own = labels;
    if (!own.empty()) {
      own = own.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
    }
    flow.move(ConstRows(rows), Route::to_shared({&group, 1}).of_labels(own), rows, nullptr,
              workers);
    at += size;
  }
  return out;
}

}  // namespace

std::vector<double> curve_amounts() {
  std::vector<double> out;
  for (Index k = 0; k < kCurvePoints; ++k)
    out.push_back(static_cast<double>(k) / (kCurvePoints - 1));
  return out;
}

std::vector<AmountPoint> amount_curve(const Flow& flow, const GroupSet& groups,
                                      const std::vector<double>& amounts,
                                      const EvaluationOptions& options) {
  const Workers workers(options.threads);
  std::vector<Index> sizes;
  for (Index m = 0; m < groups.num_groups(); ++m) sizes.push_back(groups[m].rows.rows());
  const Index most = std::min(options.max_rows, rows_per_group(sizes, kMostCurveRows));
  JudgedRows judged = draw_rows(groups, most, Purpose::kMetric, options.seed);
  if (std::count_if(judged.sizes.begin(), judged.sizes.end(),
                    [](Index rows) { return rows >= 3; }) < 2) {
    return {};
  }
  const LabeledRows labeled = rows_with_labels(judged, groups.label_names().size());
  const PredictionOptions how{.folds = 2, .trees = 40, .seed = options.seed};
  Vector factors;
  {
    JudgedRows copy = judged;
    factors = standardize_within_groups(copy).head(groups.features());
  }
  Flow part = flow;
  std::vector<AmountPoint> out;
  for (const double amount : amounts) {
    if (options.progress) options.progress(fmt::format("amount {:.2g}", amount));
    part.set_amount(amount);
    const Matrix after = moved_rows(part, groups, judged, workers);
    const Matrix seen = unexplained(after, groups.covariates(), judged.group_of);
    AmountPoint point{.amount = amount};
    const GroupPrediction group = predict_groups(SampleRows(seen), judged.group_of, how, workers);
    point.group_auc = group.auc;
    point.group_by_chance = group.by_chance();
    if (labeled.different > 0) {
      const auto within =
          predict_within_clusters(SampleRows(seen), judged.group_of, judged.label_of, how, workers);
      if (within) point.group_auc_within = within->auc;
    }
    if (labeled.different > 1) {
      const Matrix rows = after.leftCols(groups.features())(labeled.rows, Eigen::all);
      point.label_auc = predict_groups(SampleRows(rows), labeled.labels, how, workers).auc;
    }
    const auto moves = (after - judged.rows).leftCols(groups.features()) * factors.asDiagonal();
    point.moved = std::sqrt(moves.squaredNorm() / static_cast<double>(judged.rows.rows()));
    out.push_back(point);
  }
  return out;
}

}  // namespace conflux
