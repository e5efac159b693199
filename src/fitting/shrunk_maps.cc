#include "fitting/shrunk_maps.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace conflux {

namespace {

// Squares that chance alone puts between the mean of a group's rows and that of its distribution,
// and between their quantiles when the means are laid upon each other.
struct Noise {
  double shift = 0;
  double bend = 0;
};

// Knots are quantiles at (k + 1/2) / K. A quantile at p strays by p (1 - p) / (n f^2), where the
// density f is one over the slope of the quantile function; the mean takes its own part of that.
Noise noise_of(const std::vector<double>& knots, double rows) {
  const std::size_t count = knots.size();
  const auto all = static_cast<double>(count);
  double mean = 0, square = 0, strayed = 0;
  for (std::size_t k = 0; k < count; ++k) {
    mean += knots[k] / all;
    const std::size_t before = k == 0 ? 0 : k - 1;
    const std::size_t after = std::min(k + 1, count - 1);
    const double slope = (knots[after] - knots[before]) * all / static_cast<double>(after - before);
    const double p = (static_cast<double>(k) + 0.5) / all;
    strayed += p * (1 - p) * slope * slope / all;
  }
  for (const double knot : knots) square += (knot - mean) * (knot - mean) / all;
  return {.shift = square / rows, .bend = std::max(0.0, strayed - square) / rows};
}

// The part of a square that chance does not explain.
double certain_part(double square, double by_chance) {
  return square > by_chance ? 1 - by_chance / square : 0;
}

PiecewiseLinearMap shrunk(const PiecewiseLinearMap& map, const Noise& noise, double strength) {
  const std::vector<double>& from = map.from();
  const auto count = static_cast<double>(from.size());
  double shift = 0, bend = 0;
  for (std::size_t k = 0; k < from.size(); ++k) shift += (map.to()[k] - from[k]) / count;
  for (std::size_t k = 0; k < from.size(); ++k) {
    bend += std::pow(map.to()[k] - from[k] - shift, 2) / count;
  }
  const double squared = strength * strength;
  const double of_shift = certain_part(shift * shift, squared * noise.shift);
  const double of_bend = certain_part(bend, squared * noise.bend);
  std::vector<double> to;
  for (std::size_t k = 0; k < from.size(); ++k) {
    to.push_back(from[k] + of_shift * shift + of_bend * (map.to()[k] - from[k] - shift));
  }
  return {from, std::move(to)};
}

}  // namespace

std::vector<PiecewiseLinearMap> shrunk(std::vector<PiecewiseLinearMap> maps,
                                       std::span<const double> masses,
                                       std::span<const double> weights, double strength) {
  std::vector<Noise> own;
  for (std::size_t m = 0; m < maps.size(); ++m) {
    if (maps[m].from().size() < 2) return maps;
    own.push_back(noise_of(maps[m].from(), masses[m]));
  }
  // The barycenter strays with every group in it.
  Noise all;
  for (std::size_t m = 0; m < maps.size(); ++m) {
    all.shift += weights[m] * weights[m] * own[m].shift;
    all.bend += weights[m] * weights[m] * own[m].bend;
  }
  for (std::size_t m = 0; m < maps.size(); ++m) {
    const double alone = 1 - 2 * weights[m];
    maps[m] =
        shrunk(maps[m],
               {.shift = all.shift + alone * own[m].shift, .bend = all.bend + alone * own[m].bend},
               strength);
  }
  return maps;
}

}  // namespace conflux
