#include "core/row_list.h"

#include <gtest/gtest.h>

namespace conflux {
namespace row_list_test {

using Rows = std::vector<Index>;

Rows walked(const RowList& list) { return {list.begin(), list.end()}; }

TEST(RowList, AllButAFewAreWalkedAndFoundAlike) {
  const RowList rows = RowList::all(9, {0, 3, 4, 8});
  EXPECT_EQ(walked(rows), (Rows{1, 2, 5, 6, 7}));
  ASSERT_EQ(rows.size(), 5u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i], walked(rows)[i]);
    EXPECT_EQ(*rows.from(static_cast<Index>(i)), rows[i]);
  }
  EXPECT_FALSE(rows.whole());
  EXPECT_TRUE(RowList::all(4).whole());
  EXPECT_TRUE(RowList::all(2, {0, 1}).empty());
}

TEST(RowList, WithoutLeavesTheRest) {
  EXPECT_EQ(RowList({1, 3, 5, 7}).without({3, 7}), RowList({1, 5}));
  EXPECT_EQ(RowList({1, 3}).without({}), RowList({1, 3}));
  EXPECT_EQ(walked(RowList::all(6, {2}).without({0, 5})), (Rows{1, 3, 4}));
}

TEST(RowList, TakesMore) {
  RowList rows = RowList::all(3, {1});
  rows.push_back(7);
  EXPECT_EQ(walked(rows), (Rows{0, 2, 7}));
  EXPECT_EQ(rows, RowList({0, 2, 7}));
}

}  // namespace row_list_test
}  // namespace conflux
