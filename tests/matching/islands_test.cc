#include "matching/islands.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/thread_communicator.h"

namespace conflux {
namespace islands_test {

Index islands_of(const Matrix& points, std::uint64_t seed = 1) {
  SelfCommunicator self;
  return count_islands(points, seed, 0, self);
}

/// Clouds of unit deviation, each `apart` from all others.
Matrix clouds(const std::vector<Index>& sizes, Index dim, double apart, Stream& stream) {
  Index rows = 0;
  for (const Index size : sizes) rows += size;
  Matrix out = stream.normal_matrix(rows, dim);
  Index at = 0;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    out.middleRows(at, sizes[c]).col(static_cast<Index>(c)).array() += apart / std::sqrt(2.0);
    at += sizes[c];
  }
  return out;
}

using Shape = std::function<void(Eigen::Ref<Eigen::RowVectorXd>, Stream&)>;

// Each turns a row of independent normal numbers into one of a single cloud, straight or bent.
std::vector<std::pair<std::string, Shape>> single_clouds() {
  const auto bent = [](double angle) {
    return [angle](Eigen::Ref<Eigen::RowVectorXd> row, Stream& stream) {
      const double along = angle * stream.uniform();
      row *= 0.2;
      row(0) += 3 * std::cos(along);
      row(1) += 3 * std::sin(along);
    };
  };
  return {
      {"normal", [](Eigen::Ref<Eigen::RowVectorXd>, Stream&) {}},
      {"two deviations apart",
       [](auto row, Stream& stream) { row(0) += 2 * (stream.uniform() < .5); }},
      {"heavy tails",
       [](auto row, Stream& stream) { row /= std::sqrt(-std::log(stream.uniform())); }},
      {"skewed", [](auto row, Stream&) { row = (0.8 * row.array()).exp(); }},
      {"uniform",
       [](auto row, Stream& stream) {
         for (double& each : row) each = stream.uniform();
       }},
      {"whole numbers, spread",
       [](auto row, Stream& stream) {
         for (double& each : row) each = std::round(each) + stream.uniform();
       }},
      {"a line", [](auto row, Stream& stream) { row(0) = 30 * stream.uniform(); }},
      {"half of a ring", bent(std::numbers::pi)},
      {"a banana", [](auto row, Stream&) { row(0) *= 3, row(1) += 0.3 * row(0) * row(0); }},
  };
}

// Each claim of a gap would be wrong. Rows that choose a line always seem to leave one on it, most
// of all few rows of many features.
TEST(Islands, AreNotSeenInSingleCloudsOfAnyShape) {
  int wrong = 0, all = 0;
  for (const auto& [name, shape] : single_clouds()) {
    for (const auto& [rows, dim] : std::vector<std::pair<Index, Index>>{
             {60, 2}, {60, 20}, {150, 2}, {150, 5}, {400, 20}, {1500, 2}}) {
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        Stream stream(seed, Purpose::kTest, static_cast<std::uint64_t>(rows * dim));
        Matrix points = stream.normal_matrix(rows, dim);
        for (Index i = 0; i < rows; ++i) shape(points.row(i), stream);
        const bool seen = islands_of(points, seed) > 1;
        if (seen) GTEST_LOG_(INFO) << name << ", " << rows << " rows, " << dim << " features";
        wrong += seen;
        ++all;
      }
    }
  }
  EXPECT_LE(wrong, all / 100) << "of " << all;
}

TEST(Islands, AreCountedWhereCloudsLieApart) {
  for (const Index dim : {4, 20}) {
    Stream stream(8, Purpose::kTest, static_cast<std::uint64_t>(dim));
    EXPECT_EQ(islands_of(clouds({25, 25, 25}, dim, 9, stream)), 3) << dim;
    EXPECT_EQ(islands_of(clouds({300, 30}, dim, 9, stream)), 2) << dim;
    EXPECT_EQ(islands_of(clouds({400, 300, 200, 100}, dim, 8, stream)), 4) << dim;
    EXPECT_EQ(islands_of(clouds({400, 400}, dim, 7, stream)), 2) << dim;
  }
}

TEST(Islands, AFewRowsProveNoGap) {
  Stream stream(9, Purpose::kTest);
  Matrix points = stream.normal_matrix(60, 2);
  points.topRows(2).col(0).array() += 100;
  EXPECT_EQ(islands_of(points), 1);
  EXPECT_EQ(islands_of(points.topRows(4)), 1);
  EXPECT_EQ(islands_of(Matrix::Zero(100, 3)), 1);
}

// Only sums pass between processes, and all of them must come to the same number.
TEST(Islands, AreTheSameOnSeveralProcesses) {
  Stream stream(10, Purpose::kTest);
  const Matrix points = clouds({120, 120, 120}, 5, 10, stream);
  run_ranks(3, [&](Communicator& comm) {
    Matrix mine(points.rows() / 3, points.cols());
    for (Index i = 0; i < mine.rows(); ++i) mine.row(i) = points.row(3 * i + comm.rank());
    EXPECT_EQ(count_islands(mine, 1, 0, comm), 3);
  });
}

}  // namespace islands_test
}  // namespace conflux
