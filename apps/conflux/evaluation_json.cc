#include "evaluation_json.h"

#include "storage/record_json.h"

namespace conflux::app {

namespace {

Json change_json(const Change& change) {
  return {{"before", change.before}, {"after", change.after}, {"by_chance", change.by_chance}};
}

Json moves_json(const std::vector<Move>& moves) {
  Json out;
  for (const Move& move : moves) out[move.name] = move.distance;
  return out;
}

Change among_labels(const Judgement& judgement) {
  return {judgement.within_before->auc, judgement.within_after->auc,
          judgement.within_after->by_chance()};
}

// Shares of features in how the group is predicted, before and after.
Json importance_json(const Judgement& judgement) {
  Json out = Json::object();
  for (const auto& [name, shares] : judgement.given_away_by) {
    out[name] = Json{{"before", shares.first}, {"after", shares.second}};
  }
  return out;
}

// Null with two groups, whose AUCs are equal.
Json worst_json(const Judgement& judgement) {
  const auto worst = judgement.verdict_after().worst_group();
  if (!worst) return {};
  return {{"group", judgement.worst_group},
          {"before", judgement.verdict_before().per_group[*worst]},
          {"after", judgement.verdict_after().per_group[*worst]}};
}

Json judgement_json(const Judgement& judgement) {
  Json out = {
      {"verdict", name_of(judgement.verdict)},
      {"group_auc", change_json({judgement.prediction_before.auc, judgement.prediction_after.auc,
                                 judgement.prediction_after.by_chance()})},
      {"worst_group", worst_json(judgement)},
      {"within_labels", judgement.within_labels},
      {"given_away_by", importance_json(judgement)},
      {"energy", change_json(judgement.energy)},
      {"features_moved", moves_json(judgement.features_moved)},
      {"groups_moved", moves_json(judgement.groups_moved)},
      {"sentences", judgement.sentences},
      {"warnings", judgement.warnings}};
  const auto add = [&](const char* name, const std::optional<Change>& change) {
    if (change) out[name] = change_json(*change);
  };
  if (judgement.within_after) add("group_auc_within_labels", among_labels(judgement));
  add("ilisi", judgement.ilisi);
  add("clisi", judgement.clisi);
  add("label_transfer", judgement.label_transfer);
  if (!judgement.neighborhoods.empty()) {
    out["neighborhoods"] = neighborhoods_to_json(judgement.neighborhoods);
  }
  return out;
}

Json pairs_json(const MetricResult& result, const Evaluation& found, double PairValue::*value) {
  Json pairs;
  for (const PairValue& pair : result.pairs) {
    pairs[found.group_names[pair.a]][found.group_names[pair.b]] = pair.*value;
  }
  return pairs;
}

Json metric_json(const MetricResult& result, const Evaluation& found) {
  if (!result.pairs.empty()) {
    return {{"before",
             {{"mean", *result.before}, {"pairs", pairs_json(result, found, &PairValue::before)}}},
            {"after",
             {{"mean", result.after}, {"pairs", pairs_json(result, found, &PairValue::after)}}},
            {"by_chance", *result.by_chance}};
  }
  Json entry;
  if (result.before) {
    entry = {{"before", *result.before}, {"after", result.after}};
  } else {
    entry[result.name == "round_trip" ? "largest" : "mean"] = result.after;
  }
  if (result.by_chance) entry["by_chance"] = *result.by_chance;
  for (std::size_t m = 0; m < result.per_group.size(); ++m) {
    entry["groups"][found.group_names[m]] = result.per_group[m];
  }
  for (std::size_t c = 0; c < result.per_label.size(); ++c) {
    const LabelValue& value = result.per_label[c];
    Json& of_label = entry["labels"][found.label_names[c]];
    of_label =
        value.before ? Json{{"before", *value.before}, {"after", value.after}} : Json(value.after);
  }
  return entry;
}

}  // namespace

Json evaluation_json(const Evaluation& found, const std::string& model, const std::string& space,
                     std::uint64_t seed) {
  Json rows, metrics;
  for (std::size_t m = 0; m < found.rows.size(); ++m) rows[found.group_names[m]] = found.rows[m];
  for (const MetricResult& result : found.metrics) {
    metrics[result.name] = metric_json(result, found);
  }
  Json out = {
      {"model", model}, {"space", space}, {"seed", seed}, {"rows", rows}, {"metrics", metrics}};
  if (found.judgement) out["judgement"] = judgement_json(*found.judgement);
  return out;
}

Json curve_json(const std::vector<AmountPoint>& curve) {
  Json out = Json::array();
  for (const AmountPoint& each : curve) {
    out.push_back(Json{{"amount", each.amount},
                       {"group_auc", each.group_auc},
                       {"group_auc_by_chance", each.group_by_chance},
                       {"group_auc_within_labels", each.group_auc_within},
                       {"label_auc", each.label_auc},
                       {"moved", each.moved}});
  }
  return out;
}

}  // namespace conflux::app
