#include "flow/cluster_mixture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
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
  if (knots == map.from().size()) return kInfinity;
  return map.from()[knots];
}

// Number of knots at or below a value, searched from a start that is nearly always close.
std::uint32_t walk_to(const std::vector<double>& knots, double value, std::uint32_t prediction) {
  std::size_t at = std::min<std::size_t>(prediction, knots.size());
  while (at < knots.size() && knots[at] <= value) ++at;
  while (at > 0 && knots[at - 1] > value) --at;
  return static_cast<std::uint32_t>(at);
}

double image(const PiecewiseLinearMap& map, double at, std::size_t knots) {
  return map.from().empty() ? at : map.image(at, knots);
}

}  // namespace

/// A point of the line, and the straight piece of the mixture there.
struct ClusterMixture::Place {
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

void ClusterMixture::share_out(const Matrix& shares, Index clusters) {
  shares_ = &shares;
  const auto most = static_cast<std::size_t>(shares.rows() * clusters);
  if (rows_.size() < most) {
    rows_.resize(most);
    parts_.resize(most);
  }
  begin_.clear();
  std::size_t count = 0;
  for (Index c = 0; c < clusters; ++c) {
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
void ClusterMixture::mix(const PiecewiseLinearMap* maps, Index step, std::span<const double> line) {
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

void ClusterMixture::forward(const PiecewiseLinearMap* maps, Index step, std::span<double> line,
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
void ClusterMixture::solve_lines(const PiecewiseLinearMap* maps, Index step,
                                 std::span<const double> images) {
  lines_.assign(images.size(), {.way = 0, .slope = 0, .left = -kInfinity, .right = kInfinity});
  Lines* lines = lines_.data();
  const std::size_t clusters = begin_.size() - 1;
  segments_.resize(images.size() * clusters);
  for (std::size_t c = 0; c + 1 < begin_.size(); ++c) {
    const PiecewiseLinearMap& map = maps[static_cast<Index>(c) * step];
    const Index* rows = rows_.data() + begin_[c];
    const double* parts = parts_.data() + begin_[c];
    const std::size_t count = begin_[c + 1] - begin_[c];
    if (map.from().empty()) {
      for (std::size_t j = 0; j < count; ++j) lines[rows[j]].slope += parts[j];
      continue;
    }
    for_each_segment(
        map.to(), count, [&](std::size_t j) { return images[rows[j]]; },
        [&](std::size_t j, double at, std::size_t knots) {
          segments_[rows[j] * clusters + c] = static_cast<std::uint32_t>(knots);
          Lines& sum = lines[rows[j]];
          sum.way += parts[j] * (at - map.image(at, knots));
          sum.slope += parts[j] * map.slope(knots);
          sum.left = std::max(sum.left, knot_below(map, knots));
          sum.right = std::min(sum.right, knot_above(map, knots));
        });
  }
}

void ClusterMixture::inverse(const PiecewiseLinearMap* maps, Index step, std::span<double> line,
                             double* log_slopes) {
  solve_lines(maps, step, line);
  for (std::size_t i = 0; i < line.size(); ++i) {
    double at = line[i] + lines_[i].way / lines_[i].slope;
    double slope = lines_[i].slope;
    if (!(at >= lines_[i].left && at <= lines_[i].right)) {
      const Place found = solve(maps, step, static_cast<Index>(i), line[i], at);
      at = found.at;
      slope = found.slope;
    }
    line[i] = at;
    if (log_slopes != nullptr) log_slopes[i] -= std::log(slope);
  }
}

// Calls use(cluster, share) for the clusters in which a point has a membership. Which they are is
// not predictable, so a branch for each cluster would cost more than the computation.
template <class Use>
void ClusterMixture::for_each_cluster(Index row, const Use& use) const {
  constexpr Index kBits = 64;
  const double* shares = &(*shares_)(row, 0);
  const auto clusters = static_cast<Index>(begin_.size()) - 1;
  for (Index begin = 0; begin < clusters; begin += kBits) {
    std::uint64_t held = 0;
    for (Index c = begin; c < std::min(begin + kBits, clusters); ++c) {
      held |= static_cast<std::uint64_t>(shares[c] > 0) << (c - begin);
    }
    for (; held != 0; held &= held - 1) {
      const Index c = begin + std::countr_zero(held);
      use(c, shares[c]);
    }
  }
}

ClusterMixture::Place ClusterMixture::place_of(const PiecewiseLinearMap* maps, Index step,
                                               Index row, double at) {
  Place out{.at = at};
  for_each_cluster(row, [&](Index c, double part) {
    const PiecewiseLinearMap& map = maps[c * step];
    std::uint32_t& segment = segments_[row * (begin_.size() - 1) + c];
    segment = walk_to(map.from(), at, segment);
    out.add(map, segment, part);
  });
  return out;
}

// Newton's method, after one step in a bracket: the preimage under the mixture lies between those
// under the maps.
ClusterMixture::Place ClusterMixture::solve(const PiecewiseLinearMap* maps, Index step, Index row,
                                            double image, double start) {
  Place place = place_of(maps, step, row, start);
  if (place.reach(image)) return place;
  double low = kInfinity, high = -kInfinity;
  for_each_cluster(row, [&](Index c, double) {
    double preimage = image;
    maps[c * step].inverse({&preimage, 1}, nullptr);
    low = std::min(low, preimage);
    high = std::max(high, preimage);
  });
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
