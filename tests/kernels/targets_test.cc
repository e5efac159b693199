// Every set of instructions that this machine has is forced in turn, as other machines would choose
// it. Results differ by roundings at most: sets of other widths add in another order.

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/rng.h"
#include "kernels/product.h"
#include "kernels/shares.h"
#include "kernels/sort.h"

namespace conflux::kernels {
namespace targets_test {

constexpr Index kRows = 133;
constexpr Index kDim = 37;
constexpr Index kNarrow = 11;

std::vector<std::int64_t> targets_here() {
  std::vector<std::int64_t> out;
  const std::int64_t all = hwy::SupportedTargets();
  for (std::int64_t bit = 1; bit > 0 && bit <= all; bit <<= 1) {
    if ((all & bit) != 0) out.push_back(bit);
  }
  return out;
}

// Only this target, until the end of the scope.
class Forced {
 public:
  explicit Forced(std::int64_t target) { choose(target); }
  ~Forced() { choose(0); }
  Forced(const Forced&) = delete;
  Forced& operator=(const Forced&) = delete;

 private:
  static void choose(std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

template <class T>
std::vector<T> random_values(Index count, std::uint64_t name) {
  Stream stream(1, Purpose::kTest, name);
  std::vector<T> out(static_cast<std::size_t>(count));
  for (T& x : out) x = static_cast<T>(stream.normal());
  return out;
}

// The results of every kernel on the same numbers.
template <class T>
std::vector<T> results() {
  const Index width = padded_width<T>(kNarrow);
  const std::vector<T> x = random_values<T>(kRows * kDim, 1), w = random_values<T>(kDim * width, 2);
  std::vector<T> narrow(static_cast<std::size_t>(kRows * width));
  project(x.data(), kDim, kRows, kDim, w.data(), width, narrow.data());
  std::vector<T> sums(static_cast<std::size_t>(kDim * width), T(0));
  accumulate(x.data(), kDim, kRows, 0, kDim, narrow.data(), width, sums.data());
  std::vector<T> wide = x;
  expand(wide.data(), kDim, kRows, kDim, narrow.data(), width, kNarrow, w.data(), kDim);
  std::vector<T> sorted = x;
  sort_values(sorted.data(), kRows * kDim);
  std::vector<T> out = narrow;
  for (const auto* each : {&sums, &wide, &sorted})
    out.insert(out.end(), each->begin(), each->end());
  return out;
}

template <class T>
class TargetsTest : public testing::Test {};
using TargetScalars = testing::Types<float, double>;
TYPED_TEST_SUITE(TargetsTest, TargetScalars);

TYPED_TEST(TargetsTest, AgreeWhateverTheProcessor) {
  using T = TypeParam;
  const std::vector<T> here = results<T>();
  ASSERT_TRUE(std::all_of(here.begin(), here.end(), [](T x) { return std::isfinite(x); }));
  // The longest sums have kRows terms of results that are sums themselves; see product_test.cc.
  const double bound = 10.0 * kRows * std::numeric_limits<T>::epsilon();
  for (const std::int64_t target : targets_here()) {
    const Forced only(target);
    const std::vector<T> there = results<T>();
    const double scale = static_cast<double>(std::abs(*std::max_element(
        here.begin(), here.end(), [](T a, T b) { return std::abs(a) < std::abs(b); })));
    for (std::size_t k = 0; k < here.size(); ++k) {
      const double difference = std::abs(static_cast<double>(here[k] - there[k]));
      ASSERT_LE(difference, bound * scale) << hwy::TargetName(target) << " at " << k;
    }
  }
  EXPECT_EQ(results<T>(), here);
}

TEST(TargetsOfShares, Agree) {
  const Index clusters = 5, width = 8;
  const std::vector<double> products = random_values<double>(kRows * width, 3);
  const std::vector<double> squares(static_cast<std::size_t>(width), 1.0);
  const auto shares = [&] {
    std::vector<double> out(static_cast<std::size_t>(kRows * width), 0.0);
    soft_shares(products.data(), width, kRows, squares.data(), clusters, 0.7, 1e-3, out.data(),
                width);
    return out;
  };
  const std::vector<double> here = shares();
  for (const std::int64_t target : targets_here()) {
    const Forced only(target);
    const std::vector<double> there = shares();
    for (std::size_t k = 0; k < here.size(); ++k) {
      ASSERT_NEAR(here[k], there[k], 1e-13) << hwy::TargetName(target) << " at " << k;
    }
  }
}

}  // namespace targets_test
}  // namespace conflux::kernels
