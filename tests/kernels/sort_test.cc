#include "kernels/sort.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include "core/rng.h"

namespace conflux::kernels {
namespace sort_test {

using testing::ElementsAre;

template <class T>
struct Ranked {
  std::vector<T> values;
  std::vector<std::uint32_t> rows;
};

template <class T>
Ranked<T> slowly_ranked(const std::vector<T>& values) {
  Ranked<T> out{values, std::vector<std::uint32_t>(values.size())};
  std::iota(out.rows.begin(), out.rows.end(), 0u);
  std::stable_sort(out.rows.begin(), out.rows.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
  for (std::size_t i = 0; i < values.size(); ++i) out.values[i] = values[out.rows[i]];
  return out;
}

template <class T>
Ranked<T> ranked(std::vector<T> values) {
  std::vector<std::uint32_t> rows(values.size());
  SortBuffer buffer;
  sort_rows(values.data(), static_cast<Index>(values.size()), rows.data(), buffer);
  return {std::move(values), std::move(rows)};
}

template <class T>
void expect_sorts(const std::vector<T>& values) {
  std::vector<T> sorted = values;
  sort_values(sorted.data(), static_cast<Index>(sorted.size()));
  const Ranked<T> expected = slowly_ranked(values);
  ASSERT_EQ(sorted, expected.values) << values.size() << " values";
  const Ranked<T> found = ranked(values);
  ASSERT_EQ(found.values, expected.values) << values.size() << " values";
  ASSERT_EQ(found.rows, expected.rows) << values.size() << " values";
}

template <class T>
std::vector<T> normal_values(Index count, std::uint64_t name) {
  Stream stream(1, Purpose::kTest, name);
  std::vector<T> out(count);
  for (T& x : out) x = static_cast<T>(stream.normal());
  return out;
}

template <class T>
std::vector<T> few_values(Index count, Index distinct, std::uint64_t name) {
  Stream stream(2, Purpose::kTest, name);
  std::vector<T> out(count);
  for (T& x : out) x = static_cast<T>(stream.below(distinct) - distinct / 2);
  return out;
}

template <class T>
class SortTest : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(SortTest, Scalars);

// Keys that differ in all digits, in the lowest ones only, or hardly at all.
TYPED_TEST(SortTest, ValuesFarOutAndClustersEqualTheStableSort) {
  for (const Index n : {2, 3, 100, 4096, 65535, 65536, 70000}) {
    std::vector<TypeParam> values = normal_values<TypeParam>(n, n);
    expect_sorts(values);
    values[0] = static_cast<TypeParam>(1e30);
    expect_sorts(values);
    values[1] = static_cast<TypeParam>(-3e38);
    expect_sorts(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<TypeParam>(i % 3) + static_cast<TypeParam>(1e-6) * values[i];
    }
    values[0] = 1;
    values[1] = 2;
    expect_sorts(values);
    for (TypeParam& x : values) x *= static_cast<TypeParam>(1e-40);
    expect_sorts(values);
  }
}

// Small sizes go through sorting networks of many shapes, each its own code.
TYPED_TEST(SortTest, EverySizeUpTo300EqualsTheStableSort) {
  for (Index n = 0; n <= 300; ++n) {
    expect_sorts(normal_values<TypeParam>(n, n));
    expect_sorts(few_values<TypeParam>(n, 5, n));
  }
}

TYPED_TEST(SortTest, TenThousandValuesEqualTheStableSort) {
  expect_sorts(normal_values<TypeParam>(10000, 0));
  expect_sorts(few_values<TypeParam>(10000, 3, 0));
  expect_sorts(few_values<TypeParam>(10000, 1000, 1));
  expect_sorts(std::vector<TypeParam>(10000, TypeParam(2.5)));
  std::vector<TypeParam> falling(10000);
  for (std::size_t i = 0; i < falling.size(); ++i) falling[i] = -static_cast<TypeParam>(i);
  expect_sorts(falling);
  std::reverse(falling.begin(), falling.end());
  expect_sorts(falling);
}

// So many that they are sorted in place, digit by digit, with all digits or with few.
TYPED_TEST(SortTest, MillionsEqualTheStableSort) {
  expect_sorts(normal_values<TypeParam>(1'200'000, 3));
  expect_sorts(few_values<TypeParam>(1'200'000, 3, 3));
}

// The order of the bits must be the order of the numbers: both infinities, the smallest and the
// largest numbers, neighbors of each other.
TYPED_TEST(SortTest, ExtremesTakeTheirPlaces) {
  using Limits = std::numeric_limits<TypeParam>;
  std::vector<TypeParam> values{Limits::infinity(),
                                -Limits::infinity(),
                                Limits::max(),
                                Limits::lowest(),
                                Limits::denorm_min(),
                                -Limits::denorm_min(),
                                Limits::min(),
                                -Limits::min(),
                                0,
                                1,
                                std::nextafter(TypeParam(1), TypeParam(2)),
                                std::nextafter(TypeParam(1), TypeParam(0)),
                                -1,
                                Limits::infinity(),
                                -Limits::infinity()};
  expect_sorts(values);
  for (int doubling = 0; doubling < 6; ++doubling) {
    values.insert(values.end(), values.begin(), values.end());
    expect_sorts(values);
  }
}

// The bits of -0 and +0 differ, but they are one number: row order decides.
TYPED_TEST(SortTest, NegativeAndPositiveZeroTie) {
  const Ranked<TypeParam> found =
      ranked<TypeParam>({0, TypeParam(-0.0), 1, -1, TypeParam(-0.0), 0});
  EXPECT_THAT(found.rows, ElementsAre(3, 0, 1, 4, 5, 2));
  EXPECT_THAT(found.values, ElementsAre(-1, 0, 0, 0, 0, 1));
}

TYPED_TEST(SortTest, BufferOfALargerCallServesASmallerOne) {
  SortBuffer buffer;
  std::vector<std::uint32_t> rows(500);
  auto many = normal_values<TypeParam>(500, 3);
  sort_rows(many.data(), 500, rows.data(), buffer);
  std::vector<TypeParam> three{3, 1, 2};
  sort_rows(three.data(), 3, rows.data(), buffer);
  EXPECT_THAT(three, ElementsAre(1, 2, 3));
  EXPECT_THAT(std::vector(rows.begin(), rows.begin() + 3), ElementsAre(1, 2, 0));
}

// The sorter keeps a buffer per thread.
TYPED_TEST(SortTest, ThreadsDoNotDisturbEachOther) {
  std::vector<std::thread> threads;
  std::vector<std::vector<TypeParam>> values(4);
  for (std::size_t t = 0; t < values.size(); ++t) {
    values[t] = normal_values<TypeParam>(5000, t);
    threads.emplace_back([&values, t] { sort_values(values[t].data(), 5000); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& sorted : values) EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
}

RC_GTEST_PROP(Sort, FloatRanksEqualTheStableSort, (const std::vector<std::int16_t>& numbers)) {
  std::vector<float> values;
  for (const int x : numbers) values.push_back(static_cast<float>(x % 50) * 0.1F);
  const auto found = ranked(values);
  const auto expected = slowly_ranked(values);
  RC_ASSERT(found.values == expected.values);
  RC_ASSERT(found.rows == expected.rows);
}

RC_GTEST_PROP(Sort, DoubleRanksEqualTheStableSort, (const std::vector<double>& values)) {
  const auto found = ranked(values);
  const auto expected = slowly_ranked(values);
  RC_ASSERT(found.values == expected.values);
  RC_ASSERT(found.rows == expected.rows);
}

}  // namespace sort_test
}  // namespace conflux::kernels
