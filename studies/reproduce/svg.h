// Two kinds of drawings as SVG: points in panels, and curves over layers.

#pragma once

#include <string>
#include <vector>

namespace conflux::app {

/// A panel without groups stays empty.
struct Panel {
  std::string title = {};
  /// Per group x, y, x, y, ...
  std::vector<std::vector<double>> groups = {};
};

/// Panels row by row, each in its own scale.
std::string scatter_svg(const std::vector<std::vector<Panel>>& rows);

struct Line {
  std::string label;
  std::vector<double> x = {};
  std::vector<double> y = {};
  /// Half the height of a band around it; may be empty.
  std::vector<double> deviation = {};
  bool dashed = false;
  int color = 0;
};

/// A logarithmic scale of y.
std::string lines_svg(const std::vector<Line>& lines, const std::string& x_title,
                      const std::string& y_title);

}  // namespace conflux::app
