// Binds checks and evaluations, which return dicts.

#include <pybind11/stl.h>

#include "bindings.h"
#include "caller_data.h"
#include "check_dict.h"
#include "columns/measured_scales.h"
#include "conflux/comparing/check.h"
#include "conflux/judging/evaluation.h"
#include "prediction_dict.h"

namespace py = pybind11;

namespace conflux::python {

namespace {

using namespace py::literals;

py::dict to_dict(const Composition& composition) {
  return py::dict("clusters"_a = composition.clusters, "shares"_a = to_array(composition.shares),
                  "difference"_a = composition.difference.value,
                  "by_chance"_a = composition.difference.by_chance,
                  "p_value"_a = composition.difference.p_value);
}

}  // namespace

py::dict check_to_dict(const CheckReport& report) {
  py::list features;
  for (const FeatureDifference& feature : report.features) {
    features.append(py::dict("shift"_a = feature.shift, "by_chance"_a = feature.shift_by_chance,
                             "spread_ratio"_a = feature.spread_ratio, "p_value"_a = feature.p_value,
                             "false_discovery_rate"_a = feature.false_discovery_rate,
                             "importance"_a = feature.importance, "differs"_a = feature.differs));
  }
  py::object labels = py::none();
  if (report.labels) labels = to_dict(*report.labels);
  return py::dict("rows"_a = report.rows, "repeated_rows"_a = report.repeated_rows,
                  "prediction"_a = prediction_to_dict(report.prediction), "features"_a = features,
                  "p_value"_a = report.p_value, "differ"_a = report.differ,
                  "clusters"_a = to_dict(report.clusters), "labels"_a = labels,
                  "overlap"_a = report.overlap,
                  "features_with_atoms"_a = report.features_with_atoms,
                  "advice"_a = name_of(report.advice), "sentences"_a = report.sentences);
}

namespace {

py::dict check_groups(CallerData& data, double error_rate, Index max_rows, Index permutations,
                      std::uint64_t seed, int threads) {
  CheckReport report;
  {
    const py::gil_scoped_release unlocked;
    report = check(data.groups(), {.error_rate = error_rate,
                                   .max_rows = max_rows,
                                   .permutations = permutations,
                                   .seed = seed,
                                   .threads = threads,
                                   .value_of = value_of(data.columns()),
                                   .subjects = data.subjects()});
  }
  return check_to_dict(report);
}

py::dict to_dict(const Change& change) {
  return py::dict("before"_a = change.before, "after"_a = change.after,
                  "by_chance"_a = change.by_chance);
}

py::object to_dict(const std::optional<Change>& change) {
  return change ? py::object(to_dict(*change)) : py::none();
}

py::object prediction_or_none(const std::optional<GroupPrediction>& prediction) {
  return prediction ? py::object(prediction_to_dict(*prediction)) : py::none();
}

py::dict to_dict(const std::vector<Move>& moves) {
  py::dict out;
  for (const Move& move : moves) out[py::str(move.name)] = move.distance;
  return out;
}

py::dict to_dict(const Judgement& judgement) {
  return py::dict(
      "verdict"_a = name_of(judgement.verdict),
      "prediction_before"_a = prediction_to_dict(judgement.prediction_before),
      "prediction_after"_a = prediction_to_dict(judgement.prediction_after),
      "ilisi"_a = to_dict(judgement.ilisi),
      "within_before"_a = prediction_or_none(judgement.within_before),
      "within_after"_a = prediction_or_none(judgement.within_after),
      "within_labels"_a = judgement.within_labels, "energy"_a = to_dict(judgement.energy),
      "neighbors_kept"_a = judgement.mean_neighbors_kept,
      "neighbors_kept_of_group"_a = judgement.neighbors_kept,
      "neighbors_by_chance"_a = judgement.neighbors_by_chance, "clisi"_a = to_dict(judgement.clisi),
      "label_transfer"_a = to_dict(judgement.label_transfer),
      "features_moved"_a = to_dict(judgement.features_moved),
      "groups_moved"_a = to_dict(judgement.groups_moved), "rows"_a = judgement.rows,
      "sentences"_a = judgement.sentences, "warnings"_a = judgement.warnings);
}

py::dict to_dict(const Evaluation& evaluation) {
  py::dict metrics;
  for (const MetricResult& metric : evaluation.metrics) {
    metrics[py::str(metric.name)] = py::dict("before"_a = metric.before, "after"_a = metric.after,
                                             "by_chance"_a = metric.by_chance);
  }
  py::object judgement = py::none();
  if (evaluation.judgement) judgement = to_dict(*evaluation.judgement);
  return py::dict("group_names"_a = evaluation.group_names, "rows"_a = evaluation.rows,
                  "judgement"_a = judgement, "metrics"_a = metrics);
}

// Rows of data that was read for the model.
py::dict evaluate_model(const Model& model, const CallerData& data,
                        const std::vector<std::string>& metrics, bool shared_space, Index max_rows,
                        std::uint64_t seed, int threads) {
  Evaluation evaluation;
  {
    const py::gil_scoped_release unlocked;
    EvaluationOptions options{
        .metrics = metrics,
        .space = shared_space ? EvaluationSpace::kShared : EvaluationSpace::kTranslated,
        .gate = model.record.options.gate,
        .max_rows = max_rows,
        .seed = seed,
        .threads = threads};
    evaluation = evaluate(model.flow, data.groups(), options);
  }
  return to_dict(evaluation);
}

py::list curve_of(const Model& model, const CallerData& data, const std::vector<double>& amounts,
                  Index max_rows, std::uint64_t seed, int threads) {
  std::vector<AmountPoint> curve;
  {
    const py::gil_scoped_release unlocked;
    curve = amount_curve(model.flow, data.groups(), amounts,
                         {.max_rows = max_rows, .seed = seed, .threads = threads});
  }
  py::list out;
  for (const AmountPoint& each : curve) {
    out.append(py::dict("amount"_a = each.amount, "group_auc"_a = each.group_auc,
                        "group_auc_by_chance"_a = each.group_by_chance,
                        "group_auc_within_labels"_a = each.group_auc_within,
                        "label_auc"_a = each.label_auc, "moved"_a = each.moved));
  }
  return out;
}

}  // namespace

void bind_judging(py::module_& module) {
  module.def("check", &check_groups, py::arg("data"), py::arg("error_rate"), py::arg("max_rows"),
             py::arg("permutations"), py::arg("seed"), py::arg("threads"));
  module.def("evaluate", &evaluate_model, py::arg("model"), py::arg("data"), py::arg("metrics"),
             py::arg("shared_space"), py::arg("max_rows"), py::arg("seed"), py::arg("threads"));
  module.def("amount_curve", &curve_of, py::arg("model"), py::arg("data"), py::arg("amounts"),
             py::arg("max_rows"), py::arg("seed"), py::arg("threads"));
  module.def("metric_names", &metric_names);
}

}  // namespace conflux::python
