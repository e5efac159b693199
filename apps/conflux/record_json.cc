#include "record_json.h"

#include <fmt/format.h>

#include <numeric>

namespace conflux::app {

Json layer_json(const LayerRecord& layer) {
  Json out = Json::object();
  visit_layer_record(layer, [&](const char* name, const auto& value) { out.add(name, value); });
  return out;
}

Json speed_json(const FitRecord& record) {
  const Throughput speed = throughput_of(record);
  return {{"seconds", record.seconds},
          {"passes", speed.passes},
          {"gflops_per_second", speed.gflops_per_second},
          {"gigabytes_per_second", speed.gigabytes_per_second},
          {"product_share", speed.product_share},
          {"sort_share", speed.sort_share},
          {"rest_share", speed.rest_share}};
}

std::string rows_text(const FitRecord& record) {
  const auto sum = [](const std::vector<Index>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), Index{0});
  };
  const std::string given =
      record.given_sizes.empty() ? "" : fmt::format(" of {}", sum(record.given_sizes));
  return fmt::format("{}{} rows", sum(record.group_sizes), given);
}

Json layers_json(const std::vector<LayerRecord>& layers) {
  Json out = Json::array();
  for (const LayerRecord& layer : layers) out.push_back(layer_json(layer));
  return out;
}

Json summary_json(const FitRecord& record) {
  const FitSummary& summary = record.summary;
  Json moved = Json::object();
  for (std::size_t j = 0; j < summary.moved_most.size(); ++j) {
    moved[summary.moved_most[j]] = summary.moved_by[j];
  }
  // Absent figures are null.
  const auto figure = [&](double value) { return summary.judged() ? Json(value) : Json(); };
  Json worst;
  if (!summary.worst_group.empty()) {
    worst = Json{{"group", summary.worst_group},
                 {"before", summary.worst_before},
                 {"after", summary.worst_after}};
  }
  return {{"verdict", summary.verdict},
          {"group_auc",
           {{"before", figure(summary.auc_before)},
            {"after", figure(summary.auc_after)},
            {"by_chance", figure(summary.auc_by_chance)},
            {"low", figure(summary.auc_low)},
            {"high", figure(summary.auc_high)},
            {"worst", worst}}},
          {"within_labels", summary.within_labels},
          {"neighbors_kept", figure(summary.neighbors_kept)},
          {"neighbors_by_chance", figure(summary.neighbors_by_chance)},
          {"moved_most", moved},
          {"energy",
           {{"after", figure(summary.energy_after)},
            {"low", figure(summary.energy_low)},
            {"high", figure(summary.energy_high)}}},
          {"beyond_knots", summary.beyond_knots},
          {"judged_rows", summary.judged_rows},
          {"unseen_rows", summary.unseen_rows},
          {"stop", record.stop},
          {"sentences", summary.sentences}};
}

}  // namespace conflux::app
