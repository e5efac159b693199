// Clouds for the tests of the metrics, and the file of golden values.

#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "conflux/core/matrix.h"
#include "core/rng.h"
#include "tests/support/golden.h"

namespace conflux {

inline Matrix normal_cloud(Index rows, Index cols, std::uint64_t name) {
  return Stream(11, Purpose::kTest, name).normal_matrix(rows, cols);
}

/// Whole numbers 0 .. 2, so that points and distances coincide.
inline Matrix cloud_with_ties(Index rows, Index cols, std::uint64_t name) {
  Stream stream(12, Purpose::kTest, name);
  return Matrix::NullaryExpr(rows, cols,
                             [&](Index, Index) { return static_cast<double>(stream.below(3)); });
}

inline Matrix column(const std::vector<double>& values) {
  return Eigen::Map<const Matrix>(values.data(), static_cast<Index>(values.size()), 1);
}

inline Matrix each_row_repeated(const Matrix& cloud, Index times) {
  Matrix repeated(cloud.rows() * times, cloud.cols());
  for (Index i = 0; i < repeated.rows(); ++i) repeated.row(i) = cloud.row(i / times);
  return repeated;
}

struct GoldenCase {
  std::string name;
  Matrix x;
  Matrix y;
  std::map<std::string, double> values;
};

/// Reads what tools/make_metric_golden.py wrote.
inline std::vector<GoldenCase> golden_cases() {
  std::ifstream in(golden_folder() / "metrics.txt");
  std::string word;
  std::getline(in, word);
  std::vector<GoldenCase> cases;
  while (in >> word) {
    if (word == "case") {
      in >> cases.emplace_back().name;
    } else if (word == "x" || word == "y") {
      Index rows = 0;
      Index cols = 0;
      in >> rows >> cols;
      Matrix& cloud = word == "x" ? cases.back().x : cases.back().y;
      cloud.resize(rows, cols);
      for (double& value : cloud.reshaped<Eigen::RowMajor>()) in >> value;
    } else if (word != "end") {
      in >> cases.back().values[word];
    }
  }
  if (cases.empty()) throw std::runtime_error("tests/golden/metrics.txt is missing");
  return cases;
}

}  // namespace conflux
