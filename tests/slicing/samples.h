// Search samples for the tests of slicing.

#pragma once

#include <cstdint>
#include <vector>

#include "core/rng.h"
#include "slicing/search_sample.h"

namespace conflux {

template <class Scalar = double>
SearchSample<Scalar> sample_of(const std::vector<Matrix>& groups,
                               std::vector<std::vector<double>> masses = {}) {
  SearchSample<Scalar> sample;
  for (const Matrix& rows : groups) sample.rows.push_back(rows.template cast<Scalar>());
  masses.resize(groups.size());
  sample.masses = std::move(masses);
  return sample;
}

/// Normal groups that differ in mean and in spread along the coordinates.
inline std::vector<Matrix> normal_groups(const std::vector<Index>& counts, Index dim,
                                         std::uint64_t name) {
  std::vector<Matrix> groups;
  for (const Index count : counts) {
    Stream stream(20, Purpose::kTest, name, groups.size());
    Matrix rows = stream.normal_matrix(count, dim);
    for (Index j = 0; j < dim; ++j) {
      const double scale = 0.5 + stream.uniform();
      rows.col(j) = (scale * rows.col(j).array() + stream.normal()).matrix();
    }
    groups.push_back(std::move(rows));
  }
  return groups;
}

inline std::vector<double> even_weights(std::size_t groups) {
  return std::vector<double>(groups, 1 / static_cast<double>(groups));
}

}  // namespace conflux
