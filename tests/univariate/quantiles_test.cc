#include "univariate/quantiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/rng.h"

namespace conflux {
namespace quantiles_test {

using testing::Each;
using testing::ElementsAre;

std::vector<double> sorted_normal(Index count, std::uint64_t name) {
  Stream stream(3, Purpose::kTest, name);
  std::vector<double> out(count);
  for (double& x : out) x = stream.normal();
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<double> random_masses(Index count, std::uint64_t name) {
  Stream stream(4, Purpose::kTest, name);
  std::vector<double> out(count);
  for (double& x : out) x = std::exp(2 * stream.normal());
  return out;
}

// The mean of each bin as an integral of the quantile function, with 64 bits of precision.
std::vector<double> slow_means(const std::vector<double>& values, const std::vector<double>& masses,
                               Index bins) {
  const auto mass = [&](std::size_t i) { return masses.empty() ? 1.0L : masses[i]; };
  long double total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) total += mass(i);
  std::vector<double> means;
  for (Index q = 0; q < bins; ++q) {
    const long double low = total * q / bins;
    const long double high = total * (q + 1) / bins;
    long double begin = 0, moment = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const long double end = begin + mass(i);
      moment += std::max(0.0L, std::min(end, high) - std::max(begin, low)) * values[i];
      begin = end;
    }
    means.push_back(static_cast<double>(moment / (high - low)));
  }
  return means;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected,
                 double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], tolerance) << "bin " << i << " of " << found.size();
  }
}

QuantileSummary whole(const std::vector<double>& values, const std::vector<double>& masses = {}) {
  return summarize(values, masses, static_cast<Index>(values.size()));
}

// 1e-13: a few units in the last place of values below 4, in bins of a few hundred values.
TEST(EqualMassMeans, EqualTheSlowIntegral) {
  for (const Index count : {1, 2, 3, 10, 97, 500}) {
    for (const Index bins : {1, 2, 3, 7, 30, 97, 100, 641}) {
      const auto values = sorted_normal(count, count);
      expect_near(equal_mass_means(whole(values), bins), slow_means(values, {}, bins), 1e-13);
    }
  }
}

// Masses over four orders of magnitude: a value may fill many bins, a bin hold many values.
TEST(EqualMassMeans, OfUnequalMassesEqualTheSlowIntegral) {
  for (const Index count : {1, 2, 10, 97, 500}) {
    for (const Index bins : {1, 3, 30, 100, 641}) {
      const auto values = sorted_normal(count, count);
      const auto masses = random_masses(count, count);
      // A cut is off by a few roundings of the total mass, which is a larger share of a small bin.
      const double tolerance = 1e-15 * static_cast<double>(std::max<Index>(bins, 100));
      expect_near(equal_mass_means(whole(values, masses), bins), slow_means(values, masses, bins),
                  tolerance);
    }
  }
}

// Taking one bin's mass from the next, bin after bin, would let the rounding of a share add up to
// many thousand times itself.
TEST(EqualMassMeans, RoundingDoesNotAddUpOverManyBins) {
  const Index count = 200000;
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 0.0);
  const std::vector<double> masses(count, 0.1);
  for (const Index bins : {7, 30000, 199999}) {
    const auto means = equal_mass_means(whole(values, masses), bins);
    const double width = static_cast<double>(count) / static_cast<double>(bins);
    for (const Index q : {Index{0}, bins / 2, bins - 2, bins - 1}) {
      // The mean over the levels a .. b of the staircase floor(u) is by summation of whole steps.
      const auto below = [](double u) {
        const double steps = std::floor(u);
        return steps * (steps - 1) / 2 + (u - steps) * steps;
      };
      const double a = static_cast<double>(q) * width;
      const double b = static_cast<double>(q + 1) * width;
      // The closed form itself cancels: 1e10 eps / width.
      EXPECT_NEAR(means[q], (below(b) - below(a)) / width, 1e-5) << q << " of " << bins;
    }
  }
}

TEST(EqualMassMeans, MeanOfMeansIsTheMean) {
  for (const Index bins : {1, 7, 30, 1000}) {
    const auto values = sorted_normal(333, 1);
    const auto masses = random_masses(333, 1);
    const auto means = equal_mass_means(whole(values, masses), bins);
    double moment = 0, total = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      moment += masses[i] * values[i];
      total += masses[i];
    }
    const double mean_of_means =
        std::accumulate(means.begin(), means.end(), 0.0) / static_cast<double>(bins);
    EXPECT_NEAR(mean_of_means, moment / total, 1e-13);
  }
}

TEST(EqualMassMeans, FewerValuesThanBinsRepeat) {
  EXPECT_THAT(equal_mass_means(whole({5}), 4), ElementsAre(5, 5, 5, 5));
  EXPECT_THAT(equal_mass_means(whole({1, 3}), 4), ElementsAre(1, 1, 3, 3));
  EXPECT_THAT(equal_mass_means(whole({1, 4}), 3), ElementsAre(1, testing::DoubleEq(2.5), 4));
}

// A bin that holds one atom only must give the atom itself, or zeros would stop being zeros. The
// cuts fall on sums of masses such as 0.1 that are not exact, which leaves slivers of a value in
// the neighboring bin.
TEST(EqualMassMeans, AtomsAreExact) {
  for (const double mass : {1.0, 0.1, 1.0 / 3, 0.7}) {
    for (const Index bins : {10, 20, 30, 50, 100, 300}) {
      std::vector<double> values(70, -0.37);
      values.insert(values.end(), 20, 0.1);
      values.insert(values.end(), 10, 0.3);
      const std::vector<double> masses(100, mass);
      const auto means = equal_mass_means(whole(values, masses), bins);
      for (Index q = 0; q < bins; ++q) {
        const double level = (static_cast<double>(q) + 0.5) / static_cast<double>(bins);
        ASSERT_EQ(means[q], level < 0.7   ? -0.37
                            : level < 0.9 ? 0.1
                                          : 0.3)
            << "bin " << q << " of " << bins << ", mass " << mass;
      }
    }
  }
}

TEST(EqualMassMeans, ManyZerosStayZeroBetweenOtherValues) {
  for (const Index count : {25, 100, 1000, 12345}) {
    std::vector<double> values = sorted_normal(count, 9);
    // Turn the middle 92 % into zeros, and keep the signs of the rest.
    for (Index i = 0; i < count; ++i) {
      const double level = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
      if (level > 0.04 && level < 0.96) values[i] = 0;
    }
    for (const Index bins : {30, 64, 100}) {
      const auto means = equal_mass_means(whole(values), bins);
      const auto zeros = std::count(means.begin(), means.end(), 0.0);
      EXPECT_GE(zeros, static_cast<Index>(0.92 * static_cast<double>(bins)) - 2);
    }
  }
}

TEST(EqualMassMeans, OfLargeOffsetsKeepTheirSmallDigits) {
  const auto noise = sorted_normal(1000, 2);
  std::vector<double> far = noise;
  for (double& x : far) x += 1e12;
  const auto means = equal_mass_means(whole(far), 30);
  const auto near = equal_mass_means(whole(noise), 30);
  // The values themselves are rounded to 1.2e-4 at 1e12.
  for (std::size_t q = 0; q < 30; ++q) EXPECT_NEAR(means[q] - 1e12, near[q], 2.5e-4);
}

RC_GTEST_PROP(EqualMassMeans, IncreaseAndStayWithinTheSample, ()) {
  const auto raw =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-20, 20)));
  const Index bins = *rc::gen::inRange(1, 60);
  std::vector<double> values, masses;
  for (const int x : raw) {
    values.push_back(0.1 * x);
    masses.push_back(0.1 * *rc::gen::inRange(1, 9));
  }
  std::sort(values.begin(), values.end());
  const auto means = equal_mass_means(whole(values, masses), bins);
  RC_ASSERT(std::is_sorted(means.begin(), means.end()));
  RC_ASSERT(means.front() >= values.front() - 1e-15 && means.back() <= values.back() + 1e-15);
  const auto expected = slow_means(values, masses, bins);
  for (std::size_t q = 0; q < means.size(); ++q) {
    RC_ASSERT(std::abs(means[q] - expected[q]) < 1e-12);
  }
}

TEST(Summarize, KeepsASmallSampleAsItIs) {
  const QuantileSummary summary = summarize(std::vector<double>{1, 2, 2, 5}, {}, 4);
  EXPECT_THAT(summary.values, ElementsAre(1, 2, 2, 5));
  EXPECT_THAT(summary.masses, Each(1.0));
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.max, 5);
}

TEST(Summarize, LeavesOutValuesWithoutMass) {
  const QuantileSummary summary =
      summarize(std::vector<double>{-100, 1, 2, 3, 100}, std::vector<double>{0, 2, 0, 1, 0}, 10);
  EXPECT_THAT(summary.values, ElementsAre(1, 3));
  EXPECT_THAT(summary.masses, ElementsAre(2, 1));
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.max, 3);
  const QuantileSummary nothing =
      summarize(std::vector<double>{1, 2}, std::vector<double>{0, 0}, 10);
  EXPECT_TRUE(nothing.empty());
  EXPECT_GT(nothing.min, nothing.max);
  EXPECT_TRUE(summarize({}, {}, 10).empty());
}

TEST(Summarize, ConservesMassAndExtremes) {
  const auto values = sorted_normal(1000, 3);
  const auto masses = random_masses(1000, 3);
  const QuantileSummary summary = summarize(values, masses, 64);
  EXPECT_EQ(summary.values.size(), 64u);
  EXPECT_EQ(summary.min, values.front());
  EXPECT_EQ(summary.max, values.back());
  const double total = std::accumulate(masses.begin(), masses.end(), 0.0);
  EXPECT_NEAR(std::accumulate(summary.masses.begin(), summary.masses.end(), 0.0), total,
              1e-12 * total);
}

// Bins of bins are bins: whatever number of knots divides the capacity, the summary loses nothing.
TEST(Summarize, KnotsOfASummaryEqualTheKnotsOfTheSample) {
  const auto values = sorted_normal(5003, 4);
  const auto masses = random_masses(5003, 4);
  for (const Index knots : {1, 5, 30, 64, 480, 960}) {
    expect_near(equal_mass_means(summarize(values, {}, 960), knots),
                equal_mass_means(whole(values), knots), 1e-12);
    expect_near(equal_mass_means(summarize(values, masses, 960), knots),
                equal_mass_means(whole(values, masses), knots), 1e-11);
  }
}

TEST(Merge, OfUncompressedPartsEqualsTheWhole) {
  const auto values = sorted_normal(301, 5);
  const auto masses = random_masses(301, 5);
  std::vector<QuantileSummary> parts;
  for (std::size_t part = 0; part < 3; ++part) {
    std::vector<double> some, some_masses;
    for (std::size_t i = part; i < values.size(); i += 3) {
      some.push_back(values[i]);
      some_masses.push_back(masses[i]);
    }
    parts.push_back(whole(some, some_masses));
  }
  parts.insert(parts.begin() + 1, QuantileSummary{});
  const QuantileSummary merged = merge(parts);
  EXPECT_EQ(merged.values, values);
  EXPECT_EQ(merged.masses, masses);
  EXPECT_EQ(merged.min, values.front());
  EXPECT_EQ(merged.max, values.back());
}

TEST(Merge, OfNothingIsEmpty) {
  EXPECT_TRUE(merge({}).empty());
  const std::vector<QuantileSummary> parts(3);
  const QuantileSummary merged = merge(parts);
  EXPECT_TRUE(merged.empty());
  EXPECT_GT(merged.min, merged.max);
}

// Four processes with different parts of the line, each summary ten times smaller than its sample.
// A bin of a summary spreads over the bins next to it, so knots move by a fraction of the width of
// one of the 960 bins: below 0.01 in the bulk, more in the outermost knots.
TEST(Merge, OfCompressedPartsIsCloseToTheWhole) {
  std::vector<double> all;
  std::vector<QuantileSummary> parts;
  for (std::uint64_t part = 0; part < 4; ++part) {
    auto values = sorted_normal(9600, 10 + part);
    for (double& x : values)
      x = x * (1 + 0.3 * static_cast<double>(part)) + static_cast<double>(part);
    all.insert(all.end(), values.begin(), values.end());
    parts.push_back(summarize(values, {}, 960));
  }
  std::sort(all.begin(), all.end());
  const QuantileSummary merged = merge(parts);
  EXPECT_EQ(merged.min, all.front());
  EXPECT_EQ(merged.max, all.back());
  const auto found = equal_mass_means(merged, 30);
  const auto expected = equal_mass_means(whole(all), 30);
  expect_near(found, expected, 0.01);
  EXPECT_NEAR(std::accumulate(found.begin(), found.end(), 0.0),
              std::accumulate(expected.begin(), expected.end(), 0.0), 1e-10);
}

}  // namespace quantiles_test
}  // namespace conflux
