// Was anything fused, can new rows be trusted, and when did the fit stop?

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/ladder_pictures.h"
#include "report/page.h"

namespace conflux {

namespace {

std::string clusters_picture(const Neighborhoods& near, const Matrix& shares, const char* when,
                             bool mark) {
  std::vector<std::pair<Index, Index>> marked;
  for (const auto& [cluster, with] : near.fused) {
    if (mark) marked.emplace_back(cluster, with);
  }
  return figure(
      draw_heat(shares, near.clusters, 1, marked, true,
                {fmt::format("Whose are the nearest rows, {}", when),
                 "Each line: among the nearest rows of the rows of this cluster, the percentage of "
                 "each cluster."}),
      fmt::format(
          "{}: among the {} nearest rows of the rows of a line, the percentage of each column.",
          when, near.nearest));
}

std::string fused_sentence(const Neighborhoods& near) {
  const char* what = near.labels ? "labels" : "clusters that were found without labels";
  if (near.fused.empty()) {
    return fmt::format(
        "No: around rows of every one of {} {}, no other one has risen by more than 10 points.",
        near.clusters.size(), what);
  }
  std::vector<std::string> names;
  for (const auto& [cluster, with] : near.fused) {
    if (names.size() == 6) break;
    names.push_back(fmt::format("{} around {} ({:.0f} % -> {:.0f} %)", near.clusters[with],
                                near.clusters[cluster], 100 * near.before(cluster, with),
                                100 * near.after(cluster, with)));
  }
  return fmt::format("▲ Look: among {}, {} more than before: {}.", what,
                     near.fused.size() == 1 ? "one is met" : "some are met",
                     fmt::join(names, ", "));
}

std::string clusters_sentence(const Neighborhoods& near) {
  return fmt::format(
      "Without labels this is uncertain; name their column with --label. Here {} clusters were "
      "found, which are arbitrary unless they are separate: {:.0f} % of the nearest rows of a row "
      "were of its own cluster before, {:.0f} % are now.",
      near.clusters.size(), 100 * near.before.diagonal().mean(),
      100 * near.after.diagonal().mean());
}

std::string where_labels_are_from(const Report& report) {
  return fmt::format(
      "These rows have no labels. The model has the labels of {} rows that scored its fit.",
      std::accumulate(report.neighborhoods->rows.begin(), report.neighborhoods->rows.end(),
                      Index{0}));
}

// Rows of the fit are their own measure.
double reach_limit(const Report& report) {
  const Reach& reach = *report.reach;
  return report.fitted_rows ? reach.most : reach.fitted_most.value_or(reach.most);
}

std::string reach_picture(const Reach& reach, double limit) {
  Svg svg(210, "Rows by the fraction of maps whose training range they are outside of",
          "A histogram from 0 to all maps; the dashed line is passed by one fitted row in a "
          "hundred.");
  double all = 0, most = 0;
  for (const Index count : reach.counts) {
    all += static_cast<double>(count);
    most = std::max(most, static_cast<double>(count));
  }
  const Scale x{0, 1, 40, kPictureWidth - 8};
  // Roots make the few rows far out visible beside the many that are not.
  // The dashed line is seen above the bars.
  const Scale y{0, 1.1 * std::sqrt(most / all), 172, 10};
  const double width = (x.to - x.from) / static_cast<double>(reach.counts.size());
  svg.horizontal_marks(x, 10, 172, "fraction of maps in which a row is outside the training range");
  for (const double share : {0.01, 0.1, 0.5, 1.0}) {
    if (share > most / all) break;
    svg.line(40, y.at(std::sqrt(share)), kPictureWidth - 8, y.at(std::sqrt(share)), "grid");
    svg.text(36, y.at(std::sqrt(share)) + 3.5, fmt::format("{:.0f} %", 100 * share), "end small");
  }
  for (std::size_t bin = 0; bin < reach.counts.size(); ++bin) {
    if (reach.counts[bin] == 0) continue;
    const double top = y.at(std::sqrt(static_cast<double>(reach.counts[bin]) / all));
    svg.rect(x.from + width * static_cast<double>(bin) + 0.5, top, width - 1,
             std::max(1.0, 172 - top), "col", fmt::format("{} rows", reach.counts[bin]));
  }
  svg.line(x.at(limit), 10, x.at(limit), 172, "limit");
  return std::move(svg).finish();
}

std::vector<std::string> reach_sentences(const Report& report) {
  const Reach& reach = *report.reach;
  const std::string seen = fmt::format(
      "Every row passes {} maps on lines; beyond the outermost rows that a map was fitted to, it "
      "only goes on.",
      reach.maps);
  const double limit = std::ceil(100 * reach_limit(report));
  if (report.fitted_rows) {
    return {
        seen,
        fmt::format(
            "99 % of the training rows are outside the range of at most {:.0f} % of the maps. If "
            "many new rows are outside of more, they are unlike these: run conflux report on them.",
            limit)};
  }
  if (!reach.fitted_most) {
    return {seen, fmt::format("99 % of these rows are outside the range of at most {:.0f} % of the "
                              "maps, {:.1f} % of them of more than a quarter.",
                              limit, 100 * reach.far)};
  }
  return {
      seen,
      fmt::format("{}{:.1f} % of these rows are outside the range of more maps ({:.0f} %) than 99 "
                  "% of the training rows. For new rows of the same distribution this is about 1 % "
                  "after a fit of many rows, and up to 30 % after one of a few hundred.",
                  reach.unlike_fitted() ? "▲ Look: " : "", 100 * *reach.beyond_fitted, limit)};
}

struct Point {
  double layer = 0;
  double value = 0;
  /// One standard error; none is drawn if it is not known.
  double error = 0;
  bool dropped = false;
};

double last_kept(const std::vector<Point>& points) {
  double out = 0;
  for (const Point& each : points) out = each.dropped ? out : std::max(out, each.layer);
  return out;
}

// Layers that were dropped have followed the last kept one that was judged like them. If there is
// none, they were tried from the start, in the place of the layers that the model has.
std::vector<Point> held_out_points(const FitRecord& record) {
  std::vector<Point> out;
  if (record.held_out_at_start) out.push_back({0, *record.held_out_at_start});
  const auto add = [&](const std::vector<LayerRecord>& layers, double layer, bool dropped) {
    for (const LayerRecord& each : layers) {
      layer += 1;
      if (!each.held_out) continue;
      out.push_back({layer, *each.held_out, each.held_out_error.value_or(0), dropped});
    }
  };
  add(record.layers, 0, false);
  add(record.dropped_layers, last_kept(out), true);
  return out;
}

// The last layers only: the distances of the first would be so large that changes of the last could
// not be seen.
std::vector<Point> last_points(const std::vector<Point>& points) {
  constexpr double kSmallPart = 0.1;
  constexpr std::size_t kFewest = 4;
  double large = 0;
  for (std::size_t k = points.size() / 2; k < points.size(); ++k) {
    large = std::max(large, 3 * (points[k].value + 2 * points[k].error));
  }
  if (points.size() < 2 * kFewest || large > kSmallPart * points.front().value) return {};
  const auto begin = std::find_if(points.begin(), points.end(),
                                  [&](const Point& each) { return each.value <= large; });
  return {begin, points.end()};
}

std::string layers_picture(const std::vector<Point>& points, const std::optional<double>& nb,
                           double kept, const Caption& caption) {
  double low = 0, high = 0;
  for (const Point& each : points) {
    low = std::min(low, each.value - 2 * each.error);
    high = std::max(high, each.value + 2 * each.error);
  }
  if (nb) high = std::max(high, *nb);
  Svg svg(230, caption.title, caption.description);
  const double first = points.size() > 1 && points.front().layer > 1 ? points.front().layer : 0;
  const Scale x{first, std::max(first + 1, points.back().layer), 48, kPictureWidth - 10};
  const Scale y{low, 1.05 * high + 1e-12, 192, 8};
  svg.horizontal_marks(x, 8, 192, "layers");
  svg.vertical_marks(y, 48, kPictureWidth - 10);
  if (nb) {
    svg.line(48, y.at(*nb), kPictureWidth - 10, y.at(*nb), "limit");
    svg.text(kPictureWidth - 12, y.at(*nb) - 4, "one layer of NB instead", "end small");
  }
  std::vector<std::pair<double, double>> line;
  line.reserve(points.size());
  for (const Point& each : points) line.emplace_back(x.at(each.layer), y.at(each.value));
  svg.path(polyline(line), "ln s0");
  for (const Point& each : points) {
    if (each.error > 0) {
      svg.line(x.at(each.layer), y.at(each.value - 2 * each.error), x.at(each.layer),
               y.at(each.value + 2 * each.error), "err");
    }
    svg.circle(x.at(each.layer), y.at(each.value), points.size() > 60 ? 2 : 3,
               each.dropped ? "is" : "was",
               fmt::format("layer {:.0f}: {:.4g}{}{}", each.layer, each.value,
                           each.error > 0 ? fmt::format(" ± {:.2g}", 2 * each.error) : "",
                           each.dropped ? ", dropped" : ""));
  }
  if (kept > first && points.back().layer > kept) {
    svg.line(x.at(kept), 8, x.at(kept), 192, "axis");
    svg.text(x.at(kept) + 3, 16, "stopped here", "small");
  }
  return std::move(svg).finish();
}

std::vector<Point> spread_points(const FitRecord& record) {
  std::vector<Point> out;
  double layer = 0;
  for (const LayerRecord& each : record.layers) {
    layer += 1;
    if (each.spread_before > 0) out.push_back({layer, each.spread_before});
  }
  return out;
}

std::string predictions_picture(const FitRecord& record) {
  std::vector<Dumbbell> rows;
  double low = 0.4;
  Index last = -1;
  for (const PredictionRecord& each : record.predictions) {
    // Layers that were tried as alternatives do not count as further ones.
    if (each.layer <= last) continue;
    last = each.layer;
    rows.push_back({.name = fmt::format("after {} layer{}", each.layer, each.layer == 1 ? "" : "s"),
                    .before = each.auc,
                    .after = each.auc,
                    .band = std::pair{1 - each.by_chance, each.by_chance}});
    low = std::min({low, each.auc, 1 - each.by_chance});
  }
  return draw_dumbbells(
      rows, low, 1,
      {"Could the group of held-out rows be predicted?",
       "The AUC at some places of the fit, with its chance band.", "AUC of held-out rows"});
}

// Three beside each other would be too small to read.
std::string in_pairs(const std::vector<std::string>& figures) {
  std::string out;
  for (std::size_t k = 0; k < figures.size(); k += 2) {
    const auto begin = figures.begin() + static_cast<std::ptrdiff_t>(k);
    out += side_by_side({begin, std::min(begin + 2, figures.end())});
  }
  return out;
}

std::string stop_sentence(const FitRecord& record) {
  const std::size_t layers = record.layers.size();
  if (layers == 0) return "The model has no layers: rows stay where they are.";
  const std::string count = fmt::format("{} layer{}", layers, layers == 1 ? "" : "s");
  return record.stop.empty() ? fmt::format("{}, all that were planned.", count)
                             : fmt::format("Stopped after {}: {}", count, record.stop);
}

std::string why_nothing_is_drawn(const FitRecord& record) {
  if (record.layers.empty()) return "There was nothing to fit, and so nothing to stop.";
  if (record.layers.size() == 1) return "With one layer there is nothing to follow.";
  return "The fit has recorded nothing that could be drawn; fit with --validation-fraction 0.2 to "
         "hold rows out.";
}

}  // namespace

std::string fusing_section(const Report& report) {
  const char* question = "Was anything fused?";
  if (!report.neighborhoods) {
    return page_section(5, question, {"These rows cannot answer this."},
                        empty_state("This needs more than 30 rows of at least two clusters; name "
                                    "the column of classes with --label."));
  }
  const Neighborhoods& near = *report.neighborhoods;
  std::vector<std::string> sentences;
  if (near.of_fit) sentences.push_back(where_labels_are_from(report));
  if (near.labels || !near.fused.empty()) sentences.push_back(fused_sentence(near));
  if (!near.labels) sentences.push_back(clusters_sentence(near));
  return page_section(5, question, sentences,
                      side_by_side({clusters_picture(near, near.before, "Before", false),
                                    clusters_picture(near, near.after, "After", true)}));
}

std::string reach_section(const Report& report) {
  const char* question = "Can new rows be trusted?";
  if (report.record.layers.empty()) {
    return page_section(6, question, {"Nothing is moved, so there is nothing to mistrust."},
                        empty_state("The model has no layers: new rows stay where they are."));
  }
  if (!report.reach) {
    return page_section(
        6, question, {"The maps of this model have no knots."},
        empty_state("Maps without knots (histograms, trees, matrices) go on "
                    "everywhere; compare ranges of features instead: conflux check."));
  }
  const Reach& reach = *report.reach;
  const bool measured = !report.fitted_rows && reach.fitted_most;
  return page_section(
      6, question, reach_sentences(report),
      side_by_side(
          {figure(reach_picture(reach, reach_limit(report)),
                  measured ? "These rows. Dashed: 99 % of the training rows are to its left."
                  : report.fitted_rows ? "Training rows. Dashed: 99 % of them are to its left."
                                       : "These rows. Dashed: 99 % of them are to its left.")}));
}

std::string stop_section(const Report& report) {
  const FitRecord& record = report.record;
  std::vector<std::string> figures = ladder_figures(record.ladder);
  const std::vector<Point> held_out = held_out_points(record);
  const double kept = last_kept(held_out);
  if (held_out.size() > 1) {
    figures.push_back(figure(
        layers_picture(held_out, record.held_out_nb, kept,
                       {"Divergence of held-out rows, layer by layer",
                        "Filled points are layers of the model, hollow ones were dropped."}),
        kept > 0 ? "Divergence of rows that no map was fitted on, ± 2 standard errors. Hollow: "
                   "layers that were dropped."
                 : "Layers that were tried and dropped, because those of the model did without "
                   "them: divergence of rows that no map was fitted on, ± 2 standard errors."));
  }
  const std::vector<Point> last = last_points(held_out);
  if (!last.empty()) {
    figures.push_back(
        figure(layers_picture(last, std::nullopt, kept,
                              {"Divergence of held-out rows in the last layers",
                               "The end of the picture beside it, larger."}),
               fmt::format("The same from layer {:.0f} on, larger.", last.front().layer)));
  }
  if (!record.predictions.empty()) {
    figures.push_back(figure(predictions_picture(record),
                             "How well the group of held-out rows was predicted; gray: chance."));
  }
  std::vector<std::string> sentences = record.ladder.sentences;
  sentences.push_back(stop_sentence(record));
  const std::vector<Point> spreads = spread_points(record);
  if (figures.empty() && spreads.size() > 1) {
    // After cross-validation the reason of the stop names it.
    sentences.push_back(record.stop.empty() ? "The fit had no validation rows for early stopping; "
                                              "the picture shows its training rows."
                                            : "The picture shows fitted rows.");
    figures.push_back(figure(layers_picture(spreads, std::nullopt, spreads.back().layer,
                                            {"Spread of the groups, layer by layer",
                                             "Spread along the directions that a layer found."}),
                             spreads.size() < record.layers.size()
                                 ? "Spread of the groups along the directions of each layer that "
                                   "has directions."
                                 : "Spread of the groups along the directions of each layer."));
  }
  return page_section(
      7, "When and why did it stop?", sentences,
      figures.empty() ? empty_state(why_nothing_is_drawn(record)) : in_pairs(figures));
}

}  // namespace conflux
