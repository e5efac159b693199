#include "conflux/toys/toy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "conflux/core/error.h"
#include "kernels/dense.h"

namespace conflux {
namespace toy_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

bool same_bits(const GroupSet& a, const GroupSet& b) {
  if (a.names() != b.names()) return false;
  for (Index m = 0; m < a.num_groups(); ++m) {
    if (a[m].rows.eigen() != b[m].rows.eigen()) return false;
  }
  return true;
}

Vector mean_of(const Group& group) { return group.rows.eigen().colwise().mean(); }

Matrix covariance_of(const Group& group) {
  const Matrix centered = group.rows.eigen().rowwise() - mean_of(group).transpose();
  return centered.transpose() * centered / static_cast<double>(centered.rows());
}

// Five standard errors: a mean of n rows strays by std / sqrt(n), a covariance by
// sqrt(c_ii c_jj + c_ij^2) / sqrt(n).
void expect_follows(const Group& group, const Vector& mean, const Matrix& covariance) {
  const double error = 5 / std::sqrt(static_cast<double>(group.rows.rows()));
  const Vector found_mean = mean_of(group);
  const Matrix found = covariance_of(group);
  for (Index i = 0; i < mean.size(); ++i) {
    EXPECT_NEAR(found_mean[i], mean[i], error * std::sqrt(covariance(i, i))) << i;
    for (Index j = 0; j < mean.size(); ++j) {
      const double spread =
          covariance(i, i) * covariance(j, j) + covariance(i, j) * covariance(i, j);
      EXPECT_NEAR(found(i, j), covariance(i, j), error * std::sqrt(spread)) << i << ", " << j;
    }
  }
}

RC_GTEST_PROP(Toy, SameSeedGivesTheSameBitsAndAnotherSeedOthers, (std::uint64_t seed)) {
  for (const std::string& name : toy_names()) {
    const GroupSet groups = make_toy(name, 20, seed);
    RC_ASSERT(same_bits(groups, make_toy(name, 20, seed)));
    RC_ASSERT(!same_bits(groups, make_toy(name, 20, seed + 1)));
  }
  RC_ASSERT(same_bits(make_gaussian_groups(2, 3, 4, seed), make_gaussian_groups(2, 3, 4, seed)));
  RC_ASSERT(
      !same_bits(make_gaussian_groups(2, 3, 4, seed), make_gaussian_groups(2, 3, 4, seed + 1)));
}

RC_GTEST_PROP(Toy, EveryGroupHasTheRowsAskedForAndIsFinite, (std::uint64_t seed)) {
  const Index samples = *rc::gen::inRange<Index>(1, 50);
  for (const std::string& name : toy_names()) {
    const GroupSet groups = make_toy(name, samples, seed);
    groups.validate();
    RC_ASSERT(groups.dim() == 2);
    for (Index m = 0; m < groups.num_groups(); ++m) {
      RC_ASSERT(groups[m].name == std::to_string(m));
      RC_ASSERT(groups[m].rows.rows() == samples);
    }
  }
}

TEST(Toy, SetsHaveTheGroupsOfThePaper) {
  EXPECT_THAT(toy_names(), ElementsAre("moons", "circles", "pattern", "pattern4", "gaussians"));
  std::vector<Index> counts;
  for (const std::string& name : toy_names()) counts.push_back(make_toy(name, 3, 0).num_groups());
  EXPECT_THAT(counts, ElementsAre(2, 2, 2, 4, 3));
  EXPECT_THAT(make_moons().feature_names(), ElementsAre("x", "y"));
}

RC_GTEST_PROP(Moons, LieOnTheirArcsWithoutNoise, (std::uint64_t seed)) {
  const GroupSet moons = make_moons({.samples = 100, .noise = 0, .seed = seed});
  for (Index i = 0; i < 100; ++i) {
    const auto upper = moons[0].rows.row_span(i);
    const auto lower = moons[1].rows.row_span(i);
    RC_ASSERT(std::abs(std::hypot(upper[0], upper[1]) - 1) < 1e-12);
    RC_ASSERT(std::abs(std::hypot(lower[0] - 1, lower[1] - 0.5) - 1) < 1e-12);
    RC_ASSERT(upper[1] > -1e-12);
    RC_ASSERT(lower[1] < 0.5 + 1e-12);
  }
}

TEST(Moons, SpreadAroundTheirArcsByTheNoise) {
  const GroupSet moons = make_moons({.samples = 4000, .noise = 0.05, .seed = 3});
  const Matrix rows = moons[0].rows.eigen();
  const Vector off = rows.rowwise().norm().array() - 1;
  // One of 4000 normal numbers is beyond 6 standard deviations with probability 1 in 100000.
  EXPECT_LT(off.cwiseAbs().maxCoeff(), 6 * 0.05);
  EXPECT_NEAR(std::sqrt(off.squaredNorm() / 4000), 0.05, 0.003);
}

// Neighbors on the arc must not be neighbors in the table, or its first half would be one side.
TEST(Moons, ComeInRandomOrder) {
  const GroupSet moons = make_moons({.samples = 4000, .noise = 0});
  const auto x = moons[0].rows.eigen().col(0);
  EXPECT_NEAR(x.head(2000).mean(), x.tail(2000).mean(), 5 * std::sqrt(0.5 / 1000));
}

TEST(Circles, HaveTheirRadiiWithoutNoise) {
  const GroupSet circles = make_circles({.samples = 300, .noise = 0, .factor = 0.3});
  EXPECT_LT((circles[0].rows.eigen().rowwise().norm().array() - 1).abs().maxCoeff(), 1e-12);
  EXPECT_LT((circles[1].rows.eigen().rowwise().norm().array() - 0.3).abs().maxCoeff(), 1e-12);
  EXPECT_LT(mean_of(circles[0]).norm(), 1e-12);
}

// A group without flips holds two clusters of equal mass on two corners of the square, so that the
// mean of all rows is the mean of all corners.
TEST(RandomPattern, IsCenteredBetweenItsCorners) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const GroupSet pattern =
        make_random_pattern({.samples = 20000, .class_sep = 3, .flip = 0, .seed = seed});
    const Vector sum = mean_of(pattern[0]) + mean_of(pattern[1]);
    // Two means of 20000 rows with a standard deviation of at most 3 + sqrt(2).
    EXPECT_LT(sum.cwiseAbs().maxCoeff(), 5 * 4.5 * std::sqrt(2.0 / 20000)) << seed;
  }
}

// Entries of the mixing matrices are below 1, so clusters far apart stay apart: within 5 sqrt(2) of
// a corner. Each group then owns two corners, and flips put its rows on the corners of the other.
TEST(RandomPattern, FlipsHalfOfTheShareIntoTheOtherGroup) {
  const auto corner_shares = [](const Group& group) {
    std::array<double, 4> shares{};
    for (Index i = 0; i < group.rows.rows(); ++i) {
      shares[(group.rows(i, 0) > 0) + 2 * (group.rows(i, 1) > 0)] += 1;
    }
    for (double& share : shares) share /= static_cast<double>(group.rows.rows());
    std::sort(shares.begin(), shares.end());
    return shares;
  };
  const auto clean = make_random_pattern({.samples = 10000, .class_sep = 50, .flip = 0});
  EXPECT_EQ(corner_shares(clean[0])[1], 0);
  EXPECT_NEAR(corner_shares(clean[0])[2], 0.5, 0.025);
  const auto flipped = make_random_pattern({.samples = 10000, .class_sep = 50, .flip = 0.2});
  EXPECT_NEAR(corner_shares(flipped[1])[0] + corner_shares(flipped[1])[1], 0.1, 0.015);
}

TEST(RandomPattern, OfFourGroupsShiftsTwoPatternsApart) {
  const RandomPatternOptions two = {.samples = 5000, .flip = 0, .seed = 4};
  RandomPatternOptions four = two;
  four.num_groups = 4;
  const GroupSet shifted = make_random_pattern(four);
  const GroupSet plain = make_random_pattern(two);
  EXPECT_TRUE(shifted[0].rows.eigen().isApprox((plain[0].rows.eigen().array() - 2).matrix()));
  const Vector upper = (mean_of(shifted[2]) + mean_of(shifted[3])) / 2;
  EXPECT_NEAR(upper[0], 2, 0.15);
  EXPECT_NEAR(upper[1], 2, 0.15);
  EXPECT_FALSE(shifted[2].rows.eigen().isApprox((plain[0].rows.eigen().array() + 2).matrix()));
}

TEST(Gaussians, FollowTheDocumentedLaw) {
  struct Law {
    Eigen::Vector2d mean;
    double along, across;
    Eigen::Vector2d direction;
  };
  const std::vector<Law> laws = {{{0, 0}, 1.4, 0.4, {1, -0.6}},
                                 {{2, -2}, 1.7, 0.9, {1, 0.6}},
                                 {{-3, 2}, 1.5, 0.35, {1, 0.45}}};
  const GroupSet groups = make_gaussians({.samples = 20000, .seed = 1});
  for (Index m = 0; m < 3; ++m) {
    const Eigen::Vector2d u = laws[m].direction.normalized();
    const double across = laws[m].across * laws[m].across;
    const double extra = laws[m].along * laws[m].along - across;
    expect_follows(groups[m], laws[m].mean,
                   across * Matrix::Identity(2, 2) + extra * u * u.transpose());
  }
}

TEST(GaussianGroups, FollowTheirLawInAnyDimension) {
  for (const Index dim : {1, 2, 7}) {
    const GroupSet groups = make_gaussian_groups(3, dim, 20000, 5);
    ASSERT_EQ(groups.num_groups(), 3);
    for (Index m = 0; m < 3; ++m) {
      const Gaussian law = gaussian_group_law(m, dim, 5);
      expect_follows(groups[m], law.mean, law.covariance);
    }
  }
}

TEST(GaussianGroups, HaveDifferentWellConditionedCovariances) {
  const Gaussian a = gaussian_group_law(0, 50, 2);
  const Gaussian b = gaussian_group_law(1, 50, 2);
  EXPECT_GT((a.mean - b.mean).norm(), 1);
  EXPECT_GT((a.covariance - b.covariance).norm(), 1);
  EXPECT_GE(kernels::symmetric_eigenvalues(a.covariance).minCoeff(), 0.25);
}

TEST(Toy, AnswersAnUnknownNameWithTheKnownOnes) {
  EXPECT_THAT([] { make_toy("moon", 10, 0); },
              ThrowsMessage<InvalidOption>(AllOf(
                  HasSubstr("\"moon\""),
                  HasSubstr("\"moons\", \"circles\", \"pattern\", \"pattern4\", \"gaussians\""))));
}

TEST(Toy, RefusesOptionsOutOfRangeByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT([] { make_moons({.samples = 0}); },
              ThrowsMessage<InvalidOption>(HasSubstr("MoonsOptions.samples is 0")));
  EXPECT_THAT([] { make_moons({.noise = -1}); },
              ThrowsMessage<InvalidOption>(HasSubstr("MoonsOptions.noise is -1")));
  EXPECT_THROW(make_moons({.noise = nan}), InvalidOption);
  EXPECT_THROW(make_circles({.noise = infinity}), InvalidOption);
  EXPECT_THAT([] { make_circles({.factor = 1.5}); },
              ThrowsMessage<InvalidOption>(HasSubstr("choose from 0 to 1")));
  EXPECT_THAT([] { make_random_pattern({.num_groups = 3}); },
              ThrowsMessage<InvalidOption>(HasSubstr("choose 2 or 4")));
  EXPECT_THROW(make_random_pattern({.flip = 1.1}), InvalidOption);
  EXPECT_THROW(make_gaussians({.samples = -1}), InvalidOption);
  EXPECT_THROW(make_gaussian_groups(2, 0, 5), InvalidOption);
  EXPECT_THROW(make_toy("circles", 0, 0), InvalidOption);
}

}  // namespace toy_test
}  // namespace conflux
