// Groups of which it is known what they hold.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "conflux/core/group_set.h"
#include "core/rng.h"

namespace conflux {

// Groups of unit Gaussian clouds ten deviations apart, with known types.
struct Mixtures {
  static constexpr Index kDim = 12;

  std::vector<Matrix> rows;
  std::vector<std::vector<Index>> types;

  // One group: for each type its number of rows, all shifted along an axis that types do not use.
  void add(const std::vector<Index>& counts, double shift) {
    Stream stream(5, Purpose::kTest, rows.size());
    std::vector<Index> types_of_group;
    for (std::size_t type = 0; type < counts.size(); ++type) {
      types_of_group.insert(types_of_group.end(), static_cast<std::size_t>(counts[type]),
                            static_cast<Index>(type));
    }
    Matrix points = stream.normal_matrix(static_cast<Index>(types_of_group.size()), kDim);
    for (Index i = 0; i < points.rows(); ++i) points(i, types_of_group[i]) += 7;
    points.col(kDim - 1).array() += shift;
    rows.push_back(std::move(points));
    types.push_back(std::move(types_of_group));
  }
  GroupSet groups() const {
    GroupSet out;
    for (std::size_t m = 0; m < rows.size(); ++m) {
      out.add(std::string(1, static_cast<char>('a' + m)), ConstRows(rows[m]));
    }
    return out;
  }
};

inline Mixtures pure_pure_both(double shift) {
  Mixtures out;
  out.add({500, 0}, 0);
  out.add({0, 500}, shift);
  out.add({250, 250}, -shift);
  return out;
}

}  // namespace conflux
