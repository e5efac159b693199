#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "core/rng.h"
#include "metrics/clouds_internal.h"
#include "slicing/direction_search.h"
#include "univariate/wasserstein.h"

namespace conflux {

namespace {

// Names of the random streams.
constexpr std::uint64_t kMeanDirections = 1;
constexpr std::uint64_t kAscentStarts = 2;

// Directions that are projected by one matrix product.
constexpr Index kDirectionsPerTask = 8;

// An ascent ends when the direction turns by less.
constexpr double kSmallestTurn = 1e-9;

// Half the weight on each cloud: their spread around the midpoint is a quarter of the distance.
constexpr double kSpreadsPerDistance = 4;

double distance_of_sorted(std::span<const double> a, std::span<const double> b) {
  const SortedSample<double> samples[] = {{a, {}}, {b, {}}};
  const double weights[] = {0.5, 0.5};
  return kSpreadsPerDistance * barycenter_spread<double>(samples, weights, {});
}

// Columns are independent directions of length 1.
Eigen::MatrixXd random_directions(Index dim, Index begin, Index end, std::uint64_t seed,
                                  std::uint64_t use) {
  Eigen::MatrixXd directions(dim, end - begin);
  for (Index k = begin; k < end; ++k) {
    Stream stream(seed, Purpose::kMetric, use, static_cast<std::uint64_t>(k));
    directions.col(k - begin) = stream.normal_matrix(dim, 1).col(0).normalized();
  }
  return directions;
}

void check_count(Index count, const char* option) {
  if (count >= 1) return;
  throw InvalidOption(fmt::format("{} is {}; choose at least 1.", option, count));
}

}  // namespace

double wasserstein_1d_squared(std::span<const double> a, std::span<const double> b) {
  check_clouds({a.data(), static_cast<Index>(a.size()), 1},
               {b.data(), static_cast<Index>(b.size()), 1});
  std::vector<double> sorted_a(a.begin(), a.end());
  std::vector<double> sorted_b(b.begin(), b.end());
  std::sort(sorted_a.begin(), sorted_a.end());
  std::sort(sorted_b.begin(), sorted_b.end());
  return distance_of_sorted(sorted_a, sorted_b);
}

double sliced_w2_squared(ConstRows x, ConstRows y, const SlicedOptions& options,
                         const Workers& workers) {
  check_clouds(x, y);
  check_count(options.directions, "SlicedOptions.directions");
  std::vector<double> values(static_cast<std::size_t>(options.directions));
  workers.for_each_block(options.directions, kDirectionsPerTask, [&](Index begin, Index end) {
    const Eigen::MatrixXd directions =
        random_directions(x.cols(), begin, end, options.seed, kMeanDirections);
    Eigen::MatrixXd a = x.eigen() * directions;
    Eigen::MatrixXd b = y.eigen() * directions;
    for (Index k = begin; k < end; ++k) {
      const std::span<double> shadow_a(a.col(k - begin).data(), static_cast<std::size_t>(a.rows()));
      const std::span<double> shadow_b(b.col(k - begin).data(), static_cast<std::size_t>(b.rows()));
      std::sort(shadow_a.begin(), shadow_a.end());
      std::sort(shadow_b.begin(), shadow_b.end());
      values[k] = distance_of_sorted(shadow_a, shadow_b);
    }
  });
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(options.directions);
}

MaxSliced max_sliced_w2_squared(ConstRows x, ConstRows y, const MaxSlicedOptions& options,
                                const Workers& workers) {
  check_clouds(x, y);
  check_count(options.starts, "MaxSlicedOptions.starts");
  GroupSet clouds;
  clouds.add("x", x);
  clouds.add("y", y);
  SelfCommunicator comm;
  const std::vector<double> weights{0.5, 0.5};
  const auto sample =
      gather_search_sample<double>(clouds, every_row(clouds), weights, comm, workers);
  SearchOptions search;
  search.ascent.max_steps = options.max_steps;
  search.ascent.polar = true;
  search.ascent.tolerance = kSmallestTurn;
  search.ascent.min_relative_gain = options.min_relative_gain;
  search.inner_steps = 0;
  std::vector<MaxSliced> found(static_cast<std::size_t>(options.starts));
  for (Index k = 0; k < options.starts; ++k) {
    const Frame start(random_directions(x.cols(), k, k + 1, options.seed, kAscentStarts));
    const SearchResult best = find_directions(sample, weights, start, search, workers);
    found[k] = {kSpreadsPerDistance * best.value, best.frame.columns().col(0)};
  }
  return *std::max_element(found.begin(), found.end(), [](const MaxSliced& a, const MaxSliced& b) {
    return a.value < b.value;
  });
}

}  // namespace conflux
