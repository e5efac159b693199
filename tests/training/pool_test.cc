// Rows that a fit is content with when there are more.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "conflux/toys/toy.h"
#include "conflux/training/fit.h"
#include "core/rng.h"
#include "core/take_rows.h"
#include "options/automatic.h"
#include "training/pool_draw.h"

namespace conflux {
namespace pool_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Offered {
  std::vector<Index> groups;
  std::vector<Index> labels;
};

// Rows of three groups in random order; of group 1 the label 0 is rare.
Offered some_rows(Index count, std::uint64_t seed) {
  Offered out;
  Stream stream(seed, Purpose::kTest);
  for (Index i = 0; i < count; ++i) {
    out.groups.push_back(stream.below(3));
    const bool rare = out.groups.back() != 1 || stream.below(500) == 0;
    out.labels.push_back(rare ? 0 : stream.below(3) + 1);
  }
  return out;
}

// Positions of the fitted and the next rows among all, read in blocks of this size.
Pool drawn_in_blocks(const Offered& rows, Index limit, Index block, std::size_t* most_kept) {
  PoolDraw draw(RowLimit(limit), 7);
  const auto count = static_cast<Index>(rows.groups.size());
  std::vector<Index> kept;
  const auto keep = [&](const std::vector<Index>& stay) {
    std::vector<Index> left;
    for (const Index i : stay) left.push_back(kept[static_cast<std::size_t>(i)]);
    kept = std::move(left);
  };
  for (Index begin = 0; begin < count; begin += block) {
    const auto size = static_cast<std::size_t>(std::min(block, count - begin));
    for (const Index i : draw.offer(std::span(rows.groups).subspan(begin, size),
                                    std::span(rows.labels).subspan(begin, size))) {
      kept.push_back(begin + i);
    }
    if (most_kept != nullptr) *most_kept = std::max(*most_kept, kept.size());
    if (draw.should_thin()) keep(draw.thin());
  }
  keep(draw.thin());
  Pool out = draw.finish();
  for (auto* part : {&out.fitted, &out.next}) {
    for (auto& of_group : *part) {
      for (Index& i : of_group) i = kept[static_cast<std::size_t>(i)];
    }
  }
  return out;
}

// A pool that depended on how a file is cut would differ between a file and an array in memory.
RC_GTEST_PROP(PoolDraw, IsTheSameForAnyBlocks, ()) {
  const Offered rows = some_rows(*rc::gen::inRange<Index>(1, 3000), *rc::gen::inRange(0, 1000));
  const Index limit = *rc::gen::inRange<Index>(2, 1500);
  const Pool one = drawn_in_blocks(rows, limit, 1 << 20, nullptr);
  const Pool many = drawn_in_blocks(rows, limit, *rc::gen::inRange<Index>(1, 500), nullptr);
  RC_ASSERT(one.fitted == many.fitted);
  RC_ASSERT(one.next == many.next);
  RC_ASSERT(one.sizes == many.sizes);
}

TEST(PoolDraw, KeepsRareLabelsAndFewRowsBesides) {
  const Index limit = 2000;
  std::size_t most_kept = 0;
  const Offered rows = some_rows(300'000, 3);
  const Pool pool = drawn_in_blocks(rows, limit, 1000, &most_kept);
  EXPECT_EQ(pool.fitted[0].size(), static_cast<std::size_t>(limit));
  Index rare = 0, rare_in_all = 0;
  for (const Index i : pool.fitted[1]) rare += rows.labels[static_cast<std::size_t>(i)] == 0;
  for (std::size_t i = 0; i < rows.groups.size(); ++i) {
    rare_in_all += rows.groups[i] == 1 && rows.labels[i] == 0;
  }
  // By chance there would be four of them.
  ASSERT_GT(rare_in_all, 150);
  EXPECT_EQ(rare, std::min(rare_in_all, automatic::kPoolRowsOfLabel));
  EXPECT_LE(pool.fitted[1].size(), static_cast<std::size_t>(limit + rare));
  // Three groups with rows that judge, and half as many again before they are thinned.
  EXPECT_LT(most_kept, 1.5 * 3 * (2000 + 5000) + 2000);
}

// Numbers that favored early or late rows would fit the beginning of a file only.
TEST(PoolDraw, FavorsNoPlace) {
  PoolDraw draw(RowLimit(1000), 1);
  const std::vector<Index> kept = offer_all(draw, 100'000, {});
  const Pool pool = draw.finish();
  double mean = 0;
  for (const Index i : pool.fitted[0]) mean += static_cast<double>(kept[i]) / 1000;
  // One deviation of the mean of a thousand uniform numbers is 913.
  EXPECT_NEAR(mean, 50'000, 3 * 913);
}

// A label for every row must not bring all rows back.
TEST(PoolDraw, ManyLabelsDoNotFillThePool) {
  std::vector<Index> labels;
  for (Index i = 0; i < 50'000; ++i) labels.push_back(i);
  PoolDraw draw(RowLimit(1000), 1);
  offer_all(draw, 50'000, labels);
  EXPECT_EQ(draw.finish().num_fitted(), 1000);
}

TEST(DrawPool, SmallGroupsStayWholeAndNoRowIsInBoth) {
  const GroupSet groups = make_gaussian_groups(2, 3, 500, 1);
  EXPECT_TRUE(draw_pool(groups, RowLimit(500), 0).whole());
  EXPECT_TRUE(draw_pool(groups, RowLimit(), 0).whole());
  const Pool pool = draw_pool(groups, RowLimit(200), 0);
  EXPECT_THAT(pool.sizes, ElementsAre(500, 500));
  for (std::size_t m = 0; m < 2; ++m) {
    std::set<Index> all(pool.fitted[m].begin(), pool.fitted[m].end());
    EXPECT_EQ(all.size(), 200U);
    all.insert(pool.next[m].begin(), pool.next[m].end());
    EXPECT_EQ(all.size(), 500U);
    EXPECT_TRUE(std::is_sorted(pool.fitted[m].begin(), pool.fitted[m].end()));
  }
  EXPECT_EQ(pool.fitted[0], pool.fitted[1]);
}

TEST(DrawPool, RowsWithoutMassAreNotDrawn) {
  GroupSet groups;
  std::vector<double> masses(300, 0.0);
  std::fill_n(masses.begin(), 100, 2.0);
  groups.add("a", make_gaussian_groups(1, 2, 300, 1)[0].rows.to_matrix(), std::move(masses));
  const Pool pool = draw_pool(groups, RowLimit(50), 0);
  EXPECT_THAT(pool.sizes, ElementsAre(100));
  EXPECT_LT(pool.fitted[0].back(), 100);
}

// The reported pool must be the fitted one.
TEST(FitRows, AFitOfAPoolIsTheFitOfItsRows) {
  const GroupSet groups = make_gaussian_groups(2, 4, 900, 1);
  FitOptions options;
  options.method = Method::kInb;
  options.layers = 3;
  options.fit_rows = 300;
  const Fit fit = fit_flow(groups, options);
  EXPECT_THAT(fit.record.group_sizes, ElementsAre(300, 300));
  EXPECT_THAT(fit.record.given_sizes, ElementsAre(900, 900));
  EXPECT_EQ(*fit.record.options.fit_rows, RowLimit(300));
  EXPECT_THAT(pool_sentence(fit.record), HasSubstr("Fitted on 600 of 1800 rows"));

  const GroupSet taken = take_rows(groups, draw_pool(groups, 300, options.seed).fitted);
  options.fit_rows = RowLimit();
  const Fit same = fit_flow(taken, options);
  EXPECT_THAT(same.record.given_sizes, IsEmpty());
  EXPECT_EQ(pool_sentence(same.record), "");
  const Workers workers(1);
  EXPECT_EQ(fit.flow.forward(1, groups[1].rows, workers),
            same.flow.forward(1, groups[1].rows, workers));
}

TEST(FitRows, GroupsCountByAllOfTheirRows) {
  GroupSet groups;
  groups.add("large", make_gaussian_groups(1, 2, 900, 1)[0].rows.to_matrix());
  groups.add("small", make_gaussian_groups(1, 2, 300, 2)[0].rows.to_matrix());
  FitOptions options;
  options.method = Method::kNb;
  options.fit_rows = 200;
  options.weights = GroupWeights(GroupWeights::Kind::kSize);
  EXPECT_EQ(fit_flow(groups, options).record.options.weights, (GroupWeights{0.75, 0.25}));
}

}  // namespace pool_test
}  // namespace conflux
