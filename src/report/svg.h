// Pictures as SVG text, and names as text that a page may show.
//
// A picture is 360 units wide, so that its letters stay readable on a phone. Colors are classes of
// the page, which knows light and dark. Numbers are written with one decimal: the same bytes on
// every machine.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conflux/core/matrix.h"

namespace conflux {

/// Text for HTML: letters that mean something to a browser are spelled out, and bytes that are no
/// UTF-8 or control something are replaced.
std::string escaped(std::string_view text);

/// At most `letters` letters, the last one an ellipsis if some are missing. Not escaped.
std::string shortened(std::string_view text, std::size_t letters);

/// Letters of a text in UTF-8.
std::size_t letters_of(std::string_view text);

/// From values to places.
struct Scale {
  double low = 0;
  double high = 1;
  double from = 0;
  double to = 1;

  double at(double value) const;
};

/// A few round numbers from `low` to `high`.
std::vector<double> round_marks(double low, double high, int about);
std::string mark_text(double value);

inline constexpr double kPictureWidth = 360;

class Svg {
 public:
  Svg(double height, std::string_view title, std::string_view description,
      double width = kPictureWidth);

  void line(double x1, double y1, double x2, double y2, std::string_view classes);
  void rect(double x, double y, double width, double height, std::string_view classes,
            std::string_view hover = {});
  /// One hue, stronger for larger `strength` from 0 to 1.
  void shade(double x, double y, double width, double height, double strength,
             std::string_view hover);
  void circle(double x, double y, double radius, std::string_view classes,
              std::string_view hover = {});
  void path(std::string_view steps, std::string_view classes);
  /// A filled path in the hue of shade().
  void shape(std::string_view steps, double strength);
  void text(double x, double y, std::string_view text, std::string_view classes = {},
            std::string_view hover = {});
  /// Text that climbs to the right, for the heads of columns.
  void slanted(double x, double y, std::string_view text, std::string_view hover);
  /// Numbers along the lower edge, with lines up to `top`.
  void horizontal_marks(const Scale& scale, double top, double bottom, std::string_view name);
  /// Numbers along the left edge, with lines from `left` to `right`.
  void vertical_marks(const Scale& scale, double left, double right);

  std::string finish() &&;

 private:
  std::string body_;
};

/// "M x y L x y ..." through points.
std::string polyline(const std::vector<std::pair<double, double>>& points);

}  // namespace conflux
