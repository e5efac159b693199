#include "fitting/row_choice.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "conflux/toys/toy.h"
#include "tests/support/thread_communicator.h"

namespace conflux {
namespace row_choice_test {

FitOptions options_with(Split split, Index search_rows) {
  FitOptions options;
  options.split = split;
  options.search_rows = search_rows;
  return options;
}

class RowChoiceTest : public testing::Test {
 protected:
  LayerRows choose(Index layer, const FitOptions& options) {
    return choose_rows(usable_, place_rows(usable_, comm_), layer, options);
  }

  GroupSet groups_ = [] {
    GroupSet out = make_gaussian_groups(1, 2, 200, 1);
    const GroupSet few = make_gaussian_groups(1, 2, 31, 2);
    out.add("few", few[0].rows.to_matrix());
    return out;
  }();
  RowChoice usable_ = all_rows(groups_);
  SelfCommunicator comm_;
};

TEST_F(RowChoiceTest, WithoutASplitMapsSeeEveryRow) {
  const LayerRows rows = choose(3, options_with(Split::kNone, 50));
  EXPECT_EQ(rows.maps(), usable_);
  EXPECT_EQ(rows.search[0].size(), 50u);
  EXPECT_EQ(rows.search[1], usable_[1]);  // fewer than asked for
  EXPECT_TRUE(std::is_sorted(rows.search[0].begin(), rows.search[0].end()));
}

TEST_F(RowChoiceTest, HalvesShareNoRowAndLoseNone) {
  for (const Split split : {Split::kRandomHalf, Split::kFixedHalf}) {
    const LayerRows rows = choose(0, options_with(split, 1000));
    for (std::size_t m = 0; m < usable_.size(); ++m) {
      std::vector<Index> both(rows.search[m].begin(), rows.search[m].end());
      both.insert(both.end(), rows.maps()[m].begin(), rows.maps()[m].end());
      std::sort(both.begin(), both.end());
      EXPECT_EQ(both, usable_[m]);
    }
  }
}

TEST_F(RowChoiceTest, RandomRowsChangeFromLayerToLayerAndFixedOnesDoNot) {
  const FitOptions random = options_with(Split::kRandomHalf, 1000);
  const FitOptions fixed = options_with(Split::kFixedHalf, 1000);
  EXPECT_EQ(choose(1, random).search, choose(1, random).search);
  EXPECT_NE(choose(1, random).search, choose(2, random).search);
  EXPECT_EQ(choose(1, fixed).search, choose(2, fixed).search);
}

TEST_F(RowChoiceTest, RowsWithoutMassAreNotUsable) {
  GroupSet weighted;
  weighted.add("a", Matrix(Matrix::Ones(4, 1)), {1, 0, 2, 0});
  EXPECT_EQ(all_rows(weighted), (RowChoice{{0, 2}}));
}

TEST_F(RowChoiceTest, AGroupOfOneRowCannotBeCut) {
  const RowPlaces places{.sizes = {3, 1}, .before = {0, 0}, .most = 4};
  EXPECT_THROW(check_split({"a", "b"}, places, Split::kRandomHalf), InvalidOption);
  EXPECT_NO_THROW(check_split({"a", "b"}, places, Split::kNone));
}

// Each process draws its part of what one process with all rows draws.
TEST_F(RowChoiceTest, DrawsDoNotDependOnWhereRowsLie) {
  for (const Split split : {Split::kNone, Split::kRandomHalf, Split::kFixedHalf}) {
    const FitOptions options = options_with(split, 40);
    const LayerRows all = choose(2, options);
    run_ranks(2, [&](Communicator& comm) {
      const Index first[2] = {comm.rank() == 0 ? 0 : 130, comm.rank() == 0 ? 0 : 31};
      RowChoice own{RowList::all(comm.rank() == 0 ? 130 : 70),
                    RowList::all(comm.rank() == 0 ? 31 : 0)};
      const LayerRows mine = choose_rows(own, place_rows(own, comm), 2, options);
      for (Index m = 0; m < 2; ++m) {
        for (const Index i : mine.search[m]) {
          EXPECT_TRUE(std::ranges::count(all.search[m], i + first[m]) == 1);
        }
        for (const Index i : mine.maps()[m]) {
          EXPECT_TRUE(std::ranges::count(all.maps()[m], i + first[m]) == 1);
        }
      }
      EXPECT_EQ(count_rows(mine.search, comm), count_rows(all.search, comm_));
      EXPECT_EQ(count_rows(mine.maps(), comm), count_rows(all.maps(), comm_));
    });
  }
}

TEST_F(RowChoiceTest, ProjectsTheChosenRows) {
  const Matrix columns = Matrix::Random(2, 2);
  const Matrix projected = project_rows(groups_[0], {7, 3}, columns, Workers(1));
  const Matrix rows = groups_[0].rows.to_matrix();
  EXPECT_LT((projected.row(0) - rows.row(7) * columns).norm(), 1e-14);
  EXPECT_LT((projected.row(1) - rows.row(3) * columns).norm(), 1e-14);
}

}  // namespace row_choice_test
}  // namespace conflux
