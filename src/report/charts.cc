#include "report/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace conflux {

namespace {

constexpr double kLabelWidth = 118;
constexpr double kRowHeight = 18;
constexpr std::size_t kLettersOfALabel = 18;
// More numbers would not fit into their cells.
constexpr Index kCellsWithNumbers = 8;

std::string dot(double x, double y) { return fmt::format("M{:.1f} {:.1f}h0", x, y); }

std::string number_text(double value, bool percent) {
  const std::string out =
      percent ? fmt::format("{:.0f}", 100 * value) : fmt::format("{:.2f}", value);
  return out == "-0.00" ? "0.00" : out;
}

}  // namespace

std::string draw_dumbbells(const std::vector<Dumbbell>& rows, double low, double high,
                           const Caption& caption) {
  const double top = 4, bottom = top + kRowHeight * static_cast<double>(rows.size());
  Svg svg(bottom + 34, caption.title, caption.description);
  const Scale scale{low, high, kLabelWidth + 14, kPictureWidth - 10};
  svg.horizontal_marks(scale, top, bottom, caption.axis);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Dumbbell& row = rows[i];
    const double y = top + kRowHeight * (static_cast<double>(i) + 0.5);
    if (row.band) {
      const double from = scale.at(row.band->first), to = scale.at(row.band->second);
      svg.rect(from, y - 6, std::max(1.5, to - from), 12, "band",
               fmt::format("chance: {:.3g} to {:.3g}", row.band->first, row.band->second));
    }
    const std::string label = (row.warned ? "▲ " : "") + shortened(row.name, kLettersOfALabel);
    svg.text(kLabelWidth, y + 4, label, row.warned ? "end warn" : "end",
             label == row.name ? "" : row.name);
    const double before = scale.at(row.before), after = scale.at(row.after);
    svg.line(before, y, after, y, "bar");
    svg.circle(before, y, 4.5, "was", fmt::format("{}: before {:.3g}", row.name, row.before));
    svg.circle(after, y, 4.5, "is", fmt::format("{}: after {:.3g}", row.name, row.after));
  }
  return std::move(svg).finish();
}

std::string draw_heat(const Matrix& values, const std::vector<std::string>& names, double most,
                      const std::vector<std::pair<Index, Index>>& marked, bool percent,
                      const Caption& caption) {
  const Index count = values.rows();
  const double left = 92, top = 66, cell = (kPictureWidth - left - 24) / static_cast<double>(count);
  const double tall = std::min(cell, 34.0);
  Svg svg(top + tall * static_cast<double>(count) + 6, caption.title, caption.description);
  for (Index b = 0; b < count; ++b) {
    const double x = left + cell * (static_cast<double>(b) + 0.5);
    const std::string name = shortened(names[b], count > 12 ? 9 : 10);
    // Slanted names need as much room as they are long; a rotated group keeps this plain.
    svg.slanted(x, top - 6, name, names[b]);
  }
  const double size = std::min(1.0, tall / 13);
  for (Index a = 0; a < count; ++a) {
    const double y = top + tall * static_cast<double>(a);
    svg.text(left - 5, y + 0.5 * tall + 4 * size, shortened(names[a], 14),
             size < 0.9 ? "end tiny" : "end small", names[a]);
    for (Index b = 0; b < count; ++b) {
      const double x = left + cell * static_cast<double>(b);
      const std::string hover =
          fmt::format("{} / {}: {}{}", names[a], names[b], number_text(values(a, b), percent),
                      percent ? " %" : "");
      svg.shade(x, y, cell - 1, tall - 1, most > 0 ? values(a, b) / most : 0, hover);
      const bool warned = std::find(marked.begin(), marked.end(), std::pair{a, b}) != marked.end();
      if (warned) svg.rect(x + 1, y + 1, cell - 3, tall - 3, "frame");
      if (count > kCellsWithNumbers) continue;
      const bool strong = most > 0 && values(a, b) > 0.68 * most;
      svg.text(x + 0.5 * cell, y + 0.5 * tall + 4,
               (warned ? "▲" : "") + number_text(values(a, b), percent),
               strong ? "mid cell onhue" : "mid cell");
    }
  }
  return std::move(svg).finish();
}

GroupStyles::GroupStyles(std::vector<std::string> names, std::vector<Index> chosen)
    : names_(std::move(names)), chosen_(std::move(chosen)) {}

Index GroupStyles::look(Index group) const {
  if (few()) return group;
  const auto found = std::find(chosen_.begin(), chosen_.end(), group);
  return found == chosen_.end() ? -1 : found - chosen_.begin();
}

std::string GroupStyles::line_class(Index group) const {
  const Index at = look(group);
  if (at < 0) return "ln gray";
  return fmt::format("ln s{} d{}", at % 4, at);
}

std::string GroupStyles::point_class(Index group) const {
  const Index at = look(group);
  if (at < 0) return "pt gray";
  return fmt::format("{} s{}", at == 0 ? "pt" : "pm", at % 4);
}

std::string GroupStyles::marker(Index group, double x, double y) const {
  switch (look(group)) {
    case 1:
      return fmt::format("M{:.1f} {:.1f}h3v3h-3z", x - 1.5, y - 1.5);
    case 2:
      return fmt::format("M{:.1f} {:.1f}l2 3.4h-4z", x, y - 2);
    case 3:
      return fmt::format("M{:.1f} {:.1f}l2.2 2.2l-2.2 2.2l-2.2 -2.2z", x, y - 2.2);
    case 4:
      return fmt::format("M{:.1f} {:.1f}h4m-2 -2v4", x - 2, y);
    case 5:
      return fmt::format("M{:.1f} {:.1f}l3.4 3.4m0 -3.4l-3.4 3.4", x - 1.7, y - 1.7);
    default:
      return dot(x, y);
  }
}

std::string GroupStyles::legend() const {
  std::string out = "<ul class=\"legend\">";
  for (Index m = 0; m < groups(); ++m) {
    if (!shown(m)) continue;
    Svg sample(12, names_[m], "how the group is drawn", 34);
    sample.path("M1 6h20", line_class(m));
    sample.path(marker(m, 29, 6), point_class(m));
    out +=
        fmt::format("<li>{}{}</li>", std::move(sample).finish(), escaped(shortened(names_[m], 40)));
  }
  if (!few()) out += fmt::format("<li>gray: the other {} groups</li>", groups() - 2);
  return out + "</ul>\n";
}

}  // namespace conflux
