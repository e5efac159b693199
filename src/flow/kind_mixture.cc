#include "flow/kind_mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "univariate/segments.h"

namespace conflux {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Newton's method on a piecewise linear function ends on the segment of the solution, after one or
// two steps in practice.
constexpr int kMostSteps = 200;

double knot_below(const PiecewiseLinearMap& map, std::size_t knots) {
  return knots == 0 ? -kInfinity : map.from()[knots - 1];
}

double knot_above(const PiecewiseLinearMap& map, std::size_t knots) {
  return knots == map.from().size() ? kInfinity : map.from()[knots];
}

std::size_t count_up_to(const std::vector<double>& knots, double value) {
  return static_cast<std::size_t>(std::upper_bound(knots.begin(), knots.end(), value) -
                                  knots.begin());
}

double image(const PiecewiseLinearMap& map, double at, std::size_t knots) {
  return map.from().empty() ? at : map.image(at, knots);
}

}  // namespace

/// A point of the line, and the straight piece of the mixture there.
struct KindMixture::Place {
  double at = 0;
  double image = 0;
  double slope = 0;
  double left = -kInfinity;
  double right = kInfinity;

  void add(const PiecewiseLinearMap& map, std::size_t knots, double part) {
    image += part * conflux::image(map, at, knots);
    slope += part * map.slope(knots);
    left = std::max(left, knot_below(map, knots));
    right = std::min(right, knot_above(map, knots));
  }

  double solution(double wanted) const { return at + (wanted - image) / slope; }
  /// Goes to where the image is the wanted one, if the mixture is straight up to there.
  bool reach(double wanted) {
    const double there = solution(wanted);
    if (!(there >= left && there <= right)) return false;
    at = there;
    return true;
  }
};

void KindMixture::share_out(const Matrix& shares, Index kinds) {
  shares_ = &shares;
  const auto most = static_cast<std::size_t>(shares.rows() * kinds);
  if (rows_.size() < most) {
    rows_.resize(most);
    parts_.resize(most);
  }
  begin_.clear();
  std::size_t count = 0;
  for (Index c = 0; c < kinds; ++c) {
    begin_.push_back(count);
    for (Index i = 0; i < shares.rows(); ++i) {
      // Without a branch, which could not be foreseen.
      rows_[count] = i;
      parts_[count] = shares(i, c);
      count += shares(i, c) > 0;
    }
  }
  begin_.push_back(count);
}

template <bool kWithSlopes>
void KindMixture::mix(const PiecewiseLinearMap* maps, Index step, std::span<const double> line) {
  image_.assign(line.size(), 0.0);
  if (kWithSlopes) slope_.assign(line.size(), 0.0);
  for (std::size_t c = 0; c + 1 < begin_.size(); ++c) {
    const PiecewiseLinearMap& map = maps[static_cast<Index>(c) * step];
    const Index* rows = &rows_[begin_[c]];
    const double* parts = &parts_[begin_[c]];
    const std::size_t count = begin_[c + 1] - begin_[c];
    const auto add = [&](std::size_t j, double value, double slope) {
      image_[rows[j]] += parts[j] * value;
      if (kWithSlopes) slope_[rows[j]] += parts[j] * slope;
    };
    if (map.from().empty()) {
      for (std::size_t j = 0; j < count; ++j) add(j, line[rows[j]], 1);
    } else {
      for_each_segment(
          map.from(), count, [&](std::size_t j) { return line[rows[j]]; },
          [&](std::size_t j, double at, std::size_t knots) {
            add(j, map.image(at, knots), map.slope(knots));
          });
    }
  }
}

void KindMixture::forward(const PiecewiseLinearMap* maps, Index step, std::span<double> line,
                          double* log_slopes) {
  if (log_slopes == nullptr) {
    mix<false>(maps, step, line);
  } else {
    mix<true>(maps, step, line);
    for (std::size_t i = 0; i < line.size(); ++i) log_slopes[i] += std::log(slope_[i]);
  }
  std::copy(image_.begin(), image_.end(), line.begin());
}

// Every map is taken as the straight line that it is around its own preimage of the point. Where
// those lines make up the mixture at their common solution, that is the preimage.
void KindMixture::solve_lines(const PiecewiseLinearMap* maps, Index step,
                              std::span<const double> images) {
  image_.assign(images.size(), 0.0);  // sums of what is left of the way, by shares
  slope_.assign(images.size(), 0.0);
  left_.assign(images.size(), -kInfinity);
  right_.assign(images.size(), kInfinity);
  for (std::size_t c = 0; c + 1 < begin_.size(); ++c) {
    const PiecewiseLinearMap& map = maps[static_cast<Index>(c) * step];
    const Index* rows = rows_.data() + begin_[c];
    const double* parts = parts_.data() + begin_[c];
    const std::size_t count = begin_[c + 1] - begin_[c];
    if (map.from().empty()) {
      for (std::size_t j = 0; j < count; ++j) slope_[rows[j]] += parts[j];
      continue;
    }
    for_each_segment(
        map.to(), count, [&](std::size_t j) { return images[rows[j]]; },
        [&](std::size_t j, double at, std::size_t knots) {
          const Index i = rows[j];
          image_[i] += parts[j] * (at - map.image(at, knots));
          slope_[i] += parts[j] * map.slope(knots);
          left_[i] = std::max(left_[i], knot_below(map, knots));
          right_[i] = std::min(right_[i], knot_above(map, knots));
        });
  }
}

void KindMixture::inverse(const PiecewiseLinearMap* maps, Index step, std::span<double> line,
                          double* log_slopes) {
  solve_lines(maps, step, line);
  for (std::size_t i = 0; i < line.size(); ++i) {
    double at = line[i] + image_[i] / slope_[i];
    double slope = slope_[i];
    if (!(at >= left_[i] && at <= right_[i])) {
      const Place found = solve(maps, step, static_cast<Index>(i), line[i], at);
      at = found.at;
      slope = found.slope;
    }
    line[i] = at;
    if (log_slopes != nullptr) log_slopes[i] -= std::log(slope);
  }
}

KindMixture::Place KindMixture::place_of(const PiecewiseLinearMap* maps, Index step, Index row,
                                         double at) const {
  Place out{.at = at};
  for (std::size_t c = 0; c + 1 < begin_.size(); ++c) {
    const double part = (*shares_)(row, static_cast<Index>(c));
    if (part == 0) continue;
    const PiecewiseLinearMap& map = maps[static_cast<Index>(c) * step];
    out.add(map, count_up_to(map.from(), at), part);
  }
  return out;
}

// Newton's method, after one step in a bracket: the preimage under the mixture lies between those
// under the maps.
KindMixture::Place KindMixture::solve(const PiecewiseLinearMap* maps, Index step, Index row,
                                      double image, double start) const {
  Place place = place_of(maps, step, row, start);
  if (place.reach(image)) return place;
  double low = kInfinity, high = -kInfinity;
  for (std::size_t c = 0; c + 1 < begin_.size(); ++c) {
    if ((*shares_)(row, static_cast<Index>(c)) == 0) continue;
    double preimage = image;
    maps[static_cast<Index>(c) * step].inverse({&preimage, 1}, nullptr);
    low = std::min(low, preimage);
    high = std::max(high, preimage);
  }
  for (int steps = 0; steps < kMostSteps; ++steps) {
    const double solution = place.solution(image);
    (place.image < image ? low : high) = place.at;
    // An end of the bracket was tried already; without halving, two of them could take turns.
    const double next = solution > low && solution < high ? solution : low + (high - low) / 2;
    // Beyond the segment by no more than rounding, or a bracket that has no number left within.
    if (std::abs(solution - place.at) <= 4e-16 * std::abs(place.at) || next == place.at) break;
    place = place_of(maps, step, row, next);
    if (place.reach(image)) break;
  }
  return place;
}

}  // namespace conflux
