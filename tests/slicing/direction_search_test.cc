#include "slicing/direction_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/slicing/samples.h"
#include "tests/support/orthonormal.h"

namespace conflux {
namespace direction_search_test {

const Workers kWorkers(2);

Frame random_frame(Index dim, Index directions, std::uint64_t name) {
  Stream stream(27, Purpose::kTest, name);
  return Frame::random(dim, directions, stream);
}

double degrees_between(const Vector& a, const Vector& b) {
  const double cosine = std::abs(a.dot(b)) / (a.norm() * b.norm());
  return std::acos(std::min(1.0, cosine)) * 180 / std::numbers::pi;
}

// How far the span of a frame misses a vector.
double degrees_outside(const Frame& frame, const Vector& v) {
  return degrees_between(frame.columns() * (frame.columns().transpose() * v), v);
}

/// Normal groups of unit variance; group m is moved by m times `shift`.
std::vector<Matrix> shifted_groups(const std::vector<Index>& counts, const Vector& shift,
                                   std::uint64_t name) {
  std::vector<Matrix> groups;
  for (const Index count : counts) {
    Stream stream(28, Purpose::kTest, name, groups.size());
    const Matrix noise = stream.normal_matrix(count, shift.size());
    groups.push_back(noise.rowwise() + static_cast<double>(groups.size()) * shift.transpose());
  }
  return groups;
}

/// Normal groups whose means and covariances differ.
std::vector<Matrix> gaussian_groups(std::size_t groups, Index count, Index dim,
                                    std::uint64_t name) {
  std::vector<Matrix> out;
  for (std::size_t m = 0; m < groups; ++m) {
    Stream stream(29, Purpose::kTest, name, m);
    const Matrix mix = stream.normal_matrix(dim, dim) / std::sqrt(static_cast<double>(dim));
    const Vector mean = 0.5 * stream.normal_matrix(dim, 1);
    out.push_back((stream.normal_matrix(count, dim) * mix).rowwise() + mean.transpose());
  }
  return out;
}

// Laws of every search, whatever its input.
template <class Scalar>
void expect_sound(const SearchResult& found, const SearchSample<Scalar>& sample,
                  const std::vector<double>& weights, const Frame& start, double tolerance) {
  expect_orthonormal(found.frame, Frame::kDriftLimit);
  ASSERT_EQ(static_cast<Index>(found.spreads.size()), start.directions());
  double mean = 0;
  for (std::size_t k = 0; k < found.spreads.size(); ++k) {
    ASSERT_TRUE(std::isfinite(found.spreads[k]));
    mean += found.spreads[k] / static_cast<double>(found.spreads.size());
    if (k > 0) {
      EXPECT_GE(found.spreads[k - 1], found.spreads[k]);
    }
    const double alone =
        mean_spread(sample, weights, Frame(found.frame.columns().col(k)), kWorkers);
    EXPECT_NEAR(found.spreads[k], alone, tolerance * found.spreads[0] + 1e-12) << k;
  }
  const double slack = tolerance * found.value + 1e-12;
  EXPECT_NEAR(found.value, mean, slack);
  EXPECT_NEAR(found.value, mean_spread(sample, weights, found.frame, kWorkers), slack);
  EXPECT_NEAR(found.start_value, mean_spread(sample, weights, start, kWorkers), slack);
  EXPECT_GE(found.value, found.start_value);
}

struct Variant {
  const char* name;
  bool polar;
  bool single;
  Index inner_steps = 0;
};

class DirectionSearchTest : public testing::TestWithParam<Variant> {
 protected:
  SearchOptions options() const {
    return {.ascent = {.polar = GetParam().polar}, .inner_steps = GetParam().inner_steps};
  }

  // Searches and checks what every search promises.
  SearchResult search(const std::vector<Matrix>& groups, const std::vector<double>& weights,
                      const Frame& start, const SearchOptions& options,
                      const std::vector<std::vector<double>>& masses = {}, double scale = 1) const {
    return GetParam().single ? search_in<float>(groups, weights, start, options, masses, scale)
                             : search_in<double>(groups, weights, start, options, masses, scale);
  }

 private:
  template <class Scalar>
  SearchResult search_in(const std::vector<Matrix>& groups, const std::vector<double>& weights,
                         const Frame& start, const SearchOptions& options,
                         const std::vector<std::vector<double>>& masses, double scale) const {
    auto sample = sample_of<Scalar>(groups, masses);
    sample.scale = scale;
    const SearchResult found = find_directions(sample, weights, start, options, kWorkers);
    expect_sound(found, sample, weights, start, GetParam().single ? 1e-5 : 1e-11);
    return found;
  }
};
INSTANTIATE_TEST_SUITE_P(
    Variants, DirectionSearchTest,
    testing::Values(Variant{"Cayley", false, false}, Variant{"Polar", true, false},
                    Variant{"CayleySingle", false, true}, Variant{"PolarSingle", true, true},
                    Variant{"Span", true, false, 10}, Variant{"SpanCayley", false, false, 3},
                    Variant{"SpanSingle", true, true, 10}),
    [](const auto& instance) { return instance.param.name; });

// 2000 rows know a mean difference of 6 deviations to sqrt(2 * 50 / 2000) / 6 = 2 degrees.
TEST_P(DirectionSearchTest, RecoversAPlantedShiftInFiftyDimensions) {
  const Vector shift = 6 * random_frame(50, 1, 1).columns();
  const auto groups = shifted_groups({2000, 2000}, shift, 1);
  const SearchResult found = search(groups, {0.5, 0.5}, random_frame(50, 1, 2), options());
  EXPECT_LT(degrees_outside(found.frame, shift), 4);
  // A quarter of the squared shift.
  EXPECT_NEAR(found.value, 9, 0.5);
}

// A shift adds |theta^T shift|^2 / 4K to the value, which turns within the span do not change: with
// more directions than shifts the span is found, not the axis.
TEST_P(DirectionSearchTest, SpanOfSeveralDirectionsHoldsAPlantedShift) {
  const Vector shift = 6 * random_frame(50, 1, 3).columns();
  const auto two = shifted_groups({2000, 2000}, shift, 2);
  EXPECT_LT(
      degrees_outside(search(two, {0.5, 0.5}, random_frame(50, 4, 4), options()).frame, shift), 4);
  const auto three = shifted_groups({1500, 700, 900}, shift, 3);
  EXPECT_LT(degrees_outside(search(three, {0.2, 0.3, 0.5}, random_frame(50, 2, 5), options()).frame,
                            shift),
            4);
}

// Groups of equal mean: only the shape of the projections tells them apart.
TEST_P(DirectionSearchTest, RecoversADirectionOfDifferentSpread) {
  const Vector axis = random_frame(20, 1, 5).columns();
  auto groups = shifted_groups({3000, 3000}, Vector::Zero(20), 3);
  const Vector along = groups[1] * axis;
  groups[1] += 3 * along * axis.transpose();
  const SearchResult found = search(groups, {0.5, 0.5}, random_frame(20, 1, 6), options());
  EXPECT_LT(degrees_between(found.frame.columns().col(0), axis), 4);
}

TEST_P(DirectionSearchTest, ZeroStepsKeepTheDirectionsButOrderThem) {
  const auto groups = gaussian_groups(3, 200, 8, 4);
  const Frame start = random_frame(8, 3, 7);
  SearchOptions none = options();
  none.ascent.max_steps = 0;
  const SearchResult found = search(groups, even_weights(3), start, none);
  EXPECT_EQ(found.value, found.start_value);
  for (Index k = 0; k < 3; ++k) {
    Index matches = 0;
    for (Index l = 0; l < 3; ++l) {
      if (found.frame.columns().col(l) == start.columns().col(k)) ++matches;
    }
    EXPECT_EQ(matches, 1);
  }
}

TEST_P(DirectionSearchTest, SpreadsComeInUnitsOfTheDataSquared) {
  const auto groups = gaussian_groups(2, 200, 8, 5);
  const Frame start = random_frame(8, 2, 8);
  const SearchResult plain = search(groups, {0.5, 0.5}, start, options());
  const SearchResult scaled = search(groups, {0.5, 0.5}, start, options(), {}, 1000);
  EXPECT_EQ(scaled.frame.columns(), plain.frame.columns());
  EXPECT_NEAR(scaled.value, 1e6 * plain.value, 1e-6 * scaled.value);
  EXPECT_NEAR(scaled.start_value, 1e6 * plain.start_value, 1e-6 * scaled.value);
  EXPECT_NEAR(scaled.spreads[1], 1e6 * plain.spreads[1], 1e-6 * scaled.value);
}

TEST_P(DirectionSearchTest, AllDirectionsOfTheSpaceCanBeAskedFor) {
  const auto groups = gaussian_groups(2, 300, 5, 6);
  const SearchResult found = search(groups, {0.5, 0.5}, random_frame(5, 5, 9), options());
  EXPECT_GT(found.value, found.start_value);
}

TEST_P(DirectionSearchTest, ThreeThreadsGiveTheBitsOfOne) {
  const auto sample = sample_of<float>(gaussian_groups(3, 600, 30, 7));
  const Frame start = random_frame(30, 4, 10);
  const auto on = [&](int threads) {
    const Workers workers(threads);
    return find_directions(sample, even_weights(3), start, options(), workers);
  };
  const SearchResult one = on(1);
  for (const int threads : {2, 3}) {
    const SearchResult other = on(threads);
    EXPECT_EQ(other.frame.columns(), one.frame.columns());
    EXPECT_EQ(other.value, one.value);
    EXPECT_EQ(other.spreads, one.spreads);
  }
}

// Hostile samples: whatever comes, the result is finite, orthonormal and ordered.

TEST_P(DirectionSearchTest, OneRowPerGroupGivesTheLineThroughThem) {
  Matrix a(1, 4), b(1, 4);
  a << 1, 2, 3, 4;
  b << 4, 3, 2, 7;
  const SearchResult found = search({a, b}, {0.5, 0.5}, random_frame(4, 2, 11), options());
  const Vector line = (b - a).transpose();
  EXPECT_NEAR(2 * found.value, line.squaredNorm() / 4, 1e-3 * line.squaredNorm());
}

TEST_P(DirectionSearchTest, IdenticalGroupsHaveNothingToFind) {
  const Matrix rows = gaussian_groups(1, 100, 6, 8)[0];
  for (const std::size_t groups : {2, 3, 7}) {
    const SearchResult found = search(std::vector<Matrix>(groups, rows), even_weights(groups),
                                      random_frame(6, 2, 12), options());
    EXPECT_LT(found.value, 1e-12);
    // Weights like 1/3 round, which looks like a difference; chasing it must not take long.
    EXPECT_LE(found.evaluations, GetParam().inner_steps > 0 ? 150 : 60);
  }
}

TEST_P(DirectionSearchTest, ConstantColumnsAndRepeatedRowsAreFine) {
  auto groups = gaussian_groups(2, 60, 6, 9);
  for (Matrix& rows : groups) {
    rows.col(2).setZero();
    rows.col(5).setConstant(-1);
    for (Index i = 5; i < rows.rows(); ++i) rows.row(i) = rows.row(i % 5);
  }
  search(groups, {0.5, 0.5}, random_frame(6, 3, 13), options());
  search(groups, {0.5, 0.5}, random_frame(6, 6, 13), options());
}

TEST_P(DirectionSearchTest, AllRowsEqualIsFine) {
  const SearchResult found = search({Matrix::Constant(10, 3, 0.1), Matrix::Constant(7, 3, 0.1)},
                                    {0.5, 0.5}, random_frame(3, 2, 14), options());
  EXPECT_LT(found.value, 1e-12);
}

TEST_P(DirectionSearchTest, OneRowAgainstAThousandIsFine) {
  const auto many = gaussian_groups(1, 1000, 6, 10)[0];
  const Matrix one = Matrix::Constant(1, 6, 3);
  search({one, many}, {0.5, 0.5}, random_frame(6, 2, 15), options());
  search({many, one}, {0.01, 0.99}, random_frame(6, 2, 15), options());
}

TEST_P(DirectionSearchTest, MassesOnFewRowsAreFine) {
  const auto groups = gaussian_groups(2, 40, 5, 11);
  std::vector<std::vector<double>> masses(2, std::vector<double>(40, 0.0));
  masses[0][3] = 1;
  masses[1][0] = 1e-3;
  masses[1][39] = 1e-9;
  search(groups, {0.5, 0.5}, random_frame(5, 2, 16), options(), masses);
}

TEST_P(DirectionSearchTest, OneDimensionHasOneDirection) {
  const auto groups = gaussian_groups(2, 50, 1, 12);
  const SearchResult found = search(groups, {0.5, 0.5}, Frame(Matrix::Identity(1, 1)), options());
  EXPECT_NEAR(found.value, found.start_value, 1e-6 * found.value);
  EXPECT_LE(found.evaluations, 3);
}

// The paper's search takes Cayley steps. Polar steps are meant to climb as high in as many passes.
// Both find local maxima, not always the same one.
TEST(DirectionSearch, PolarStepsClimbAsHighAsCayleySteps) {
  for (const std::size_t num_groups : {2, 4}) {
    double cayley_sum = 0, polar_sum = 0;
    Index cayley_passes = 0, polar_passes = 0;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const auto sample = sample_of<float>(gaussian_groups(num_groups, 500, 20, 100 + seed));
      const Frame start = random_frame(20, 4, 100 + seed);
      const SearchOptions cayley{.ascent = {.max_steps = 60}, .inner_steps = 0};
      const SearchOptions polar{.ascent = {.max_steps = 60, .polar = true}, .inner_steps = 0};
      const auto a = find_directions(sample, even_weights(num_groups), start, cayley, kWorkers);
      const auto b = find_directions(sample, even_weights(num_groups), start, polar, kWorkers);
      cayley_sum += a.value;
      polar_sum += b.value;
      cayley_passes += a.passes;
      polar_passes += b.passes;
      EXPECT_GT(b.value, 0.95 * a.value) << num_groups << " groups, seed " << seed;
    }
    EXPECT_GT(polar_sum, 0.995 * cayley_sum);
    EXPECT_LE(polar_passes, cayley_passes);
  }
}

// The paper's search needs 200 steps of two passes; using up every gradient before the next takes a
// few.
TEST(DirectionSearch, StepsInTheSpanNeedATenthOfThePasses) {
  for (const Index dim : {50, 200}) {
    const auto sample = sample_of<float>(gaussian_groups(2, 1500, dim, 200));
    const Frame start = random_frame(dim, 5, 200);
    const SearchOptions cayley{.ascent = {.max_steps = 200}, .inner_steps = 0};
    const SearchOptions span{.ascent = {.max_steps = 12, .polar = true}};
    const auto a = find_directions(sample, even_weights(2), start, cayley, kWorkers);
    const auto b = find_directions(sample, even_weights(2), start, span, kWorkers);
    // Both end in local maxima, not always the same one.
    EXPECT_GT(b.value, 0.995 * a.value) << dim;
    EXPECT_LE(b.passes, 25);
  }
}

}  // namespace direction_search_test
}  // namespace conflux
