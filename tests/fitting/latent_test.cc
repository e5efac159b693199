#include "fitting/latent.h"

#include <gtest/gtest.h>

#include "conflux/toys/toy.h"
#include "core/rng.h"
#include "tests/support/random_layers.h"

namespace conflux {
namespace latent_test {

constexpr Index kDim = 7;
constexpr Index kDirections = 3;

SlicedLayer some_layer() {
  Stream stream(5, Purpose::kTest);
  return random_sliced_layer(MapKind::kQuantile, Bumps::kOneWideBump, 2, kDim, kDirections, stream);
}

GroupSet singles() {
  const GroupSet doubles = make_gaussian_groups(2, kDim, 150, 1);
  GroupSet out;
  for (Index m = 0; m < 2; ++m) {
    out.add(doubles[m].name, SingleMatrix(doubles[m].rows.to_matrix().cast<float>()));
  }
  return out;
}

TEST(Latent, MovesACopyOfBorrowedRows) {
  const GroupSet owner = make_gaussian_groups(2, kDim, 150, 1);
  const Matrix before = owner[0].rows.to_matrix();
  GroupSet borrowed;
  for (Index m = 0; m < 2; ++m) borrowed.add(owner[m].name, owner[m].rows);
  Latent latent(borrowed);
  latent.move(some_layer(), Workers(2));
  EXPECT_EQ(owner[0].rows.to_matrix(), before);
  EXPECT_NE(latent.groups()[0].rows.to_matrix(), before);
}

// The fit moves rows along projections that it has already; whoever applies the model does not.
TEST(Latent, MovesDoublesAlongProjectionsToTheBitsOfTheLayer) {
  const SlicedLayer layer = some_layer();
  Latent quick(make_gaussian_groups(2, kDim, 150, 1)), plain(make_gaussian_groups(2, kDim, 150, 1));
  Work work;
  Projections projections = quick.project(layer.frame(), Workers(2), work);
  quick.move_along(layer, projections, Workers(2), work);
  plain.move(layer, Workers(1));
  for (Index m = 0; m < 2; ++m) {
    EXPECT_EQ(quick.groups()[m].rows.to_matrix(), plain.groups()[m].rows.to_matrix());
  }
}

TEST(Latent, ProjectionsMoveWithTheRows) {
  const SlicedLayer layer = some_layer();
  for (GroupSet groups : {make_gaussian_groups(2, kDim, 150, 1), singles()}) {
    const double tolerance = groups[0].rows.single() ? 1e-4 : 1e-12;
    Latent latent(std::move(groups));
    Work work;
    Projections moved = latent.project(layer.frame(), Workers(1), work);
    EXPECT_EQ(moved.num_lines(), kDirections);
    latent.move_along(layer, moved, Workers(1), work);
    const Projections again = latent.project(layer.frame(), Workers(1), work);
    const std::vector<Index> chosen{3, 140, 9};
    for (Index line = 0; line < kDirections; ++line) {
      std::vector<double> a(3), b(3);
      moved.copy(1, line, chosen, std::span(a));
      again.copy(1, line, chosen, std::span(b));
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a[i], b[i], tolerance * (1 + std::abs(b[i])));
    }
  }
}

// One code moves rows in memory and on disk; labels and masses stay those of the caller. There are
// more layers than wait for each other on disk, so that some rows are written.
TEST(Latent, HasTheSameBitsOnDisk) {
  const SlicedLayer layer = some_layer();
  const RowChoice chosen{{149, 3}, {0, 7}};
  for (GroupSet groups : {make_gaussian_groups(2, kDim, 150, 1), singles()}) {
    groups.set_labels({"x", "y"}, {std::vector<Index>(150, 0), std::vector<Index>(150, 1)});
    DiskScratch scratch("/var/tmp", 1e6);
    Latent there(groups, &scratch), here(groups);
    std::vector<double> seen[2];
    for (Latent* latent : {&there, &here}) {
      std::vector<double>& own = seen[latent == &here ? 1 : 0];
      for (Index round = 0; round < Latent::kMostWaiting + 4; ++round) {
        Work work;
        Projections projections = latent->project(layer.frame(), Workers(2), work);
        latent->move_along(layer, projections, Workers(2), work);
        const Latent::Some some = latent->some(chosen);
        own.push_back(some.groups[1].rows(some.rows[1][1], 2));
        own.resize(own.size() + 2);
        projections.copy(0, 1, chosen[0], std::span(own).last(2));
      }
      latent->move(layer, Workers(2));
    }
    EXPECT_EQ(seen[0], seen[1]);
    EXPECT_EQ(there.groups()[0].rows.single(), groups[0].rows.single());
    for (Index m = 0; m < 2; ++m) {
      EXPECT_EQ(there.groups()[m].rows.to_matrix(), here.groups()[m].rows.to_matrix());
      EXPECT_EQ(there.groups()[m].label(7), m);
    }
  }
}

TEST(Latent, CountsItsProducts) {
  Latent latent(make_gaussian_groups(2, kDim, 150, 1));
  Work work;
  latent.project(some_layer().frame(), Workers(1), work);
  EXPECT_EQ(work.flops, 2.0 * 300 * kDim * kDirections);
  EXPECT_EQ(work.bytes, 300.0 * kDim * sizeof(double));
}

TEST(Latent, KeepsSinglePrecision) {
  Latent latent(singles());
  latent.move(some_layer(), Workers(1));
  EXPECT_TRUE(latent.groups()[0].rows.single());
}

}  // namespace latent_test
}  // namespace conflux
