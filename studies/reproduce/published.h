// Figures that the paper printed, and those of the authors' stored runs where it printed none.
//
// For more than two groups the authors divided sums of distances by too small numbers. Figures here
// are as printed; `divisor_error` says how many times too large a mean distance is.

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "conflux/core/index.h"

namespace conflux::app {

struct Figure {
  double value = 0;
  double deviation = 0;
};

struct Published {
  std::string_view set;
  std::string_view row;
  std::optional<Figure> wd = std::nullopt;
  std::optional<Figure> tc = std::nullopt;
  std::optional<double> seconds = std::nullopt;
  /// Not in the paper, but in the authors' stored output.
  bool stored_only = false;
};

/// Null when nothing was published.
const Published* find_published(std::string_view set, std::string_view row);

double divisor_error(std::string_view set);

/// A printed Frechet inception distance.
struct PublishedFid {
  std::string_view set;
  std::string_view row;
  double value = 0;
  /// Real and translated images were of different classes, or of different gray ranges, or the map
  /// was wrong.
  bool valid = true;
  bool stored_only = false;
};

/// Null when nothing was published.
const PublishedFid* find_published_fid(std::string_view set, std::string_view row);

/// A point of a published curve: means over both directions in the convergence figure (read off the
/// print), else the trained direction and the other one.
struct PublishedPoint {
  std::string_view experiment;
  std::string_view row;
  Index layers;
  double trained;
  std::optional<double> other = std::nullopt;
};

std::vector<PublishedPoint> published_curve(std::string_view experiment, std::string_view row);

}  // namespace conflux::app
