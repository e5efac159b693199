#include "conflux/report/report.h"

#include <algorithm>
#include <numeric>

#include "columns/measured_scales.h"
#include "conflux/storage/checkpoint.h"
#include "report/facts.h"

namespace conflux {

namespace {

bool has_sizes(const Report& report, const Flow& flow, const std::vector<Index>& sizes) {
  for (std::size_t m = 0; m < report.group_names.size(); ++m) {
    const Index at = flow.group_index(report.group_names[m]);
    // A group that was added later has no rows in the fit.
    if (at >= static_cast<Index>(sizes.size())) return false;
    if (sizes[at] != report.group_sizes[m]) return false;
  }
  return true;
}

// The digest may be followed by the fraction that was held out.
bool are_fitted_rows(const Model& model, const GroupSet& groups, const Report& report) {
  // A table from which a pool was drawn is recognized by its numbers of rows, because only some
  // rows were fitted.
  const FitRecord& record = model.record;
  if (!record.given_sizes.empty() && has_sizes(report, model.flow, record.given_sizes)) return true;
  // If the table is larger than the sample, its numbers of rows decide in the same way.
  if (report.all_rows > groups.num_samples()) {
    return has_sizes(report, model.flow, record.group_sizes);
  }
  const auto known = model.metadata.find("data_digest");
  return known != model.metadata.end() && known->second.starts_with(data_digest(groups));
}

Report begin_report(const Model& model, const GroupSet& groups, const ReportOptions& options) {
  Report out{.model_name = options.model_path,
             .data_names = options.data_paths,
             .group_column = model.group_column,
             .label_column = model.label_column,
             .group_names = groups.names(),
             .feature_names = groups.feature_names(),
             .group_sizes = options.table_rows,
             .seed = options.seed,
             .record = model.record};
  for (Index m = static_cast<Index>(out.group_sizes.size()); m < groups.num_groups(); ++m) {
    out.group_sizes.push_back(groups[m].rows.rows());
  }
  out.all_rows = std::accumulate(out.group_sizes.begin(), out.group_sizes.end(), Index{0});
  for (Index j = static_cast<Index>(out.feature_names.size()); j < groups.dim(); ++j) {
    out.feature_names.push_back("x" + std::to_string(j));
  }
  return out;
}

bool can_be_checked(const GroupSet& groups) {
  Index large = 0;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (groups[m].rows.rows() < 2) return false;
    large += groups[m].rows.rows() >= 3 ? 1 : 0;
  }
  return large > 1;
}

void judge_groups(Report& report, const Model& model, const GroupSet& groups,
                  const ReportOptions& options) {
  report.evaluation = evaluate(model.flow, groups,
                               {.gate = model.record.options.gate,
                                .seed = options.seed,
                                .threads = options.threads,
                                .progress = options.progress});
  if (options.curve) {
    report.curve = amount_curve(
        model.flow, groups, curve_amounts(),
        {.seed = options.seed, .threads = options.threads, .progress = options.progress});
  }
  if (!can_be_checked(groups)) return;
  if (options.progress) options.progress("looking for differences between the groups");
  // Predicting the group takes most of the time. On all rows the evaluation and the check make the
  // same prediction, unless there are ties: the evaluation uses dequantized coordinates.
  const bool all_rows =
      report.evaluation.judgement && report.evaluation.judgement->rows == groups.num_samples();
  const auto values = value_of(model.columns);
  const GroupPrediction* known =
      all_rows && !values ? &report.evaluation.judgement->prediction_before : nullptr;
  report.check = check(groups, {.seed = options.seed,
                                .threads = options.threads,
                                .known_prediction = known,
                                .value_of = values});
}

}  // namespace

Report make_report(const Model& model, const GroupSet& groups, const ReportOptions& options) {
  Report out = begin_report(model, groups, options);
  out.fitted_rows = are_fitted_rows(model, groups, out);
  judge_groups(out, model, groups, options);
  if (options.progress) options.progress("drawing");
  const Workers workers(options.threads);
  const ReportRows rows = draw_report_rows(model.flow, groups, options.seed, workers);
  out.rows_looked_at = rows.before.sizes;
  find_features(out, model, rows, workers);
  find_pairs(out, rows, workers);
  find_moves(out, rows);
  out.neighborhoods = find_neighborhoods(out, model, groups, rows, workers);
  out.reach = find_reach(model, rows, workers);
  warp_grids(out, model.flow, rows, workers);
  if (options.rows > 0) {
    const RowPaths paths(groups, options.rows, options.seed, options.threads);
    out.view = view_rows(paths, model.flow);
    show_rows_elsewhere(out, model, paths);
    out.rows_inside = paths.rows().rows.rows();
  }
  conclude(out, model, options);
  return out;
}

}  // namespace conflux
