// The kinds of pictures that a report has, drawn from numbers alone.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conflux/core/matrix.h"
#include "report/svg.h"

namespace conflux {

/// Title and description of a picture, for screen readers too, and the name of its axis.
struct Caption {
  std::string title;
  std::string description;
  std::string axis = {};
};

/// A value before (filled) and after (hollow), and the band of chance.
struct Dumbbell {
  std::string name;
  double before = 0;
  double after = 0;
  std::optional<std::pair<double, double>> band = std::nullopt;
  bool warned = false;
};

std::string draw_dumbbells(const std::vector<Dumbbell>& rows, double low, double high,
                           const Caption& caption);

/// A square table of shares or distances, in one hue whose strongest tone is `most`; cells for
/// which `marked` is true have a frame and a sign. Numbers are written into few cells.
std::string draw_heat(const Matrix& values, const std::vector<std::string>& names, double most,
                      const std::vector<std::pair<Index, Index>>& marked, bool percent,
                      const Caption& caption);

/// How groups are distinguished: by color, shape and dash up to six; of more, two are chosen and
/// all others are gray.
class GroupStyles {
 public:
  GroupStyles(std::vector<std::string> names, std::vector<Index> chosen);

  Index groups() const { return static_cast<Index>(names_.size()); }
  bool few() const { return groups() <= kFew; }
  /// Whether the group has a look of its own.
  bool shown(Index group) const { return look(group) >= 0; }
  /// Classes of lines.
  std::string line_class(Index group) const;
  /// Classes of points; `marker` gives their steps.
  std::string point_class(Index group) const;
  std::string marker(Index group, double x, double y) const;
  /// A list of the groups with their looks.
  std::string legend() const;

 private:
  static constexpr Index kFew = 6;
  Index look(Index group) const;

  std::vector<std::string> names_;
  std::vector<Index> chosen_;
};

}  // namespace conflux
