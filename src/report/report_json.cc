// The facts of a report for programs; docs/report.md describes the members.

#include "conflux/report/report.h"
#include "files/json.h"
#include "storage/record_json.h"

namespace conflux {

namespace {

Json rows_of(const Matrix& values) {
  Json out = Json::array();
  for (Index i = 0; i < values.rows(); ++i) {
    out.push_back(std::vector<double>(values.row(i).begin(), values.row(i).end()));
  }
  return out;
}

Json json_of(const Change& change) {
  return {{"before", change.before}, {"after", change.after}, {"by_chance", change.by_chance}};
}

Json json_of(const GroupPrediction& before, const GroupPrediction& after) {
  return json_of({before.auc, after.auc, after.by_chance()});
}

Json json_of(const FeatureDifference& feature) {
  return {{"shift", feature.shift},
          {"shift_by_chance", feature.shift_by_chance},
          {"spread_ratio", feature.spread_ratio},
          {"p_value", feature.p_value},
          {"false_discovery_rate", feature.false_discovery_rate},
          {"importance", feature.importance},
          {"differs", feature.differs}};
}

Json data_json(const Report& report) {
  return {{"model", report.model_name},
          {"tables", report.data_names},
          {"group_column", report.group_column},
          {"label_column", report.label_column},
          {"rows", report.all_rows},
          {"rows_looked_at", report.rows_looked_at},
          {"rows_inside", report.rows_inside},
          {"fitted_rows", report.fitted_rows},
          {"seed", report.seed}};
}

Json check_json(const CheckReport& check) {
  return {{"differ", check.differ},      {"p_value", check.p_value},
          {"auc", check.prediction.auc}, {"auc_by_chance", check.prediction.by_chance()},
          {"overlap", check.overlap},    {"advice", name_of(check.advice)},
          {"sentences", check.sentences}};
}

Json judgement_json(const Judgement& judgement) {
  Json out = {{"verdict", name_of(judgement.verdict)},
              {"rows", judgement.rows},
              {"group_auc", json_of(judgement.prediction_before, judgement.prediction_after)},
              {"within_labels", judgement.within_labels},
              {"energy", json_of(judgement.energy)},
              {"energy_low", judgement.energy_low},
              {"neighbors_kept", judgement.mean_neighbors_kept},
              {"neighbors_by_chance", judgement.neighbors_by_chance},
              {"sentences", judgement.sentences},
              {"warnings", judgement.warnings}};
  if (judgement.within_after) {
    out["group_auc_within_labels"] = json_of(*judgement.within_before, *judgement.within_after);
  }
  if (judgement.ilisi) out["ilisi"] = json_of(*judgement.ilisi);
  if (judgement.clisi) out["clisi"] = json_of(*judgement.clisi);
  if (judgement.label_transfer) out["label_transfer"] = json_of(*judgement.label_transfer);
  return out;
}

Json groups_json(const Report& report) {
  Json out = Json::array();
  for (std::size_t m = 0; m < report.group_names.size(); ++m) {
    Json group = {{"name", report.group_names[m]}, {"rows", report.group_sizes[m]}};
    if (report.evaluation.judgement) {
      const Judgement& judgement = *report.evaluation.judgement;
      group["group_auc"] = {{"before", judgement.prediction_before.per_group[m]},
                            {"after", judgement.prediction_after.per_group[m]}};
      const GroupDistance& far = judgement.energy_of_group[m];
      group["energy"] = {
          {"before", far.before}, {"after", far.after}, {"low", far.low}, {"high", far.high}};
      group["neighbors_kept"] = judgement.neighbors_kept[m];
    }
    const auto moves = report.move_quantiles.row(static_cast<Index>(m));
    group["moves"] = std::vector<double>(moves.begin(), moves.end());
    out.push_back(std::move(group));
  }
  return out;
}

Json features_json(const Report& report) {
  Json out = Json::array();
  for (const FeatureChange& each : report.features) {
    out.push_back(
        {{"name", each.name}, {"before", json_of(each.before)}, {"after", json_of(each.after)}});
  }
  return out;
}

Json neighborhoods_json(const Neighborhoods& near) {
  Json fused = Json::array();
  for (const auto& [cluster, with] : near.fused) {
    fused.push_back({{"cluster", near.clusters[cluster]},
                     {"with", near.clusters[with]},
                     {"before", near.before(cluster, with)},
                     {"after", near.after(cluster, with)}});
  }
  return {{"of", near.labels ? "labels" : "clusters"},
          {"of_fit", near.of_fit},
          {"clusters", near.clusters},
          {"rows", near.rows},
          {"nearest", near.nearest},
          {"before", rows_of(near.before)},
          {"after", rows_of(near.after)},
          {"fused", std::move(fused)}};
}

Json reach_json(const Reach& reach) {
  return {{"maps", reach.maps},
          {"counts", reach.counts},
          {"most", reach.most},
          {"far", reach.far},
          {"fitted_most", reach.fitted_most},
          {"beyond_fitted", reach.beyond_fitted}};
}

Json layers_json(const std::vector<LayerRecord>& layers) {
  Json out = Json::array();
  for (const LayerRecord& each : layers) {
    Json layer = {{"kind", each.kind},
                  {"spread_before", each.spread_before},
                  {"spread_after", each.spread_after},
                  {"held_out", nullptr},
                  {"held_out_error", nullptr}};
    if (each.held_out) layer["held_out"] = *each.held_out;
    if (each.held_out_error) layer["held_out_error"] = *each.held_out_error;
    out.push_back(std::move(layer));
  }
  return out;
}

Json fit_json(const FitRecord& record) {
  Json predictions = Json::array();
  for (const PredictionRecord& each : record.predictions) {
    predictions.push_back(
        {{"layer", each.layer}, {"auc", each.auc}, {"by_chance", each.by_chance}});
  }
  Json groups = Json::array();
  for (const GroupMatch& each : record.clusters.groups) {
    groups.push_back({{"matched", each.matched},
                      {"distance", each.distance},
                      {"parts", each.parts},
                      {"shares", each.shares}});
  }
  Json out = {{"stop", record.stop},
              {"held_out_at_start", nullptr},
              {"held_out_nb", nullptr},
              {"layers", layers_json(record.layers)},
              {"dropped_layers", layers_json(record.dropped_layers)},
              {"predictions", std::move(predictions)},
              {"clusters",
               {{"reason", record.clusters.reason},
                {"sentences", record.clusters.sentences},
                {"groups", std::move(groups)}}},
              {"check", check_to_json(record.check)},
              {"neighborhoods", neighborhoods_to_json(record.neighborhoods)},
              {"verdict", record.summary.verdict},
              {"unseen_rows", record.summary.unseen_rows}};
  if (record.held_out_at_start) out["held_out_at_start"] = *record.held_out_at_start;
  if (record.held_out_nb) out["held_out_nb"] = *record.held_out_nb;
  return out;
}

Json advice_json(const Report& report) {
  Json out = Json::array();
  for (const ReportAdvice& each : report.advice) {
    out.push_back({{"sentence", each.sentence}, {"command", each.command}});
  }
  return out;
}

Json view_json(const RowView& view) {
  return {{"x", view.x_name},
          {"y", view.y_name},
          {"share", view.share},
          {"share_of", view.share_of},
          {"before", rows_of(view.before())},
          {"after", rows_of(view.after())},
          {"groups", view.group_of}};
}

Json curve_json(const std::vector<AmountPoint>& curve) {
  Json out = Json::array();
  for (const AmountPoint& each : curve) {
    out.push_back({{"amount", each.amount},
                   {"group_auc", each.group_auc},
                   {"group_auc_by_chance", each.group_by_chance},
                   {"group_auc_within_labels", each.group_auc_within},
                   {"label_auc", each.label_auc},
                   {"moved", each.moved}});
  }
  return out;
}

}  // namespace

std::string report_json(const Report& report) {
  Json out = {{"version", kReportVersion},     {"verdict", name_of(report.verdict)},
              {"sentences", report.sentences}, {"cautions", report.cautions},
              {"advice", advice_json(report)}, {"data", data_json(report)}};
  if (report.check) out["check"] = check_json(*report.check);
  if (report.evaluation.judgement) out["judgement"] = judgement_json(*report.evaluation.judgement);
  out["move_levels"] = report.move_levels;
  out["groups"] = groups_json(report);
  out["features"] = features_json(report);
  if (report.pairs_before.size() > 0) {
    out["pairs"] = {{"before", rows_of(report.pairs_before)},
                    {"after", rows_of(report.pairs_after)}};
  }
  if (report.neighborhoods) out["neighborhoods"] = neighborhoods_json(*report.neighborhoods);
  if (report.reach) out["reach"] = reach_json(*report.reach);
  out["fit"] = fit_json(report.record);
  if (report.view) out["view"] = view_json(*report.view);
  if (!report.curve.empty()) out["curve"] = curve_json(report.curve);
  return out.dump(2) + "\n";
}

}  // namespace conflux
