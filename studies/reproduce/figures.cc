#include "reproduce/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/cells.h"
#include "reproduce/png.h"
#include "reproduce/samples.h"
#include "reproduce/svg.h"

namespace conflux::app {

namespace {

// Pixels of a page per pixel of an image.
constexpr int kZoom = 2;
constexpr int kBorder = 2;
constexpr unsigned char kWhite = 255;
// Panels of a scatter figure beside each other.
constexpr std::size_t kColumns = 6;

Drawing sheet_drawing(const Experiment& experiment, const RowResult& result) {
  const Sheet sheet = sheet_of(result.cells.front().at("samples"));
  const int side = kZoom * sheet.side;
  const int step = side + kBorder;
  const int width = sheet.columns * step + kBorder;
  const int height = sheet.rows * step + kBorder;
  std::vector<unsigned char> pixels(static_cast<std::size_t>(width * height), kWhite);
  for (int row = 0; row < sheet.rows; ++row) {
    for (int column = 0; column < sheet.columns; ++column) {
      const int tile = (row * sheet.columns + column) * sheet.side * sheet.side;
      for (int y = 0; y < side; ++y) {
        const int at = (row * step + kBorder + y) * width + column * step + kBorder;
        for (int x = 0; x < side; ++x) {
          pixels[at + x] = sheet.pixels[tile + (y / kZoom) * sheet.side + x / kZoom];
        }
      }
    }
  }
  const CellId id{experiment, result.set, result.row, 0};
  std::string stem = id.file_stem();
  stem = stem.substr(stem.find('.') + 1);
  stem = stem.substr(0, stem.rfind('.'));
  std::replace(stem.begin(), stem.end(), '.', '-');
  const std::string what =
      sheet.rows == 2 ? "test images, and the same as the other class; there is no shared space"
      : result.set.classes.size() == 2
          ? "test images, the same in the shared space, and as the other class"
          : "a test image of each class, the same in the shared space, and as every class";
  return {stem + ".png", png_of(width, height, pixels),
          fmt::format("{}, {}: {}.", result.set.title, result.row.label, what)};
}

std::vector<std::vector<double>> groups_of(const Json& points) {
  std::vector<std::vector<double>> out;
  for (const Json& group : points.items()) out.push_back(group.numbers());
  return out;
}

// Strips of two rows: the shared space above, translations below.
Drawing scatter_drawing(const Experiment& experiment, const std::vector<RowResult>& results,
                        const SetInfo& set) {
  std::vector<Panel> shared, translated;
  for (const RowResult& result : results) {
    if (result.set.name != set.name) continue;
    const Json& samples = result.cells.front().at("samples");
    if (shared.empty()) {
      shared.push_back({"original", groups_of(samples.at("original"))});
      translated.push_back({});
    }
    // An empty panel for what has no shared space.
    shared.push_back(samples.at("shared").size() == 0
                         ? Panel{}
                         : Panel{result.row.label, groups_of(samples.at("shared"))});
    translated.push_back({result.row.label, groups_of(samples.at("translated"))});
  }
  const bool two = shared.front().groups.size() == 2;
  const std::size_t strips = (shared.size() + kColumns - 1) / kColumns;
  const std::size_t columns = (shared.size() + strips - 1) / strips;
  std::vector<std::vector<Panel>> rows;
  for (std::size_t begin = 0; begin < shared.size(); begin += columns) {
    const std::size_t end = std::min(begin + columns, shared.size());
    for (const auto* panels : {&shared, &translated}) {
      rows.emplace_back(panels->begin() + static_cast<Index>(begin),
                        panels->begin() + static_cast<Index>(end));
    }
  }
  return {fmt::format("{}-{}.svg", experiment.name, set.name), scatter_svg(rows),
          fmt::format("{}, test rows: in the shared space (upper), and {} (lower).", set.title,
                      two ? "each group as the other" : "all groups as the first")};
}

Drawing curve_drawing(const Experiment& experiment, const std::vector<RowResult>& results) {
  const bool both = experiment.name != "convergence";
  std::vector<Line> lines;
  for (std::size_t r = 0; r < results.size(); ++r) {
    const auto curve = mean_curve(results[r].cells);
    const std::size_t trained = results[r].row.target == "1" ? 0 : 1;
    for (const bool other : {false, true}) {
      if (other && !both) continue;
      Line line{.label = results[r].row.label, .dashed = other, .color = static_cast<int>(r)};
      if (both) line.label += other ? ", other" : ", trained";
      for (const CurvePoint& point : curve) {
        const Figure& figure = both ? point.paper_wd[other ? 1 - trained : trained] : point.mean_wd;
        line.x.push_back(static_cast<double>(point.layers));
        line.y.push_back(figure.value);
        line.deviation.push_back(figure.deviation);
      }
      lines.push_back(std::move(line));
    }
  }
  const std::size_t runs = results.front().cells.size();
  const std::string of_runs =
      runs == 1 ? "" : fmt::format("mean and deviation of {} repetitions ", runs);
  return {experiment.name + ".svg", lines_svg(lines, "layers", "paper_wd"),
          fmt::format("{}: {}on test rows.", experiment.title, of_runs)};
}

Figure figure_of(const std::vector<double>& values) {
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / static_cast<double>(values.size()))};
}

}  // namespace

std::vector<CurvePoint> mean_curve(const std::vector<Json>& cells) {
  // Fits may end early; a mean needs all of them.
  std::size_t length = cells.front().at("points").size();
  for (const Json& cell : cells) length = std::min(length, cell.at("points").size());
  std::vector<CurvePoint> out;
  for (std::size_t p = 0; p < length; ++p) {
    CurvePoint point;
    point.layers = cells.front().at("points")[p].at("layers").whole();
    std::vector<double> wd[3], exact[3];
    for (const Json& cell : cells) {
      const Json& each = cell.at("points")[p];
      for (const std::size_t from : {0, 1}) {
        wd[from].push_back(each.at("paper_wd")[from].number());
        exact[from].push_back(each.at("exact")[from].number());
      }
      wd[2].push_back(0.5 * (wd[0].back() + wd[1].back()));
      exact[2].push_back(0.5 * (exact[0].back() + exact[1].back()));
    }
    for (const std::size_t from : {0, 1}) {
      point.paper_wd[from] = figure_of(wd[from]);
      point.exact[from] = figure_of(exact[from]);
    }
    point.mean_wd = figure_of(wd[2]);
    point.mean_exact = figure_of(exact[2]);
    out.push_back(point);
  }
  return out;
}

std::vector<Drawing> drawings_of(const Experiment& experiment,
                                 const std::vector<RowResult>& results) {
  if (experiment.kind == Experiment::Kind::kCurve) return {curve_drawing(experiment, results)};
  std::vector<Drawing> out;
  std::string last;
  for (const RowResult& result : results) {
    if (result.set.images()) {
      out.push_back(sheet_drawing(experiment, result));
    } else if (result.set.name != last) {
      out.push_back(scatter_drawing(experiment, results, result.set));
    }
    last = result.set.name;
  }
  return out;
}

}  // namespace conflux::app
