// Pictures of rows: on a plane, on their paths, and in other groups.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/page.h"

namespace conflux {

namespace {

constexpr double kScatterHeight = 330;
// Groups are drawn in turns, so that none lies on top of all others.
constexpr Index kTurns = 8;
constexpr int kTones = 16;

// Where a plane is in a picture.
struct PlaneScales {
  Scale x;
  Scale y;
};

// All pictures of some places have one frame; a hundredth of them may lie beyond, on its edge.
PlaneScales scales_of(const std::vector<const Matrix*>& places) {
  const auto range = [&](Index axis) {
    std::vector<double> all;
    for (const Matrix* each : places) {
      for (Index i = 0; i < each->rows(); ++i) all.push_back((*each)(i, axis));
    }
    std::sort(all.begin(), all.end());
    const std::size_t cut = all.size() / 200;
    const double low = all[cut], high = all[all.size() - 1 - cut];
    return std::pair{low - 0.04 * (high - low), high + 0.04 * (high - low)};
  };
  const auto [left, right] = range(0);
  const auto [low, high] = range(1);
  return {.x = {left, right, 34, kPictureWidth - 6}, .y = {low, high, kScatterHeight - 38, 6}};
}

PlaneScales scales_of(const RowView& view) { return scales_of({&view.before(), &view.after()}); }

Svg begin_plane(const PlaneScales& scales, const std::string& x_name, const std::string& title,
                const std::string& description) {
  Svg out(kScatterHeight, title, description);
  out.horizontal_marks(scales.x, 6, kScatterHeight - 38, shortened(x_name, 48));
  out.vertical_marks(scales.y, 34, kPictureWidth - 6);
  return out;
}

void draw_points(Svg& svg, const RowView& view, const Matrix& rows, const GroupStyles& styles,
                 const PlaneScales& scales) {
  // paths[turn][group]; all groups without a look of their own share one path below the others.
  std::string gray;
  std::vector<std::vector<std::string>> paths(
      kTurns, std::vector<std::string>(static_cast<std::size_t>(styles.groups())));
  for (Index i = 0; i < rows.rows(); ++i) {
    const Index group = view.group_of[i];
    std::string& path = styles.shown(group) ? paths[i % kTurns][group] : gray;
    path += styles.marker(group, scales.x.at(rows(i, 0)), scales.y.at(rows(i, 1)));
  }
  svg.path(gray, "pt gray");
  for (const auto& turn : paths) {
    for (Index m = 0; m < styles.groups(); ++m) svg.path(turn[m], styles.point_class(m));
  }
}

std::string scatter(const RowView& view, const GroupStyles& styles, const Matrix& rows,
                    const std::string& when) {
  const PlaneScales scales = scales_of(view);
  Svg svg = begin_plane(scales, view.x_name, "Rows on a plane, " + when,
                        fmt::format("{} rows, colored by group; horizontally {}, vertically {}.",
                                    rows.rows(), view.x_name, view.y_name));
  draw_points(svg, view, rows, styles, scales);
  return std::move(svg).finish();
}

// Frames between start and end, of which a reader chooses one; the page has a style for each.
std::string frames_picture(const RowView& view, const GroupStyles& styles) {
  if (view.places.size() < 3) return "";
  std::string choices, frames;
  for (std::size_t k = 0; k < view.places.size(); ++k) {
    choices += fmt::format(
        "<input type=\"radio\" name=\"way\" id=\"w{0}\"{1}><label for=\"w{0}\">{2}</label>\n", k,
        k == view.places.size() / 2 ? " checked" : "", view.layers[k]);
    frames += fmt::format(
        "<figure class=\"w{}\">{}</figure>\n", k,
        scatter(view, styles, view.places[k], fmt::format("after {} layers", view.layers[k])));
  }
  return "<fieldset class=\"frames\"><legend>On the way, after so many layers (arrow keys walk):"
         "</legend>\n" +
         choices + frames + "</fieldset>\n";
}

// The ways of the rows of the last question, over where all rows end.
std::string ways_picture(const Report& report) {
  const RowView& view = *report.view;
  const PlaneScales scales = scales_of(view);
  Svg svg = begin_plane(scales, view.x_name, "The ways of these rows",
                        "From where a row was to where it is, over all rows in gray.");
  std::string all;
  for (Index i = 0; i < view.after().rows(); ++i) {
    all += fmt::format("M{:.1f} {:.1f}h0", scales.x.at(view.after()(i, 0)),
                       scales.y.at(view.after()(i, 1)));
  }
  svg.path(all, "pt gray");
  for (const RowElsewhere& row : report.elsewhere) {
    std::vector<std::pair<double, double>> way;
    for (const Matrix& place : view.places) {
      way.emplace_back(scales.x.at(place(row.row, 0)), scales.y.at(place(row.row, 1)));
    }
    svg.path(polyline(way), "ln s0");
    svg.circle(way.front().first, way.front().second, 4.5, "was", row.name + ", before");
    svg.circle(way.back().first, way.back().second, 4.5, "is", row.name + ", after");
  }
  return figure(std::move(svg).finish(),
                "Their ways on the plane of question 3. Filled: before. Hollow: after.");
}

// A row as an image, in tones of one hue; tones share a path each, so that elements stay few.
std::string image_picture(const PixelGrid& grid, const std::vector<double>& values, double low,
                          double high, const std::string& title) {
  Svg svg(static_cast<double>(grid.height), title, "An image, line by line.",
          static_cast<double>(grid.width));
  svg.rect(0, 0, static_cast<double>(grid.width), static_cast<double>(grid.height), "paper");
  std::vector<std::string> tones(kTones + 1);
  for (std::size_t j = 0; j < values.size(); ++j) {
    const double part = high > low ? std::clamp((values[j] - low) / (high - low), 0.0, 1.0) : 0;
    const auto tone = static_cast<std::size_t>(std::lround(part * kTones));
    tones[tone] +=
        fmt::format("M{} {}h1v1h-1z", grid.place[j] % grid.width, grid.place[j] / grid.width);
  }
  for (std::size_t tone = 1; tone < tones.size(); ++tone) {
    svg.shape(tones[tone], static_cast<double>(tone) / kTones);
  }
  return std::move(svg).finish();
}

std::string images_of(const Report& report, const RowElsewhere& row) {
  const auto own = static_cast<std::size_t>(
      std::find(report.elsewhere_groups.begin(), report.elsewhere_groups.end(), row.group) -
      report.elsewhere_groups.begin());
  const auto [low, high] = std::minmax_element(row.pixels[own].begin(), row.pixels[own].end());
  std::string out = fmt::format("<p>{}:</p>\n<div class=\"images\">", escaped(row.name));
  for (std::size_t m = 0; m < row.pixels.size(); ++m) {
    const std::string as =
        (m == own ? "as it is: " : "as ") + report.group_names[report.elsewhere_groups[m]];
    out += figure(image_picture(*report.pixels, row.pixels[m], *low, *high, row.name + ", " + as),
                  shortened(as, 24));
  }
  return out + "</div>\n";
}

std::string table_of(const Report& report, const RowElsewhere& row) {
  std::vector<std::vector<std::string>> table = {{row.name}};
  for (const Index m : report.elsewhere_groups) {
    table.front().push_back((m == row.group ? "as it is: " : "as ") +
                            shortened(report.group_names[m], 24));
  }
  for (std::size_t j = 0; j < row.values.size(); ++j) {
    std::vector<std::string>& line =
        table.emplace_back(1, report.feature_names[report.elsewhere_features[j]]);
    line.insert(line.end(), row.values[j].begin(), row.values[j].end());
  }
  return page_table(table, row.name);
}

std::string grid_picture(const Report& report, const GroupStyles& styles,
                         std::vector<Matrix> WarpedGrid::*lines, const char* when) {
  std::vector<const Matrix*> all;
  for (const WarpedGrid& grid : report.grids) {
    for (const Matrix& line : grid.before) all.push_back(&line);
    for (const Matrix& line : grid.after) all.push_back(&line);
  }
  const PlaneScales scales = scales_of(all);
  Svg svg = begin_plane(scales, report.feature_names[0], fmt::format("A grid, {}", when),
                        "Lines over the rows of each group, and where its maps take them.");
  for (const WarpedGrid& grid : report.grids) {
    for (const Matrix& line : grid.*lines) {
      std::vector<std::pair<double, double>> points;
      for (Index i = 0; i < line.rows(); ++i) {
        points.emplace_back(scales.x.at(line(i, 0)), scales.y.at(line(i, 1)));
      }
      svg.path(polyline(points), styles.line_class(grid.group) + " thin");
    }
  }
  return std::move(svg).finish();
}

}  // namespace

std::string rows_picture(const Report& report, const GroupStyles& styles) {
  if (!report.view) {
    return empty_state(
        "Rows are not shown, as --rows 0 asks; give --rows 2000 to see where they "
        "were and where they are.");
  }
  const RowView& view = *report.view;
  const std::string which = fmt::format(
      "{} of {} rows; the plane shows {:.0f} % of {}. Upwards: {}", view.group_of.size(),
      report.all_rows, 100 * view.share, view.share_of, view.y_name);
  return styles.legend() +
         side_by_side(
             {figure(scatter(view, styles, view.before(), "before"), "Before. " + which),
              figure(scatter(view, styles, view.after(), "after"), "After, in the same frame.")}) +
         frames_picture(view, styles);
}

std::string grids_picture(const Report& report, const GroupStyles& styles) {
  if (report.grids.empty()) return "";
  return side_by_side(
      {figure(grid_picture(report, styles, &WarpedGrid::before, "before"),
              "A grid over the rows of each group. Upwards: " + report.feature_names[1]),
       figure(grid_picture(report, styles, &WarpedGrid::after, "after"),
              "Where the maps take the lines of a grid: shifts and stretching.")});
}

std::string elsewhere_section(const Report& report) {
  const char* question = "How does a row look in other groups?";
  if (report.elsewhere.empty()) {
    return page_section(8, question, {"Rows are not shown."},
                        empty_state("--rows 0 leaves values of rows out; conflux translate shows "
                                    "rows of one group as another."));
  }
  std::string images;
  std::string tables = "<div class=\"pair\">";
  for (const RowElsewhere& row : report.elsewhere) {
    if (report.pixels) images += images_of(report, row);
    tables += table_of(report, row);
  }
  tables += "</div>\n";
  if (report.pixels) {
    tables = "<details><summary>The same in numbers</summary>" + tables + "</details>\n";
  }
  const std::string ways =
      report.view->places.size() > 1 ? side_by_side({ways_picture(report)}) : "";
  const bool moved = !report.record.layers.empty();
  return page_section(
      8, question,
      {fmt::format("{} rows{}, each as if it were of {} groups, in the units of the data{}.",
                   report.elsewhere.size(),
                   moved ? " that moved as far as a typical row of their group" : "",
                   report.elsewhere_groups.size(), moved ? "" : ": nothing moves")},
      images + tables + ways);
}

}  // namespace conflux
