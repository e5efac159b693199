#include "fitting/line_maps.h"

#include <gtest/gtest.h>

#include <cmath>

#include "conflux/toys/toy.h"
#include "core/rng.h"
#include "options/option_table.h"

namespace conflux {
namespace line_maps_test {

class LineMapsTest : public testing::TestWithParam<Estimator> {
 protected:
  FitOptions options_for(const GroupSet& groups, GroupWeights weights = {}) const {
    FitOptions options{.estimator = GetParam()};
    options.weights = std::move(weights);
    std::vector<Index> sizes;
    for (const auto& rows : all_rows(groups)) sizes.push_back(static_cast<Index>(rows.size()));
    return resolve(options, {groups.dim(), groups.names(), sizes});
  }

  LineMaps fit(const GroupSet& groups, const Frame* frame = nullptr, double strength = 1) {
    return fit_line_maps(groups, all_rows(groups), frame, strength, options_for(groups), comm_,
                         Workers(2));
  }

  static std::vector<double> images(const MonotoneMap& map) {
    std::vector<double> out;
    for (int i = -20; i <= 20; ++i) out.push_back(0.3 * i);
    forward(map, std::span<double>(out), nullptr);
    return out;
  }

  SelfCommunicator comm_;
};

TEST_P(LineMapsTest, GroupsThatAreCopiesGetEqualMaps) {
  const GroupSet one = make_gaussian_groups(1, 3, 120, 1);
  GroupSet copies;
  copies.add("a", one[0].rows);
  copies.add("b", one[0].rows);
  const LineMaps lines = fit(copies);
  for (Index j = 0; j < 3; ++j) EXPECT_EQ(images(lines.maps[0][j]), images(lines.maps[1][j]));
}

TEST_P(LineMapsTest, CoordinatesAreTheLinesOfTheIdentity) {
  const GroupSet groups = make_gaussian_groups(3, 4, 100, 2);
  const Frame identity{Matrix(Matrix::Identity(4, 4))};
  const LineMaps direct = fit(groups), along = fit(groups, &identity);
  for (Index m = 0; m < 3; ++m) {
    for (Index j = 0; j < 4; ++j) {
      EXPECT_EQ(images(direct.maps[m][j]), images(along.maps[m][j]));
    }
  }
}

TEST_P(LineMapsTest, ValuesThatAreReadGiveTheMapsOfTheRows) {
  const GroupSet groups = make_gaussian_groups(2, 3, 90, 3);
  const RowChoice chosen = all_rows(groups);
  const ReadLine<double> read = [&](Index m, Index line, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = groups[m].rows(chosen[m][i], line);
  };
  const LineMaps lines =
      fit_line_maps(3, read, groups, chosen, 0.5, options_for(groups), comm_, Workers(2));
  const LineMaps direct = fit(groups, nullptr, 0.5);
  for (Index m = 0; m < 2; ++m) {
    for (Index j = 0; j < 3; ++j) EXPECT_EQ(images(lines.maps[m][j]), images(direct.maps[m][j]));
  }
}

TEST_P(LineMapsTest, GroupsMeetAtFullStrength) {
  const GroupSet groups = make_gaussian_groups(2, 1, 400, 4);
  const LineMaps lines = fit(groups);
  double means[2] = {0, 0};
  for (Index m = 0; m < 2; ++m) {
    std::vector<double> values;
    for (Index i = 0; i < 400; ++i) values.push_back(groups[m].rows(i, 0));
    forward(lines.maps[m][0], std::span<double>(values), nullptr);
    for (const double value : values) means[m] += value / 400;
  }
  EXPECT_NEAR(means[0], means[1], 0.02);
}

// Rows that equal those of an old group get the maps of that group.
TEST_P(LineMapsTest, ANewGroupThatIsACopyGetsTheMapsOfItsTwin) {
  const GroupSet groups = make_gaussian_groups(2, 3, 150, 5);
  LineMaps lines = fit(groups);
  GroupSet twin;
  twin.add("twin", groups[1].rows);
  ASSERT_TRUE(
      add_line_maps(lines, twin, all_rows(twin), nullptr, 1, options_for(groups), Workers(1)));
  ASSERT_EQ(lines.maps.size(), 3u);
  for (Index j = 0; j < 3; ++j) {
    const std::vector<double> a = images(lines.maps[1][j]), b = images(lines.maps[2][j]);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, LineMapsTest,
                         testing::Values(Estimator::kQuantile, Estimator::kHistogram,
                                         Estimator::kSpline),
                         [](const auto& each) { return std::string(name_of(each.param)); });

TEST(LineMaps, WithoutBarycentersTakeNoNewGroup) {
  LineMaps lines;
  lines.maps = {{PiecewiseLinearMap({0}, {1})}};
  GroupSet group;
  group.add("new", Matrix(Matrix::Ones(5, 1)));
  EXPECT_FALSE(add_line_maps(lines, group, all_rows(group), nullptr, 1, {}, Workers(1)));
}

}  // namespace line_maps_test
}  // namespace conflux
