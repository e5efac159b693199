// Did it work, and what moved?

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/page.h"

namespace conflux {

namespace {

constexpr std::size_t kGroupsDrawn = 30;
// Beyond, lines of further groups would only make a gray ribbon darker.
constexpr Index kGroupsWithLines = 30;
constexpr double kDensityWidth = 230;

struct DistanceRange {
  double low = 0;
  double high = 0;
};

std::vector<Dumbbell> distances_to_draw(const Report& report, DistanceRange& range) {
  std::vector<Dumbbell> out;
  const auto& groups = report.evaluation.judgement->energy_of_group;
  for (std::size_t m = 0; m < groups.size(); ++m) {
    const GroupDistance& each = groups[m];
    out.push_back({.name = report.group_names[m],
                   .before = each.before,
                   .after = each.after,
                   .band = std::pair{each.low, each.high},
                   .warned = each.after > each.high});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Dumbbell& a, const Dumbbell& b) { return a.after > b.after; });
  out.resize(std::min(out.size(), kGroupsDrawn));
  for (const Dumbbell& each : out) {
    range.low = std::min({range.low, each.before, each.after, each.band->first});
    range.high = std::max({range.high, each.before, each.after, each.band->second});
  }
  return out;
}

std::string distance_sentence(const Report& report) {
  const auto& groups = report.evaluation.judgement->energy_of_group;
  Index far = 0, below = 0;
  for (const GroupDistance& each : groups) {
    far += each.after > each.high ? 1 : 0;
    below += each.after < each.low ? 1 : 0;
  }
  const auto count = static_cast<Index>(groups.size());
  if (below == count) {
    return fmt::format(
        "After the alignment {} groups are closer to the others than random assignments{}.",
        count == 2 ? "both" : fmt::format("all {}", count),
        report.fitted_rows ? ", as fitted rows are" : "");
  }
  return fmt::format(
      "After the alignment {} of {} groups are as close to the others as random assignments{}.",
      count - far, count,
      below > 0 ? fmt::format(", {} of them even nearer{}", below,
                              report.fitted_rows ? ", as fitted rows are" : "")
                : "");
}

// Groups that get a line of their own, those with a look last, so that they lie on top.
std::vector<Index> groups_with_lines(const GroupStyles& styles) {
  std::vector<Index> out;
  for (Index m = 0; m < std::min(styles.groups(), kGroupsWithLines); ++m) {
    if (!styles.shown(m)) out.push_back(m);
  }
  for (Index m = 0; m < styles.groups(); ++m) {
    if (styles.shown(m)) out.push_back(m);
  }
  return out;
}

std::string moves_picture(const Report& report, const GroupStyles& styles) {
  const double most = std::max(1e-9, report.move_quantiles.maxCoeff());
  Svg svg(250, "How far rows moved",
          "Cumulative distribution of the moves in each group, from 1 % to 99 % of the rows.");
  const Scale x{0, 1.02 * most, 34, kPictureWidth - 8};
  const Scale y{0, 1, 212, 6};
  svg.horizontal_marks(x, 6, 212, "move, in standard deviations within groups");
  svg.vertical_marks(y, 34, kPictureWidth - 8);
  for (const Index m : groups_with_lines(styles)) {
    std::vector<std::pair<double, double>> points;
    for (std::size_t q = 0; q < report.move_levels.size(); ++q) {
      points.emplace_back(x.at(report.move_quantiles(m, static_cast<Index>(q))),
                          y.at(report.move_levels[q]));
    }
    svg.path(polyline(points), styles.line_class(m));
  }
  return std::move(svg).finish();
}

void draw_curves(Svg& svg, const FeatureDensities& feature, const Matrix& curves,
                 const GroupStyles& styles, const Scale& y) {
  const Scale x{0, static_cast<double>(curves.cols() - 1), 6, kDensityWidth - 6};
  svg.line(6, y.from, kDensityWidth - 6, y.from, "axis");
  for (const auto& [at, text] : feature.marks) {
    const double place =
        (at - feature.low) / (feature.high - feature.low) * static_cast<double>(curves.cols() - 1);
    svg.line(x.at(place), y.from, x.at(place), y.from + 4, "axis");
  }
  for (const Index m : groups_with_lines(styles)) {
    std::vector<std::pair<double, double>> points;
    for (Index i = 0; i < curves.cols(); ++i) {
      points.emplace_back(x.at(static_cast<double>(i)), y.at(curves(m, i)));
    }
    svg.path(polyline(points), styles.line_class(m));
  }
}

// Words below the axis, as many as have room beside each other.
void write_marks(Svg& svg, const FeatureDensities& feature) {
  constexpr double kLetter = 6.6;  // of a wide font
  double free_from = 0;
  std::string said;
  for (const auto& [at, text] : feature.marks) {
    const std::string word = shortened(text, 10);
    const double half = kLetter * static_cast<double>(letters_of(word)) / 2;
    const double x = 6 + (at - feature.low) / (feature.high - feature.low) * (kDensityWidth - 12);
    const double middle = std::clamp(x, half, std::max(half, kDensityWidth - half));
    if (middle - half < free_from || word == said) continue;
    svg.text(middle, 190, word, "mid small");
    said = word;
    free_from = middle + half;
  }
}

std::string density_picture(const Report& report, const FeatureDensities& feature,
                            const GroupStyles& styles) {
  const std::string& name = report.feature_names[feature.feature];
  Svg svg(196, fmt::format("Densities of {}", name),
          "One curve per group, above before, below after, on one scale.", kDensityWidth);
  const double most = std::max({1e-300, feature.before.maxCoeff(), feature.after.maxCoeff()});
  svg.text(8, 11, "before", "small");
  draw_curves(svg, feature, feature.before, styles, {0, most, 84, 16});
  svg.text(8, 101, "after", "small");
  draw_curves(svg, feature, feature.after, styles, {0, most, 174, 106});
  write_marks(svg, feature);
  return figure(std::move(svg).finish(), name);
}

std::string curve_table(const Report& report) {
  if (report.curve.empty()) return "";
  const bool labels = report.curve.front().label_auc.has_value();
  std::vector<std::vector<std::string>> rows = {
      {"amount", "group AUC", "by chance up to", "moved (deviations)"}};
  if (labels) rows.front().emplace_back("label AUC");
  for (const AmountPoint& each : report.curve) {
    rows.push_back({fmt::format("{:.1f}", each.amount), fmt::format("{:.3f}", each.group_auc),
                    fmt::format("{:.3f}", each.group_by_chance),
                    fmt::format("{:.3f}", each.moved)});
    if (labels) rows.back().push_back(fmt::format("{:.3f}", each.label_auc.value_or(0.5)));
  }
  return "<p>What a part of the way leaves (--amount):</p>\n" + page_table(rows, "amounts");
}

std::string moves_sentence(const Report& report) {
  if (report.move_quantiles.maxCoeff() == 0) return "No row moved.";
  const Index middle = static_cast<Index>(report.move_levels.size()) / 2;
  Index most = 0;
  report.move_quantiles.col(middle).maxCoeff(&most);
  return fmt::format(
      "Rows of {} moved furthest: half of them by more than {:.2g} standard deviations per "
      "feature.",
      report.group_names[most], report.move_quantiles(most, middle));
}

}  // namespace

std::string success_section(const Report& report, const GroupStyles& styles) {
  std::vector<std::string> sentences;
  std::string shown;
  if (report.evaluation.judgement) {
    sentences.push_back(distance_sentence(report));
    DistanceRange range;
    const std::vector<Dumbbell> rows = distances_to_draw(report, range);
    const double room = 0.03 * (range.high - range.low);
    const std::size_t groups = report.group_names.size();
    shown = side_by_side({figure(
        draw_dumbbells(rows, range.low - room, range.high + room,
                       {"Distance of each group to the others, before and after",
                        "Energy distance in mean distances within groups, with the band of random "
                        "permutations.",
                        "energy distance to the others"}),
        groups > kGroupsDrawn
            ? fmt::format(
                  "Filled: before. Hollow: after. Gray band: 90 % of random assignments. {} "
                  "of {} groups, the farthest first.",
                  kGroupsDrawn, groups)
            : "Filled: before. Hollow: after. Gray band: 90 % of random assignments.")});
  } else {
    sentences.push_back("Distances need two groups of at least three rows each.");
  }
  return page_section(3, "Did it work?", sentences, shown + rows_picture(report, styles));
}

std::string moves_section(const Report& report, const GroupStyles& styles) {
  std::string shown = curve_table(report) + styles.legend();
  if (report.move_quantiles.maxCoeff() > 0) {
    shown += side_by_side({figure(moves_picture(report, styles),
                                  "Share of the rows of a group that moved no further.")});
  }
  shown += grids_picture(report, styles);
  std::vector<std::string> densities;
  for (const FeatureDensities& each : report.densities) {
    densities.push_back(density_picture(report, each, styles));
  }
  shown += fmt::format("<p>Densities of {}, before and after:</p>\n",
                       report.densities.size() == report.features.size()
                           ? "all features"
                           : fmt::format("the {} features that differed most", densities.size()));
  shown += "<div class=\"pair small\">";
  for (const std::string& each : densities) shown += each;
  return page_section(4, "What moved, and how far?", {moves_sentence(report)}, shown + "</div>\n");
}

}  // namespace conflux
