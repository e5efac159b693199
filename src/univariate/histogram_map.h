// The paper's estimator of a map on the line: a normal law corrected by a histogram.
//
// A group's distribution function is F = H(Phi((z - mean) / deviation)), with H piecewise linear on
// [0, 1]. The quantile function of the barycenter is the weighted mean of the groups' quantile
// functions, evaluated directly (or, as the paper does, through 100 of its points, which is again a
// function of the same form). A map is that quantile function after the group's own F.
//
// Probabilities are stored with their complements, so that both tails keep all digits. If less than
// `tail_mass` is left, a map continues as a straight line with the ratio of the standard deviations
// as its slope: every real number has one image and one preimage, and values in an empty outer bin
// are not moved as far out as its tiny probability would imply.
//
// Cost: a few transcendental functions per point and group; the inverse solves one equation by
// Newton's method inside a bracket.

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "conflux/core/index.h"

namespace conflux {

/// A mass below and the mass above, which sum to 1.
struct Probability {
  double below;
  double above;

  bool operator==(const Probability&) const = default;
};

/// Distribution on the line: normal, then piecewise linear on [0, 1].
class GaussianHistogram {
 public:
  /// Equal bins on [0, 1] that hold `counts`, each raised by `pseudo_count`.
  GaussianHistogram(double mean, double deviation, std::span<const double> counts,
                    double pseudo_count);
  /// Equal bins on [0, 1] that hold `masses`, which are positive and sum to 1.
  GaussianHistogram(double mean, double deviation, std::vector<double> masses);
  /// The distribution that has `values[j]` as its quantile of level `levels[j]`, both strictly
  /// increasing.
  GaussianHistogram(double mean, double deviation, std::span<const double> values,
                    std::span<const Probability> levels);
  /// The same from knots (edge, level) on [0, 1], strictly increasing from (0, 0) to (1, 1).
  GaussianHistogram(double mean, double deviation, std::vector<Probability> edges,
                    std::vector<Probability> levels);

  double mean() const { return mean_; }
  double deviation() const { return deviation_; }
  const std::vector<Probability>& edges() const { return edges_; }
  const std::vector<Probability>& levels() const { return levels_; }
  /// Mass of each bin.
  const std::vector<double>& masses() const { return mass_; }

  /// The distribution function at z, and its slope.
  struct Level {
    Probability level;
    double density;
  };
  Level level_at(double z) const;
  /// The quantile function at u, and its slope.
  struct Quantile {
    double value;
    double slope;
  };
  Quantile quantile_at(Probability u) const;

  bool operator==(const GaussianHistogram&) const = default;

 private:
  void measure_gaps();

  double mean_;
  double deviation_;
  // Knots (edge, level) of H from (0, 0) to (1, 1), with complements.
  std::vector<Probability> edges_;
  std::vector<Probability> levels_;
  std::vector<double> width_;  // edge to edge
  std::vector<double> mass_;   // level to level
};

/// Position of each value's bin among `bins` equal bins of Phi((z - mean) / deviation), counted
/// with its mass (1 when `masses` is empty).
std::vector<double> count_in_normal_bins(std::span<const double> values,
                                         std::span<const double> masses, double mean,
                                         double deviation, Index bins);

/// Weighted mean of quantile functions.
struct HistogramBarycenter {
  std::vector<GaussianHistogram> parts;
  std::vector<double> weights;

  double quantile(Probability u) const;
  /// Means of the parts' means and deviations: the straight approximation of the barycenter.
  double mean() const;
  double deviation() const;
};

/// The barycenter through `points` quantiles of the parts, as the paper has it (100 there).
HistogramBarycenter thin_barycenter(const HistogramBarycenter& barycenter, Index points);

struct HistogramMapOptions {
  /// Fraction of the way to the barycenter.
  double strength = 1;
  /// Mass of the tails where the map is straight.
  double tail_mass = 0x1p-50;
  /// Share of the straight map between the deviations that is mixed in. Without it an empty bin is
  /// all but flat, and what it flattens cannot be had back from a double.
  double slope_floor = 0;
};

class HistogramMap {
 public:
  HistogramMap(GaussianHistogram source, std::shared_ptr<const HistogramBarycenter> target,
               const HistogramMapOptions& options);

  void forward(std::span<double> values, double* log_slopes) const;
  void inverse(std::span<double> values, double* log_slopes) const;

  /// Moves every value by this fraction of its way.
  HistogramMap part(double amount) const;

  const GaussianHistogram& source() const { return source_; }
  const std::shared_ptr<const HistogramBarycenter>& target() const { return target_; }
  const HistogramMapOptions& options() const { return options_; }

 private:
  struct Point {
    double value;
    double slope;
  };
  Point at(double z) const;
  Point inside(double z) const;
  double solve(double image) const;

  GaussianHistogram source_;
  std::shared_ptr<const HistogramBarycenter> target_;
  HistogramMapOptions options_;
  // The straight map between the deviations.
  double mean_slope_;
  double target_mean_;
  // Weight of the target's parts that are the source itself, and the parts that are not.
  double own_weight_ = 0;
  std::vector<std::size_t> others_;
  // Ends of the curved part and the images there.
  double low_, high_;
  Point at_low_, at_high_;
};

}  // namespace conflux
