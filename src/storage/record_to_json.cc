// The record of a fit as JSON in model files.

#include <cmath>
#include <concepts>
#include <type_traits>

#include "storage/record_json.h"

namespace conflux {

namespace {

// JSON has no numbers that are not finite; those of a record come back as NaN.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json number(const std::optional<double>& value) { return value ? number(*value) : Json(); }

Json layer_to_json(const LayerRecord& layer) {
  Json out = Json::object();
  visit_layer_record(layer, [&](const char* name, const auto& value) {
    using Field = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::same_as<Field, double> || std::same_as<Field, std::optional<double>>) {
      out.add(name, number(value));
    } else {
      out.add(name, value);
    }
  });
  return out;
}

Json layers_to_json(const std::vector<LayerRecord>& layers) {
  Json out = Json::array();
  for (const LayerRecord& layer : layers) out.push_back(layer_to_json(layer));
  return out;
}

Json predictions_to_json(const std::vector<PredictionRecord>& predictions) {
  Json out = Json::array();
  for (const PredictionRecord& prediction : predictions) {
    out.push_back(Json{{"layer", prediction.layer},
                       {"auc", number(prediction.auc)},
                       {"by_chance", number(prediction.by_chance)}});
  }
  return out;
}

Json clusters_to_json(const ClustersRecord& clusters) {
  Json groups = Json::array();
  for (const GroupMatch& group : clusters.groups) {
    groups.push_back(Json{{"matched", number(group.matched)},
                          {"distance", number(group.distance)},
                          {"parts", group.parts},
                          {"shares", group.shares}});
  }
  return {{"reason", clusters.reason}, {"groups", groups}, {"sentences", clusters.sentences}};
}

Json rung_to_json(const RungRecord& rung) {
  return {{"name", rung.name},
          {"transfer", number(rung.transfer)},
          {"transfer_error", number(rung.transfer_error)},
          {"auc", number(rung.auc)},
          {"auc_by_chance", number(rung.auc_by_chance)},
          {"moved", number(rung.moved)}};
}

Json summary_to_json(const FitSummary& summary) {
  return {{"verdict", summary.verdict},
          {"auc_before", number(summary.auc_before)},
          {"auc_after", number(summary.auc_after)},
          {"auc_by_chance", number(summary.auc_by_chance)},
          {"auc_low", number(summary.auc_low)},
          {"auc_high", number(summary.auc_high)},
          {"worst_group", summary.worst_group},
          {"worst_before", number(summary.worst_before)},
          {"worst_after", number(summary.worst_after)},
          {"within_labels", summary.within_labels},
          {"neighbors_kept", number(summary.neighbors_kept)},
          {"neighbors_by_chance", number(summary.neighbors_by_chance)},
          {"moved_most", summary.moved_most},
          {"moved_by", summary.moved_by},
          {"energy_after", number(summary.energy_after)},
          {"energy_low", number(summary.energy_low)},
          {"energy_high", number(summary.energy_high)},
          {"beyond_knots", number(summary.beyond_knots)},
          {"reach_low", summary.reach_low},
          {"reach_high", summary.reach_high},
          {"judged_rows", summary.judged_rows},
          {"unseen_rows", summary.unseen_rows},
          {"sentences", summary.sentences}};
}

}  // namespace

Json check_to_json(const std::optional<CheckRecord>& check) {
  if (!check) return {};
  return {{"differ", check->differ},
          {"p_value", number(check->p_value)},
          {"auc", number(check->auc)},
          {"auc_by_chance", number(check->auc_by_chance)},
          {"overlap", number(check->overlap)},
          {"advice", check->advice},
          {"rows", check->rows},
          {"sentences", check->sentences}};
}

Json ladder_to_json(const LadderRecord& ladder) {
  Json rungs = Json::array();
  for (const RungRecord& rung : ladder.rungs) rungs.push_back(rung_to_json(rung));
  return {{"goal", ladder.goal},
          {"rungs", rungs},
          {"chosen", ladder.chosen},
          {"sentences", ladder.sentences}};
}

Json neighborhoods_to_json(const std::vector<LabelNeighborhood>& neighborhoods) {
  Json out = Json::array();
  for (const LabelNeighborhood& each : neighborhoods) {
    out.push_back(Json{{"label", each.label},
                       {"rows", each.rows},
                       {"before", each.before},
                       {"after", each.after}});
  }
  return out;
}

Json within_to_json(const std::vector<WithinRecord>& within) {
  Json out = Json::array();
  for (const WithinRecord& each : within) {
    out.push_back(Json{{"label", each.label},
                       {"rows", each.rows},
                       {"method", each.method},
                       {"layers", each.layers},
                       {"stop", each.stop}});
  }
  return out;
}

Json record_to_json(const FitRecord& record) {
  Json out = {{"group_sizes", record.group_sizes},
              {"given_sizes", record.given_sizes},
              {"held_out_at_start", number(record.held_out_at_start)},
              {"held_out_nb", number(record.held_out_nb)},
              {"layers", layers_to_json(record.layers)},
              {"dropped_layers", layers_to_json(record.dropped_layers)},
              {"predictions", predictions_to_json(record.predictions)},
              {"stop", record.stop},
              {"clusters", clusters_to_json(record.clusters)},
              {"summary", summary_to_json(record.summary)},
              {"warnings", record.warnings},
              {"seconds", number(record.seconds)}};
  // Where there is nothing to tell, files are what they were before there were these.
  if (!record.ladder.sentences.empty()) out.add("ladder", ladder_to_json(record.ladder));
  if (!record.within.empty()) out.add("within", within_to_json(record.within));
  if (record.check) out.add("check", check_to_json(record.check));
  if (!record.neighborhoods.empty()) {
    out.add("neighborhoods", neighborhoods_to_json(record.neighborhoods));
  }
  return out;
}

}  // namespace conflux
