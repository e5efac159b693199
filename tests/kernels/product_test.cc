#include "kernels/product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/rng.h"

namespace conflux::kernels {
namespace product_test {

// A row of the block sizes that the kernels cut by (3 and 4 lines, 48 and 128 rows, 256 contracted
// columns), one less, one more, and the smallest.
constexpr std::array<Index, 9> kRowCounts{1, 2, 3, 4, 5, 47, 49, 129, 300};
constexpr std::array<Index, 7> kDims{1, 2, 7, 16, 31, 255, 515};
constexpr std::array<Index, 5> kDirections{1, 5, 17, 40, 100};

template <class T>
std::vector<T> random_numbers(Index count, std::uint64_t name) {
  Stream stream(0, Purpose::kTest, name);
  std::vector<T> out(count);
  for (T& x : out) x = static_cast<T>(stream.normal());
  return out;
}

// A dim x width matrix whose places from `k` on are zero.
template <class T>
std::vector<T> padded_matrix(Index dim, Index k, std::uint64_t name) {
  const Index width = padded_width<T>(k);
  std::vector<T> out = random_numbers<T>(dim * width, name);
  for (Index j = 0; j < dim; ++j) {
    std::fill(out.begin() + j * width + k, out.begin() + (j + 1) * width, T(0));
  }
  return out;
}

// n additions of products of size about 1 err by n units in the last place at most; `scale` is the
// sum of their sizes.
template <class T>
double rounding(Index n, double scale) {
  return static_cast<double>(n + 1) * std::numeric_limits<T>::epsilon() * scale;
}

template <class T>
class ProductTest : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(ProductTest, Scalars);

TYPED_TEST(ProductTest, PaddedWidthIsTheNextWholeCacheLine) {
  const auto line = static_cast<Index>(64 / sizeof(TypeParam));
  EXPECT_EQ(padded_width<TypeParam>(1), line);
  EXPECT_EQ(padded_width<TypeParam>(line), line);
  EXPECT_EQ(padded_width<TypeParam>(line + 1), 2 * line);
}

TYPED_TEST(ProductTest, ProjectEqualsTheSlowLoop) {
  using T = TypeParam;
  for (const Index rows : kRowCounts) {
    for (const Index dim : kDims) {
      for (const Index k : kDirections) {
        const Index width = padded_width<T>(k);
        const Index stride = dim + rows % 3;
        const auto x = random_numbers<T>(rows * stride, 1);
        const auto w = padded_matrix<T>(dim, k, 2);
        std::vector<T> out(rows * width, T(-7));
        project(x.data(), stride, rows, dim, w.data(), width, out.data());
        for (Index i = 0; i < rows; ++i) {
          for (Index a = 0; a < width; ++a) {
            double sum = 0, scale = 0;
            for (Index j = 0; j < dim; ++j) {
              const double term = double(x[i * stride + j]) * double(w[j * width + a]);
              sum += term;
              scale += std::abs(term);
            }
            ASSERT_NEAR(out[i * width + a], sum, rounding<T>(dim, scale))
                << rows << " rows, dim " << dim << ", K " << k << ", at " << i << ", " << a;
          }
        }
      }
    }
  }
}

TYPED_TEST(ProductTest, AccumulateAddsTheSlowLoopToTheNamedRowsOnly) {
  using T = TypeParam;
  for (const Index rows : kRowCounts) {
    for (const Index dim : kDims) {
      for (const Index k : {1, 17, 40}) {
        const Index width = padded_width<T>(k);
        const Index stride = dim + rows % 3;
        const Index begin = dim / 3;
        const Index end = dim - dim / 5;
        const auto x = random_numbers<T>(rows * stride, 3);
        const auto r = padded_matrix<T>(rows, k, 4);
        const auto before = random_numbers<T>(dim * width, 5);
        std::vector<T> out = before;
        accumulate(x.data(), stride, rows, begin, end, r.data(), width, out.data());
        for (Index j = 0; j < dim; ++j) {
          for (Index a = 0; a < width; ++a) {
            if (j < begin || j >= end) {
              ASSERT_EQ(out[j * width + a], before[j * width + a]);
              continue;
            }
            double sum = before[j * width + a];
            double scale = std::abs(sum);
            for (Index i = 0; i < rows; ++i) {
              const double term = double(x[i * stride + j]) * double(r[i * width + a]);
              sum += term;
              scale += std::abs(term);
            }
            ASSERT_NEAR(out[j * width + a], sum, rounding<T>(rows, scale))
                << rows << " rows, dim " << dim << ", K " << k << ", at " << j << ", " << a;
          }
        }
      }
    }
  }
}

// The columns between dim and the stride belong to someone else.
TYPED_TEST(ProductTest, ExpandAddsTheSlowLoopAndLeavesTheGapsAlone) {
  using T = TypeParam;
  for (const Index rows : kRowCounts) {
    for (const Index dim : kDims) {
      for (const Index k : {1, 2, 17}) {
        const Index stride = dim + rows % 3;
        const Index c_stride = k + rows % 2;
        const Index v_stride = dim + 1;
        const auto c = random_numbers<T>(rows * c_stride, 6);
        const auto v = random_numbers<T>(k * v_stride, 7);
        const auto before = random_numbers<T>(rows * stride, 8);
        std::vector<T> x = before;
        expand(x.data(), stride, rows, dim, c.data(), c_stride, k, v.data(), v_stride);
        for (Index i = 0; i < rows; ++i) {
          for (Index j = 0; j < stride; ++j) {
            if (j >= dim) {
              ASSERT_EQ(x[i * stride + j], before[i * stride + j]);
              continue;
            }
            double sum = before[i * stride + j];
            double scale = std::abs(sum);
            for (Index a = 0; a < k; ++a) {
              const double term = double(c[i * c_stride + a]) * double(v[a * v_stride + j]);
              sum += term;
              scale += std::abs(term);
            }
            ASSERT_NEAR(x[i * stride + j], sum, rounding<T>(k, scale))
                << rows << " rows, dim " << dim << ", K " << k << ", at " << i << ", " << j;
          }
        }
      }
    }
  }
}

// A row falls into a tile of 3 or 4 lines or of one, into this block or the next, depending on
// where the caller cuts the table. Its image must not depend on that: threads cut as they like.
TYPED_TEST(ProductTest, ProjectionOfARowHasTheSameBitsWhateverIsAround) {
  using T = TypeParam;
  const Index rows = 101, dim = 515, k = 37, stride = 520;
  const Index width = padded_width<T>(k);
  const auto x = random_numbers<T>(rows * stride, 9);
  const auto w = padded_matrix<T>(dim, k, 10);
  std::vector<T> whole(rows * width);
  project(x.data(), stride, rows, dim, w.data(), width, whole.data());
  for (const Index begin : {0, 1, 2, 47, 50, 98, 100}) {
    for (const Index count : {1, 2, 3, 4, 50}) {
      if (begin + count > rows) continue;
      std::vector<T> part(count * width);
      project(x.data() + begin * stride, stride, count, dim, w.data(), width, part.data());
      EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + begin * width))
          << count << " rows from " << begin;
    }
  }
}

// The same numbers in a table without gaps, at another alignment, with more directions beside them:
// the sums run in the same order.
TYPED_TEST(ProductTest, ProjectionOnADirectionHasTheSameBitsWhateverDirectionsAreBeside) {
  using T = TypeParam;
  const Index rows = 7, dim = 300;
  const auto x = random_numbers<T>(rows * dim + 1, 11);
  const Index wide = padded_width<T>(60);
  const auto w = padded_matrix<T>(dim, 60, 12);
  std::vector<T> all(rows * wide);
  project(x.data() + 1, dim, rows, dim, w.data(), wide, all.data());
  const Index narrow = padded_width<T>(1);
  for (Index first = 0; first + narrow <= wide; first += narrow) {
    std::vector<T> some(dim * narrow);
    for (Index j = 0; j < dim; ++j) {
      std::copy_n(w.begin() + j * wide + first, narrow, some.begin() + j * narrow);
    }
    std::vector<T> out(rows * narrow);
    project(x.data() + 1, dim, rows, dim, some.data(), narrow, out.data());
    for (Index i = 0; i < rows; ++i) {
      for (Index a = 0; a < narrow; ++a) {
        ASSERT_EQ(out[i * narrow + a], all[i * wide + first + a]);
      }
    }
  }
}

TYPED_TEST(ProductTest, ExpansionOfARowHasTheSameBitsWhateverIsAround) {
  using T = TypeParam;
  const Index rows = 43, dim = 131, k = 13, stride = 140;
  const auto c = random_numbers<T>(rows * k, 13);
  const auto v = random_numbers<T>(k * dim, 14);
  const auto before = random_numbers<T>(rows * stride, 15);
  std::vector<T> whole = before;
  expand(whole.data(), stride, rows, dim, c.data(), k, k, v.data(), dim);
  for (const Index begin : {0, 1, 2, 3, 39, 42}) {
    for (const Index count : {1, 2, 3, 4, 5, 9}) {
      if (begin + count > rows) continue;
      std::vector<T> part = before;
      expand(part.data() + begin * stride, stride, count, dim, c.data() + begin * k, k, k, v.data(),
             dim);
      EXPECT_TRUE(std::equal(part.begin() + begin * stride, part.begin() + (begin + count) * stride,
                             whole.begin() + begin * stride))
          << count << " rows from " << begin;
    }
  }
}

// Columns fall into vectors of three, of one, or into the scalar remainder; all must round alike,
// or a feature would change when another one is dropped.
TYPED_TEST(ProductTest, ExpansionOfAColumnHasTheSameBitsWhateverColumnsAreBeside) {
  using T = TypeParam;
  const Index rows = 6, dim = 67, k = 9;
  const auto c = random_numbers<T>(rows * k, 16);
  const auto v = random_numbers<T>(k * dim, 17);
  const auto before = random_numbers<T>(rows * dim, 18);
  std::vector<T> whole = before;
  expand(whole.data(), dim, rows, dim, c.data(), k, k, v.data(), dim);
  for (Index j = 0; j < dim; ++j) {
    std::vector<T> part = before;
    expand(part.data() + j, dim, rows, 1, c.data(), k, k, v.data() + j, dim);
    for (Index i = 0; i < rows; ++i) ASSERT_EQ(part[i * dim + j], whole[i * dim + j]) << j;
  }
}

// Tasks take their own rows of the result; the cut between tasks must not show.
TYPED_TEST(ProductTest, AccumulationHasTheSameBitsHoweverItsRowsAreCut) {
  using T = TypeParam;
  const Index rows = 300, dim = 50, k = 20;
  const Index width = padded_width<T>(k);
  const auto x = random_numbers<T>(rows * dim, 19);
  const auto r = padded_matrix<T>(rows, k, 20);
  std::vector<T> whole(dim * width, T(0));
  accumulate(x.data(), dim, rows, 0, dim, r.data(), width, whole.data());
  for (const Index block : {1, 2, 7, 16}) {
    std::vector<T> parts(dim * width, T(0));
    for (Index begin = 0; begin < dim; begin += block) {
      accumulate(x.data(), dim, rows, begin, std::min(dim, begin + block), r.data(), width,
                 parts.data());
    }
    EXPECT_EQ(parts, whole) << "blocks of " << block;
  }
  // Rows added in two calls follow one another as in a single call.
  std::vector<T> twice(dim * width, T(0));
  accumulate(x.data(), dim, 101, 0, dim, r.data(), width, twice.data());
  accumulate(x.data() + 101 * dim, dim, rows - 101, 0, dim, r.data() + 101 * width, width,
             twice.data());
  EXPECT_EQ(twice, whole);
}

TYPED_TEST(ProductTest, NoRowsChangeNothing) {
  using T = TypeParam;
  std::vector<T> x(8, T(1)), w(64, T(1)), out(64, T(3));
  project(x.data(), 4, 0, 4, w.data(), 16, out.data());
  accumulate(x.data(), 4, 0, 0, 4, w.data(), 16, out.data());
  expand(x.data(), 4, 0, 4, w.data(), 4, 4, w.data(), 16);
  expand(x.data(), 4, 2, 4, w.data(), 4, 0, w.data(), 16);
  EXPECT_EQ(out, std::vector<T>(64, T(3)));
  EXPECT_EQ(x, std::vector<T>(8, T(1)));
}

// Strips end within a cache line and are added to what is there; what lies below is another's.
TEST(Gram, AddsTheUpperTriangleStripByStrip) {
  const Matrix x = Stream(0, Purpose::kTest, 9).normal_matrix(150, 21);
  Matrix out = Matrix::Constant(21, 21, 7);
  for (const auto& [begin, end] : {std::pair<Index, Index>{0, 10}, {10, 21}}) {
    add_gram(x, 0.5, begin, end, out);
  }
  const Matrix expected = 0.5 * (x.transpose() * x);
  for (Index j = 0; j < 21; ++j) {
    for (Index k = j; k < 21; ++k) EXPECT_NEAR(out(j, k), 7 + expected(j, k), 1e-12 * 150);
  }
  EXPECT_EQ(out(10, 9), 7);
}

}  // namespace product_test
}  // namespace conflux::kernels
