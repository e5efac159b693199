#include "reproduce/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace conflux::app {

namespace {

constexpr double kPanel = 130, kGap = 12, kTitle = 18;
constexpr const char* kColors[] = {"#1b6ca8", "#d1495b", "#3c8d5a",
                                   "#e0a100", "#7b4fa3", "#555555"};

std::string color(std::size_t i) { return kColors[i % std::size(kColors)]; }

std::string opening(double width, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n",
      width, height);
}

std::string text(double x, double y, const std::string& words, const std::string& more = "") {
  std::string safe;
  for (const char c : words) safe += c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", x, y, more, safe);
}

struct Box {
  double low_x = std::numeric_limits<double>::infinity(), high_x = -low_x;
  double low_y = low_x, high_y = -low_x;

  void add(double x, double y) {
    low_x = std::min(low_x, x);
    high_x = std::max(high_x, x);
    low_y = std::min(low_y, y);
    high_y = std::max(high_y, y);
  }
  /// One unit is as long on both axes.
  double side() const { return std::max({high_x - low_x, high_y - low_y, 1e-9}); }
};

Box box_of(const Panel& panel) {
  Box box;
  for (const auto& group : panel.groups) {
    for (std::size_t i = 0; i + 1 < group.size(); i += 2) box.add(group[i], group[i + 1]);
  }
  return box;
}

std::string draw(const Panel& panel, double left, double top) {
  if (panel.groups.empty()) return "";
  const Box box = box_of(panel);
  const double scale = (kPanel - 8) / box.side();
  std::string out = text(left, top - 5, panel.title) +
                    fmt::format(
                        "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{}\" height=\"{}\" "
                        "fill=\"none\" stroke=\"#ccc\"/>\n",
                        left, top, kPanel, kPanel);
  // Half pixels as whole numbers: thousands of points stay small.
  for (std::size_t m = 0; m < panel.groups.size(); ++m) {
    const auto& group = panel.groups[m];
    out += fmt::format(
        "<path transform=\"scale(.5)\" fill=\"none\" stroke=\"{}\" stroke-opacity=\"0.6\" "
        "stroke-width=\"5\" stroke-linecap=\"round\" d=\"",
        color(m));
    const double middle_x = 0.5 * (box.low_x + box.high_x);
    const double middle_y = 0.5 * (box.low_y + box.high_y);
    for (std::size_t i = 0; i + 1 < group.size(); i += 2) {
      const double x = left + 0.5 * kPanel + scale * (group[i] - middle_x);
      const double y = top + 0.5 * kPanel - scale * (group[i + 1] - middle_y);
      out += fmt::format("M{:.0f} {:.0f}h0", 2 * x, 2 * y);
    }
    out += "\"/>\n";
  }
  return out;
}

}  // namespace

std::string scatter_svg(const std::vector<std::vector<Panel>>& rows) {
  std::size_t columns = 0;
  for (const auto& row : rows) columns = std::max(columns, row.size());
  const double width = static_cast<double>(columns) * (kPanel + kGap) + kGap;
  const double height = static_cast<double>(rows.size()) * (kPanel + kGap + kTitle) + kGap;
  std::string out = opening(width, height);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      out += draw(rows[r][c], kGap + static_cast<double>(c) * (kPanel + kGap),
                  kGap + kTitle + static_cast<double>(r) * (kPanel + kGap + kTitle));
    }
  }
  return out + "</svg>\n";
}

namespace {

/// The plane of curves: a linear axis to the right, a logarithmic one upwards, names at the right.
class CurvePlane {
 public:
  static constexpr double kWidth = 560, kHeight = 340;

  explicit CurvePlane(const std::vector<Line>& lines) {
    for (const Line& line : lines) {
      for (std::size_t i = 0; i < line.x.size(); ++i) box_.add(line.x[i], std::log10(line.y[i]));
    }
    box_.low_y -= 0.05;
    box_.high_y += 0.05;
  }

  std::string axes(const std::string& x_title, const std::string& y_title) const {
    std::string out;
    for (double power = std::floor(box_.low_y); power <= box_.high_y; ++power) {
      for (const double digit : {1.0, 2.0, 5.0}) {
        const double value = digit * std::pow(10, power);
        if (std::log10(value) < box_.low_y || std::log10(value) > box_.high_y) continue;
        out += fmt::format("<path stroke=\"#ddd\" d=\"M{} {:.1f}H{}\"/>\n", kLeft, at_y(value),
                           kRight);
        out += text(kLeft - 6, at_y(value) + 4, fmt::format("{:g}", value), " text-anchor=\"end\"");
      }
    }
    const double step = std::max(1.0, std::round((box_.high_x - box_.low_x) / 6 / 5) * 5);
    for (double x = box_.low_x; x <= box_.high_x + 1e-9; x += step) {
      out += text(at_x(x), kBottom + 16, fmt::format("{:g}", x), " text-anchor=\"middle\"");
    }
    out += text(0.5 * (kLeft + kRight), kHeight - 12, x_title, " text-anchor=\"middle\"");
    out += text(0, 0, y_title,
                fmt::format(" text-anchor=\"middle\" transform=\"translate(14 {}) rotate(-90)\"",
                            0.5 * (kTop + kBottom)));
    return out;
  }

  /// A curve with its band, and its name in place `k` of the list.
  std::string curve(const Line& line, std::size_t k) const {
    const std::string stroke = color(static_cast<std::size_t>(line.color));
    std::string path, band, out;
    const std::size_t points = line.x.size();
    for (std::size_t i = 0; i < points; ++i) {
      path += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", at_x(line.x[i]), at_y(line.y[i]));
    }
    // Along the upper edge and back along the lower one.
    for (std::size_t i = 0; i < 2 * line.deviation.size(); ++i) {
      const bool upper = i < points;
      const std::size_t at = upper ? i : 2 * points - 1 - i;
      const double offset = upper ? line.deviation[at] : -line.deviation[at];
      band += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", at_x(line.x[at]),
                          at_y(std::max(line.y[at] + offset, 1e-300)));
    }
    if (!band.empty()) {
      out += fmt::format("<path fill=\"{}\" fill-opacity=\"0.15\" d=\"{}Z\"/>\n", stroke, band);
    }
    const char* dashes = line.dashed ? " stroke-dasharray=\"5 3\"" : "";
    out += fmt::format("<path fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"{} d=\"{}\"/>\n",
                       stroke, dashes, path);
    const double y = kTop + 10 + 17 * static_cast<double>(k);
    out += fmt::format("<path stroke=\"{}\" stroke-width=\"1.6\"{} d=\"M{} {:.1f}h18\"/>\n", stroke,
                       dashes, kRight + 10, y - 4);
    return out + text(kRight + 33, y, line.label);
  }

 private:
  static constexpr double kLeft = 60, kRight = 420, kTop = 15, kBottom = 295;

  double at_x(double x) const {
    return kLeft + (kRight - kLeft) * (x - box_.low_x) / std::max(box_.high_x - box_.low_x, 1e-9);
  }

  double at_y(double y) const {
    const double place = (std::log10(y) - box_.low_y) / (box_.high_y - box_.low_y);
    return kBottom - (kBottom - kTop) * std::clamp(place, 0.0, 1.0);
  }

  Box box_;
};

}  // namespace

std::string lines_svg(const std::vector<Line>& lines, const std::string& x_title,
                      const std::string& y_title) {
  const CurvePlane plane(lines);
  std::string out = opening(CurvePlane::kWidth, CurvePlane::kHeight) + plane.axes(x_title, y_title);
  for (std::size_t k = 0; k < lines.size(); ++k) out += plane.curve(lines[k], k);
  return out + "</svg>\n";
}

}  // namespace conflux::app
