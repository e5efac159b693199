#include "fitting/shrunk_maps.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/rng.h"
#include "univariate/barycenter.h"
#include "univariate/quantiles.h"

namespace conflux {
namespace shrunk_maps_test {

const std::vector<double> kHalf = {0.5, 0.5};

// Maps of two groups to the middle, as layers fit them; `bend` makes the second skewed.
std::vector<PiecewiseLinearMap> fitted(Index rows, double shift, double bend, std::uint64_t seed) {
  std::vector<QuantileSummary> summaries;
  for (Index m = 0; m < 2; ++m) {
    Stream stream(seed, Purpose::kTest, static_cast<std::uint64_t>(m));
    std::vector<double> values;
    for (Index i = 0; i < rows; ++i) {
      const double x = stream.normal();
      values.push_back(m == 0 ? x : x + shift + bend * (x * x - 1));
    }
    std::sort(values.begin(), values.end());
    summaries.push_back(summarize(values, {}, 400));
  }
  std::vector<PiecewiseLinearMap> out;
  for (const MonotoneMap& map : fit_quantile_maps(summaries, kHalf, 20, 1, nullptr)) {
    out.push_back(std::get<PiecewiseLinearMap>(map));
  }
  return out;
}

double mean_square_move(const std::vector<PiecewiseLinearMap>& maps) {
  double sum = 0, count = 0;
  for (const PiecewiseLinearMap& map : maps) {
    for (std::size_t k = 0; k < map.from().size(); ++k) {
      sum += std::pow(map.to()[k] - map.from()[k], 2);
      count += 1;
    }
  }
  return sum / count;
}

std::vector<PiecewiseLinearMap> shrink(const std::vector<PiecewiseLinearMap>& maps, double rows) {
  return shrunk(maps, std::vector<double>{rows, rows}, kHalf, 1);
}

// Equal groups: whatever the maps do is noise, and little of it is left.
TEST(ShrunkMaps, HardlyMoveGroupsThatDifferByChance) {
  double before = 0, after = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto maps = fitted(150, 0, 0, seed);
    before += mean_square_move(maps);
    after += mean_square_move(shrink(maps, 150));
  }
  EXPECT_LT(after, 0.3 * before);
}

TEST(ShrunkMaps, KeepWhatIsClear) {
  for (const auto& [shift, bend] : {std::pair{3.0, 0.0}, std::pair{0.0, 0.45}}) {
    const auto maps = fitted(20000, shift, bend, 1);
    const double whole = mean_square_move(maps);
    EXPECT_NEAR(mean_square_move(shrink(maps, 20000)), whole, 0.1 * whole) << shift;
  }
}

// A shift that is clear does not carry a bend that is not.
TEST(ShrunkMaps, TellAShiftFromABend) {
  const auto maps = shrink(fitted(100, 2, 0, 3), 100);
  for (const PiecewiseLinearMap& map : maps) {
    const double first = map.to().front() - map.from().front();
    const double last = map.to().back() - map.from().back();
    EXPECT_NEAR(std::abs(first), 1, 0.25);
    EXPECT_NEAR(first, last, 0.1);
  }
}

TEST(ShrunkMaps, StayIncreasing) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const PiecewiseLinearMap& map : shrink(fitted(60, 1, 0.3, seed), 60)) {
      for (std::size_t k = 1; k < map.to().size(); ++k) EXPECT_GT(map.to()[k], map.to()[k - 1]);
    }
  }
}

// Masses in the millions: nothing is noise.
TEST(ShrunkMaps, OfCountlessRowsAreAsFitted) {
  const auto maps = fitted(100, 1, 0.2, 5);
  const auto same = shrink(maps, 1e12);
  for (std::size_t m = 0; m < maps.size(); ++m) {
    for (std::size_t k = 0; k < maps[m].to().size(); ++k) {
      EXPECT_NEAR(same[m].to()[k], maps[m].to()[k], 1e-6);
    }
  }
}

}  // namespace shrunk_maps_test
}  // namespace conflux
