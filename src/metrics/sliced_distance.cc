#include "conflux/metrics/sliced_distance.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "conflux/core/error.h"
#include "conflux/core/rng.h"
#include "metrics/clouds_internal.h"

namespace conflux {

namespace {

// Names of the random streams.
constexpr std::uint64_t kMeanDirections = 1;
constexpr std::uint64_t kAscentStarts = 2;

// Directions that are projected by one matrix product.
constexpr Index kDirectionsPerTask = 8;

constexpr double kSmallestStep = 1e-9;

// Walks through the common refinement of two samples of n and m quantiles and calls
// visit(i, j, mass) for each piece. Lengths are whole multiples of 1 / (n m), hence exact.
template <class Visit>
void merge_quantiles(Index n, Index m, const Visit& visit) {
  const double unit = 1.0 / (static_cast<double>(n) * static_cast<double>(m));
  Index i = 0;
  Index j = 0;
  for (Index at = 0; i < n;) {
    const Index next = std::min((i + 1) * m, (j + 1) * n);
    visit(i, j, static_cast<double>(next - at) * unit);
    if (next == (i + 1) * m) ++i;
    if (next == (j + 1) * n) ++j;
    at = next;
  }
}

double distance_of_sorted(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  merge_quantiles(static_cast<Index>(a.size()), static_cast<Index>(b.size()),
                  [&](Index i, Index j, double mass) {
                    const double gap = a[i] - b[j];
                    sum += mass * gap * gap;
                  });
  return sum;
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

struct Slope {
  double value = 0;
  Vector gradient;
};

std::vector<Index> sorted_order(const Vector& values) {
  std::vector<Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return values[a] < values[b] || (values[a] == values[b] && a < b);
  });
  return order;
}

// While no points change places, the distance is a quadratic form of the direction with gradient
// 2 sum mass (gap) (x_i - y_j).
Slope slope_along(ConstRows x, ConstRows y, const Vector& direction) {
  const Vector a = x.eigen() * direction;
  const Vector b = y.eigen() * direction;
  const std::vector<Index> order_a = sorted_order(a);
  const std::vector<Index> order_b = sorted_order(b);
  Vector pull_a = Vector::Zero(a.size());
  Vector pull_b = Vector::Zero(b.size());
  Slope slope;
  merge_quantiles(a.size(), b.size(), [&](Index i, Index j, double mass) {
    const double gap = a[order_a[i]] - b[order_b[j]];
    slope.value += mass * gap * gap;
    pull_a[order_a[i]] += mass * gap;
    pull_b[order_b[j]] += mass * gap;
  });
  slope.gradient = 2 * (x.eigen().transpose() * pull_a - y.eigen().transpose() * pull_b);
  return slope;
}

// Gradient ascent on the sphere; a step that does not gain is halved.
MaxSliced ascend(ConstRows x, ConstRows y, Vector direction, const MaxSlicedOptions& options) {
  Slope here = slope_along(x, y, direction);
  double step = 1;
  for (int s = 0; s < options.max_steps && step > kSmallestStep;) {
    const Vector tangent = here.gradient - here.gradient.dot(direction) * direction;
    const double length = tangent.norm();
    if (length == 0) break;
    const Vector moved = (direction + step / length * tangent).normalized();
    Slope there = slope_along(x, y, moved);
    const double gain = there.value - here.value;
    if (gain <= 0) {
      step /= 2;
      continue;
    }
    ++s;
    step *= 2;
    direction = moved;
    here = std::move(there);
    if (gain < options.min_relative_gain * here.value) break;
  }
  return {here.value, direction};
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
  std::vector<MaxSliced> found(static_cast<std::size_t>(options.starts));
  workers.for_each(options.starts, [&](Index k) {
    const Vector start = random_directions(x.cols(), k, k + 1, options.seed, kAscentStarts).col(0);
    found[k] = ascend(x, y, start, options);
  });
  return *std::max_element(found.begin(), found.end(), [](const MaxSliced& a, const MaxSliced& b) {
    return a.value < b.value;
  });
}

}  // namespace conflux
