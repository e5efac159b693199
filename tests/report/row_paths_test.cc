#include "report/row_paths.h"

#include <gtest/gtest.h>

#include <random>

#include "conflux/training/fit.h"

namespace row_paths_test {

using namespace conflux;

Matrix cloud(Index rows, Index dim, double shift, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Matrix out(rows, dim);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < dim; ++j) out(i, j) = normal(random) * static_cast<double>(j + 1);
    out(i, 0) += shift;
  }
  return out;
}

struct Example {
  GroupSet groups;
  Fit fit;
  std::vector<Flow> so_far;
};

Example example(Index dim) {
  Example out;
  out.groups.add("a", cloud(300, dim, 0, 1));
  out.groups.add("b", cloud(200, dim, 4, 2));
  FitOptions options;
  options.method = Method::kInb;
  options.layers = 12;
  SelfCommunicator comm;
  FitControl control;
  control.on_progress = [&](const Fit& fit) { out.so_far.push_back(fit.flow); };
  out.fit = fit_flow(out.groups, options, comm, {}, control);
  return out;
}

// Paths that are followed layer by layer end where the whole flow takes the rows.
TEST(RowPaths, FollowsAFitToWhereTheFlowLeads) {
  const Example made = example(2);
  RowPaths paths(made.groups, 100, 0, 1);
  ASSERT_EQ(paths.rows().rows.rows(), 100);
  Matrix places;
  for (const Flow& flow : made.so_far) places = paths.follow(flow);
  const Flow& last = made.so_far.back();
  for (Index i = 0; i < places.rows(); ++i) {
    const Matrix alone = paths.rows().rows.row(i);
    const Matrix there = last.forward(paths.rows().group_of[i], SampleRows(alone), Workers(1));
    EXPECT_NEAR((places.row(i) - there.row(0)).norm(), 0, 1e-9);
  }
  // A fit that begins anew takes its rows back to the start.
  const Matrix again = paths.follow(made.so_far.front());
  RowPaths fresh(made.groups, 100, 0, 1);
  EXPECT_EQ(again, fresh.follow(made.so_far.front()));
}

TEST(RowPaths, KeyFramesGoFromTheStartToTheEndInSteadySteps) {
  const Example made = example(5);
  const RowPaths paths(made.groups, 200, 0, 1);
  const PathFrames all = paths.key_frames(made.fit.flow, 1000);
  const PathFrames some = paths.key_frames(made.fit.flow, 5);
  ASSERT_EQ(static_cast<Index>(all.layers.size()), made.fit.flow.num_layers() + 1);
  ASSERT_GE(some.layers.size(), 2u);
  ASSERT_LE(some.layers.size(), 5u);
  EXPECT_EQ(some.layers.front(), 0);
  EXPECT_EQ(some.layers.back(), made.fit.flow.num_layers());
  EXPECT_TRUE(std::is_sorted(some.layers.begin(), some.layers.end()));
  for (std::size_t k = 0; k < some.layers.size(); ++k) {
    EXPECT_EQ(some.places[k], all.places[static_cast<std::size_t>(some.layers[k])]);
  }
  EXPECT_GT(some.share, 0.5);
  EXPECT_LE(some.share, 1 + 1e-12);
}

// Few wide rows are looked at through products of rows, which must give what products of features
// give: appending empty rows makes them many.
TEST(RowPaths, PlanesOfWideRowsAreThoseOfTheirFeatures) {
  const Matrix wide = cloud(10, 30, 5, 3);
  Matrix many = Matrix::Zero(40, 30);
  many.topRows(10) = wide;
  const Plane one = largest_directions(wide), other = largest_directions(many);
  EXPECT_NEAR((one.directions - other.directions).norm(), 0, 1e-9);
  EXPECT_NEAR(one.share, other.share, 1e-12);
  // One row spans one direction.
  const Plane line = largest_directions(wide.topRows(1));
  EXPECT_NEAR(line.directions.col(0).norm(), 1, 1e-12);
  EXPECT_EQ(line.directions.col(1).norm(), 0);
}

// The plane that is looked at during a fit shows the difference of the groups.
TEST(RowPaths, StartsOnAPlaneWhereGroupsDiffer) {
  const Example made = example(6);
  const RowPaths paths(made.groups, 400, 0, 1);
  const Matrix& places = paths.start().places.front();
  double mean[2] = {0, 0};
  for (Index i = 0; i < places.rows(); ++i) {
    const Index group = paths.rows().group_of[i];
    mean[group] += places(i, 0) / static_cast<double>(paths.rows().sizes[group]);
  }
  EXPECT_GT(std::abs(mean[0] - mean[1]), 3);
}

TEST(RowPaths, RowsElsewhereAreTranslationsAndStayThemselvesAtHome) {
  const Example made = example(3);
  const Model model{.flow = made.fit.flow, .record = made.fit.record};
  const RowPaths paths(made.groups, 50, 0, 1);
  const std::vector<Index> chosen = some_rows(paths, 10);
  ASSERT_EQ(chosen.size(), 10u);
  const RowsElsewhere found = rows_elsewhere(model, paths, chosen);
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const Matrix alone = paths.rows().rows.row(chosen[k]);
    const Index own = paths.rows().group_of[chosen[k]];
    for (const Index other : found.groups) {
      const Matrix there =
          other == own ? alone : model.flow.translate(own, other, SampleRows(alone), Workers(1));
      for (std::size_t j = 0; j < found.features.size(); ++j) {
        const double shown = std::stod(found.values[k][static_cast<std::size_t>(other)][j]);
        EXPECT_NEAR(shown, there(0, found.features[j]), 1e-4 * (1 + std::abs(shown)));
      }
    }
  }
}

}  // namespace row_paths_test
