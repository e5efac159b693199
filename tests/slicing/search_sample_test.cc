#include "slicing/search_sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/slicing/samples.h"
#include "tests/support/thread_communicator.h"

namespace conflux {
namespace search_sample_test {

using testing::ElementsAre;
using testing::IsEmpty;

using Chosen = std::vector<RowList>;

GroupSet group_set(const std::vector<Matrix>& groups,
                   const std::vector<std::vector<double>>& masses = {}) {
  GroupSet set;
  for (std::size_t m = 0; m < groups.size(); ++m) {
    set.add("group " + std::to_string(m), Matrix(groups[m]),
            masses.empty() ? std::vector<double>() : std::vector<double>(masses[m]));
  }
  return set;
}

template <class Scalar>
SearchSample<Scalar> gather_alone(const GroupSet& groups, const std::vector<double>& weights) {
  SelfCommunicator comm;
  return gather_search_sample<Scalar>(groups, every_row(groups), weights, comm, Workers(2));
}

// A row and its mass, in one line that sorts.
std::vector<std::vector<double>> lines_of(const SearchSample<double>& sample, Index m) {
  std::vector<std::vector<double>> lines;
  for (Index i = 0; i < sample.rows[m].rows(); ++i) {
    const auto row = sample.rows[m].row(i);
    lines.emplace_back(row.begin(), row.end());
    if (!sample.masses[m].empty()) lines.back().push_back(sample.masses[m][i]);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST(SearchSample, HasMeanZeroAndVarianceOneOverAllGroups) {
  const std::vector<double> weights{0.2, 0.5, 0.3};
  const GroupSet groups = group_set(normal_groups({40, 90, 7}, 6, 1));
  const auto sample = gather_alone<double>(groups, weights);
  EXPECT_EQ(sample.num_groups(), 3);
  EXPECT_EQ(sample.dim(), 6);
  EXPECT_EQ(sample.num_samples(), 137);
  Vector mean = Vector::Zero(6);
  double variance = 0;
  for (Index m = 0; m < 3; ++m) {
    mean += weights[m] * sample.rows[m].colwise().mean().transpose();
    variance += weights[m] * sample.rows[m].rowwise().squaredNorm().mean() / 6;
  }
  EXPECT_LT(mean.cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_NEAR(variance, 1, 1e-14);
}

// One unit of the sample is `scale` units of the data, and all groups moved together.
TEST(SearchSample, KeepsDifferencesOfRowsUpToTheScale) {
  const auto rows = normal_groups({20, 30}, 3, 2);
  const auto sample = gather_alone<double>(group_set(rows), {0.5, 0.5});
  const Matrix before = rows[0].rowwise() - rows[1].row(4);
  const Matrix after = sample.scale * (sample.rows[0].rowwise() - sample.rows[1].row(4));
  EXPECT_LT((after - before).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(SearchSample, HoldsTheChosenRowsInTheirOrder) {
  Matrix a(4, 1), b(3, 1);
  a << 10, 11, 12, 13;
  b << 20, 21, 22;
  const GroupSet groups = group_set({a, b}, {{1, 2, 3, 4}, {5, 6, 7}});
  SelfCommunicator comm;
  const Chosen chosen{{3, 0}, {1}};
  const auto sample =
      gather_search_sample<double>(groups, chosen, std::vector<double>{0.5, 0.5}, comm, Workers(2));
  ASSERT_EQ(sample.rows[0].rows(), 2);
  ASSERT_EQ(sample.rows[1].rows(), 1);
  EXPECT_NEAR(sample.scale * (sample.rows[0](0, 0) - sample.rows[0](1, 0)), 3, 1e-14);
  EXPECT_NEAR(sample.scale * (sample.rows[1](0, 0) - sample.rows[0](1, 0)), 11, 1e-13);
  EXPECT_THAT(sample.masses[0], ElementsAre(4, 1));
  EXPECT_THAT(sample.masses[1], ElementsAre(6));
}

TEST(SearchSample, GroupsWithoutMassesHaveNone) {
  const auto sample = gather_alone<float>(group_set(normal_groups({5, 6}, 2, 3)), {0.5, 0.5});
  EXPECT_THAT(sample.masses, ElementsAre(IsEmpty(), IsEmpty()));
}

// Single precision has 7 digits; an offset of 1e6 would leave one of them.
TEST(SearchSample, SinglePrecisionKeepsItsDigitsFarFromTheOrigin) {
  auto rows = normal_groups({50, 60}, 4, 4);
  for (Matrix& group : rows) group.array() += 1e6;
  const auto wide = gather_alone<double>(group_set(rows), {0.5, 0.5});
  const auto narrow = gather_alone<float>(group_set(rows), {0.5, 0.5});
  EXPECT_EQ(narrow.scale, wide.scale);
  for (Index m = 0; m < 2; ++m) {
    EXPECT_LT((narrow.rows[m].cast<double>() - wide.rows[m]).cwiseAbs().maxCoeff(), 1e-6);
  }
}

// 0.1 is no binary fraction: the mean of equal rows need not be one of them.
TEST(SearchSample, OfEqualRowsIsFiniteAndHasNoSpread) {
  for (const double value : {0.0, 0.1, 1e100}) {
    const auto sample = gather_alone<float>(
        group_set({Matrix::Constant(7, 3, value), Matrix::Constant(5, 3, value)}), {0.3, 0.7});
    EXPECT_GT(sample.scale, 0);
    for (const auto& rows : sample.rows) {
      EXPECT_TRUE(rows.allFinite());
      EXPECT_EQ(rows, MatrixOf<float>::Constant(rows.rows(), 3, sample.rows[0](0, 0)));
    }
  }
}

TEST(SearchSample, ExtremeUnitsDoNotOverflow) {
  for (const double unit : {1e-120, 1e120}) {
    auto rows = normal_groups({50, 60}, 4, 5);
    const auto plain = gather_alone<float>(group_set(rows), {0.5, 0.5});
    for (Matrix& group : rows) group *= unit;
    const auto scaled = gather_alone<float>(group_set(rows), {0.5, 0.5});
    EXPECT_NEAR(scaled.scale / unit, plain.scale, 1e-13 * plain.scale);
    EXPECT_LT((scaled.rows[1] - plain.rows[1]).cwiseAbs().maxCoeff(), 1e-6);
  }
}

// Processes hold any rows of any group, some none of one: together they see what one process sees.
class DistributedSampleTest : public testing::TestWithParam<Index> {};
INSTANTIATE_TEST_SUITE_P(Ranks, DistributedSampleTest, testing::Values(1, 2, 3));

TEST_P(DistributedSampleTest, IsTheSampleOfOneProcess) {
  const Index ranks = GetParam();
  const auto rows = normal_groups({31, 2, 50}, 5, 6);
  const std::vector<double> weights{0.5, 0.2, 0.3};
  std::vector<std::vector<double>> masses(3);
  Stream stream(21, Purpose::kTest);
  for (Index i = 0; i < 31; ++i) masses[0].push_back(stream.uniform());
  for (Index i = 0; i < 2; ++i) masses[1].push_back(stream.uniform());
  for (Index i = 0; i < 50; ++i) masses[2].push_back(stream.uniform());
  const auto whole = gather_alone<double>(group_set(rows, masses), weights);

  std::vector<SearchSample<double>> seen(static_cast<std::size_t>(ranks));
  std::vector<SearchSample<float>> seen_in_float(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&](Communicator& comm) {
    // Dealt like cards; the third rank gets nothing of the group of two.
    GroupSet mine;
    for (std::size_t m = 0; m < 3; ++m) {
      std::vector<Index> permuted;
      for (Index i = comm.rank(); i < rows[m].rows(); i += ranks) permuted.push_back(i);
      std::vector<double> permuted_masses;
      for (const Index i : permuted) permuted_masses.push_back(masses[m][i]);
      mine.add("group " + std::to_string(m), Matrix(rows[m](permuted, Eigen::all)),
               std::move(permuted_masses));
    }
    seen[comm.rank()] =
        gather_search_sample<double>(mine, every_row(mine), weights, comm, Workers(2));
    seen_in_float[comm.rank()] =
        gather_search_sample<float>(mine, every_row(mine), weights, comm, Workers(2));
  });

  for (Index r = 0; r < ranks; ++r) {
    // Sums over ranks run in another order than sums over rows.
    EXPECT_NEAR(seen[r].scale, whole.scale, 1e-14 * whole.scale);
    for (Index m = 0; m < 3; ++m) {
      const auto found = lines_of(seen[r], m);
      const auto expected = lines_of(whole, m);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(found[i].size(), 6u);
        for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(found[i][j], expected[i][j], 1e-13);
      }
      EXPECT_EQ(seen[r].rows[m], seen[0].rows[m]);
      EXPECT_EQ(seen[r].masses[m], seen[0].masses[m]);
      EXPECT_EQ(seen_in_float[r].rows[m], seen_in_float[0].rows[m]);
      // The way through doubles rounds nothing.
      EXPECT_EQ(seen_in_float[r].rows[m], seen[r].rows[m].cast<float>());
    }
  }
}

}  // namespace search_sample_test
}  // namespace conflux
