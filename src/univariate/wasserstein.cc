#include "univariate/wasserstein.h"

#include <algorithm>
#include <array>
#include <vector>

namespace conflux {

namespace {

template <class Scalar>
bool same_levels(std::span<const SortedSample<Scalar>> samples) {
  return std::all_of(samples.begin(), samples.end(), [&](const auto& sample) {
    return sample.levels.empty() && sample.values.size() == samples.front().values.size();
  });
}

// Samples of one size: rank i of every sample covers the same level. Sums run in eight lanes, which
// the compiler turns into vectors, and in short blocks, which keep single precision accurate.
template <class Scalar>
double equal_spread(std::span<const SortedSample<Scalar>> samples, std::span<const double> weights,
                    std::span<Scalar* const> residuals) {
  constexpr std::size_t kBlock = 256;
  constexpr std::size_t kSums = 8;
  const std::size_t count = samples.front().values.size();
  const double share = 1 / static_cast<double>(count);
  double spread = 0;
  std::array<Scalar, kBlock> barycenter;
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t size = std::min(kBlock, count - begin);
    barycenter.fill(0);
    for (std::size_t m = 0; m < samples.size(); ++m) {
      const Scalar* values = samples[m].values.data() + begin;
      const auto weight = static_cast<Scalar>(weights[m]);
      for (std::size_t i = 0; i < size; ++i) barycenter[i] += weight * values[i];
    }
    for (std::size_t m = 0; m < samples.size(); ++m) {
      const Scalar* values = samples[m].values.data() + begin;
      std::array<Scalar, kSums> sums{};
      std::size_t i = 0;
      for (; i + kSums <= size; i += kSums) {
        for (std::size_t lane = 0; lane < kSums; ++lane) {
          const Scalar r = values[i + lane] - barycenter[i + lane];
          sums[lane] += r * r;
        }
      }
      for (; i < size; ++i) {
        const Scalar r = values[i] - barycenter[i];
        sums[0] += r * r;
      }
      double sum = 0;
      for (const Scalar lane : sums) sum += lane;
      spread += weights[m] * share * sum;
      if (residuals.empty()) continue;
      const auto factor = static_cast<Scalar>(weights[m] * share);
      Scalar* out = residuals[m] + begin;
      for (i = 0; i < size; ++i) out[i] = factor * (values[i] - barycenter[i]);
    }
  }
  return spread;
}

// Walks up the levels; a step ends where the first of the current values does.
template <class Scalar>
double merged_spread(std::span<const SortedSample<Scalar>> samples, std::span<const double> weights,
                     std::span<Scalar* const> residuals) {
  const std::size_t groups = samples.size();
  std::vector<std::size_t> at(groups, 0);
  std::vector<double> gathered(groups, 0.0);  // residual of the current value so far
  const auto end_of = [&](std::size_t m) {
    const auto count = samples[m].values.size();
    if (at[m] + 1 >= count) return 1.0;
    // Division rounds equal fractions to equal numbers, so simultaneous ends are met exactly.
    // Levels that pass 1 by rounding would never be reached.
    return samples[m].levels.empty() ? static_cast<double>(at[m] + 1) / static_cast<double>(count)
                                     : std::min(1.0, samples[m].levels[at[m]]);
  };
  std::vector<double> ends(groups);
  for (std::size_t m = 0; m < groups; ++m) ends[m] = end_of(m);
  double spread = 0;
  double level = 0;
  for (bool done = false; !done;) {
    const double next = *std::min_element(ends.begin(), ends.end());
    const double length = next - level;
    double barycenter = 0;
    for (std::size_t m = 0; m < groups; ++m) barycenter += weights[m] * samples[m].values[at[m]];
    done = true;
    for (std::size_t m = 0; m < groups; ++m) {
      const double r = samples[m].values[at[m]] - barycenter;
      spread += length * weights[m] * r * r;
      gathered[m] += length * weights[m] * r;
      const bool last = at[m] + 1 == samples[m].values.size();
      if (ends[m] <= next) {
        if (!residuals.empty()) residuals[m][at[m]] = static_cast<Scalar>(gathered[m]);
        if (last) continue;
        gathered[m] = 0;
        ++at[m];
        ends[m] = end_of(m);
      }
      done = false;
    }
    level = next;
  }
  return spread;
}

}  // namespace

template <class Scalar>
double barycenter_spread(std::span<const SortedSample<Scalar>> samples,
                         std::span<const double> weights, std::span<Scalar* const> residuals) {
  return same_levels(samples) ? equal_spread(samples, weights, residuals)
                              : merged_spread(samples, weights, residuals);
}

template double barycenter_spread(std::span<const SortedSample<float>>, std::span<const double>,
                                  std::span<float* const>);
template double barycenter_spread(std::span<const SortedSample<double>>, std::span<const double>,
                                  std::span<double* const>);

}  // namespace conflux
