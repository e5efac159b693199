// Speed limits of this machine, measured in the same run as conflux.

#pragma once

#include <cblas.h>
#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "conflux/core/group_set.h"
#include "core/rng.h"
#include "core/stopwatch.h"

namespace conflux::bench {

inline std::vector<float> random_floats(Index count, std::uint64_t seed) {
  Stream stream(seed, Purpose::kTest);
  std::vector<float> out(static_cast<std::size_t>(count));
  for (float& value : out) value = static_cast<float>(stream.normal());
  return out;
}

/// Two groups of four kinds in unequal shares, ten deviations apart, and a shift.
inline GroupSet make_mixtures(Index rows, Index dim) {
  GroupSet groups;
  for (Index m = 0; m < 2; ++m) {
    const std::vector<float> noise = random_floats(rows * dim, static_cast<std::uint64_t>(m));
    Matrix points(rows, dim);
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < dim; ++j) points(i, j) = noise[i * dim + j];
      const Index draw = i % 10;
      const Index kind = m == 0 ? draw / 4 : 3 - draw / 4;
      points(i, kind) += 10;
      points.row(i).array() += static_cast<double>(m) / std::sqrt(static_cast<double>(dim));
    }
    groups.add(std::to_string(m), std::move(points));
  }
  return groups;
}

/// Shortest of some runs of f, in seconds.
template <class F>
double shortest(F f, int runs = 15) {
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < runs; ++run) {
    const Stopwatch watch;
    f();
    best = std::min(best, watch.seconds());
  }
  return best;
}

/// Seconds of a bare sgemm of the shape of a projection (rows x dim times dim x k) or, transposed,
/// of a gradient (dim x rows times rows x k).
inline double bare_sgemm(Index rows, Index dim, Index k, bool transposed, int threads) {
  const std::vector<float> x = random_floats(rows * dim, 1);
  const std::vector<float> w = random_floats(std::max(rows, dim) * k, 2);
  std::vector<float> out(static_cast<std::size_t>(std::max(rows, dim) * k));
  openblas_set_num_threads(threads);
  const int m = static_cast<int>(transposed ? dim : rows);
  const int n = static_cast<int>(k);
  const int inner = static_cast<int>(transposed ? rows : dim);
  return shortest([&] {
    cblas_sgemm(CblasRowMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, m, n, inner, 1,
                x.data(), static_cast<int>(dim), w.data(), n, 0, out.data(), n);
  });
}

/// Seconds to read `bytes` from memory on one thread.
inline double bare_read(Index bytes) {
  const std::vector<float> x(static_cast<std::size_t>(bytes) / sizeof(float), 1.0F);
  volatile float sink = 0;
  return shortest([&] {
    float sums[64] = {};
    for (std::size_t i = 0; i + 64 <= x.size(); i += 64) {
      for (std::size_t lane = 0; lane < 64; ++lane) sums[lane] += x[i + lane];
    }
    for (const float sum : sums) sink = sink + sum;
  });
}

/// Seconds of vqsort on `count` floats, or on as many 64-bit keys.
template <class Key>
double bare_vqsort(Index count) {
  const std::vector<float> values = random_floats(count, 3);
  std::vector<Key> keys(values.size());
  const hwy::Sorter sorter;
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < 50; ++run) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = static_cast<Key>((values[i] + 10) * 1e5F);
    }
    const Stopwatch watch;
    sorter(keys.data(), keys.size(), hwy::SortAscending());
    best = std::min(best, watch.seconds());
  }
  return best;
}

}  // namespace conflux::bench
