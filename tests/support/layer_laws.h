// The laws of every layer of a flow, whatever it does.
//
//   check_layer_laws(layer, num_groups, stream, {.low = 0, .high = 1});
//
// One call checks, for each group: forward and inverse undo each other, also far outside the data;
// their log-dets cancel, are added to what was there, and match the numerical Jacobian; the image
// of a row has the same bits whatever rows surround it, with and without gaps between the rows; and
// same_for_all_groups() tells the truth. Points are drawn from the box of the data, so hand in the
// box that the layer was fitted on. Groups are expected to differ unless the layer says otherwise.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "conflux/flow/layer.h"
#include "core/rng.h"
#include "kernels/dense.h"

namespace conflux {

/// Where the data of a layer lies, in every coordinate.
struct DataBox {
  double low = -3;
  double high = 3;

  double range() const { return high - low; }
};

namespace layer_laws {

// The flattest segment that a fitted map may have is about 1e-3 of the mean slope, which costs 3 of
// 16 digits, once on the way there and once back.
inline constexpr double kRoundTrip = 1e-9;
// A central difference with step h = 1e-6 errs by h^2 times the curvature and by eps / h = 2e-10,
// times the thousand of the slopes.
inline constexpr double kJacobian = 1e-5;
inline constexpr Index kLargestJacobian = 8;
inline constexpr double kPart = 0.4;

struct Image {
  Matrix rows;
  std::vector<double> log_det;
};

enum class Pass { kForward, kInverse };

inline std::string name_of(Pass pass) { return pass == Pass::kForward ? "forward" : "inverse"; }
inline Pass back(Pass pass) { return pass == Pass::kForward ? Pass::kInverse : Pass::kForward; }

inline void move(const Layer& layer, Pass pass, Index group, Rows rows, double* log_det) {
  if (pass == Pass::kForward) {
    layer.forward(group, rows, log_det);
  } else {
    layer.inverse(group, rows, log_det);
  }
}

inline Image image_of(const Layer& layer, Pass pass, Index group, Matrix rows) {
  Image out{std::move(rows), {}};
  out.log_det.assign(static_cast<std::size_t>(out.rows.rows()), 0.0);
  move(layer, pass, group, Rows(out.rows), out.log_det.data());
  return out;
}

inline Matrix points_in(const DataBox& box, Index count, Index dim, Stream& stream) {
  return Matrix::NullaryExpr(
      count, dim, [&](Index, Index) { return box.low + box.range() * stream.uniform(); });
}

// Most points inside the box; then points that are far away in all coordinates, and in one. The
// latter come last and are kLopsided.
inline constexpr Index kLopsided = 10;
inline Matrix points_inside_and_far_outside(const DataBox& box, Index dim, Stream& stream) {
  Matrix points = points_in(box, 60, dim, stream);
  for (Index i = 40; i < 60; ++i) {
    const double distance = (i % 2 == 0 ? 1e3 : 1e6) * box.range();
    if (i < 60 - kLopsided) {
      for (Index j = 0; j < dim; ++j) points(i, j) = distance * stream.normal();
    } else {
      points(i, stream.below(dim)) = i % 4 < 2 ? distance : -distance;
    }
  }
  return points;
}

inline void expect_round_trip(const Layer& layer, Pass pass, Index group, const Matrix& points,
                              const DataBox& box) {
  const Image there = image_of(layer, pass, group, points);
  ASSERT_TRUE(there.rows.allFinite());
  const Image again = image_of(layer, back(pass), group, there.rows);
  for (Index i = 0; i < points.rows(); ++i) {
    const double size = points.row(i).cwiseAbs().maxCoeff() + box.range();
    ASSERT_LT((again.rows.row(i) - points.row(i)).cwiseAbs().maxCoeff(), kRoundTrip * size)
        << "row " << i << ": " << points.row(i);
    const double log_det = there.log_det[static_cast<std::size_t>(i)];
    ASSERT_TRUE(std::isfinite(log_det)) << "row " << i;
    ASSERT_NEAR(again.log_det[static_cast<std::size_t>(i)], -log_det,
                kRoundTrip * (1 + std::abs(log_det)))
        << "row " << i << ": " << points.row(i);
  }
}

// log |det J| at a point by central differences.
inline double numerical_log_det(const Layer& layer, Pass pass, Index group, const Matrix& point,
                                double step) {
  const Index dim = point.cols();
  Matrix around(2 * dim, dim);
  Vector steps(dim);
  for (Index j = 0; j < dim; ++j) {
    around.row(2 * j) = around.row(2 * j + 1) = point;
    around(2 * j, j) -= step;
    around(2 * j + 1, j) += step;
    // The step that was really added, after rounding.
    steps(j) = around(2 * j + 1, j) - around(2 * j, j);
  }
  const Matrix moved = image_of(layer, pass, group, std::move(around)).rows;
  Matrix jacobian(dim, dim);
  for (Index j = 0; j < dim; ++j) {
    jacobian.row(j) = (moved.row(2 * j + 1) - moved.row(2 * j)) / steps(j);
  }
  // |det J| = |det R|, the product of the pivots.
  return kernels::pivoted_qr(jacobian).pivots.array().log().sum();
}

// Not for lopsided points: a step that is small for the far coordinate is not for the others, and
// one that is small for the others drowns in the rounding of the far one. A kink within the longer
// step is hardly ever within the shorter one.
inline void expect_jacobian(const Layer& layer, Pass pass, Index group, const Matrix& points,
                            const DataBox& box) {
  const Image there = image_of(layer, pass, group, points);
  for (Index i = 0; i < points.rows() - kLopsided; ++i) {
    const double log_det = there.log_det[static_cast<std::size_t>(i)];
    double error = std::numeric_limits<double>::infinity();
    for (const double fraction : {1e-6, 1e-7}) {
      const double step = fraction * (points.row(i).cwiseAbs().maxCoeff() + box.range());
      const double numerical = numerical_log_det(layer, pass, group, points.row(i), step);
      error = std::min(error, std::abs(numerical - log_det));
    }
    ASSERT_LT(error, kJacobian * static_cast<double>(points.cols()))
        << "log-det " << log_det << " of row " << i << ": " << points.row(i);
  }
}

// Blocks of rows fall into registers, cache lines and threads in different ways.
inline void expect_same_bits_in_any_company(const Layer& layer, Pass pass, Index group,
                                            const Matrix& points) {
  const Image whole = image_of(layer, pass, group, points);
  for (const Index block : {1, 2, 3, 7, 16}) {
    for (Index begin = 0; begin < points.rows(); begin += block) {
      const Index count = std::min(block, points.rows() - begin);
      const Image part = image_of(layer, pass, group, points.middleRows(begin, count));
      ASSERT_EQ(part.rows, Matrix(whole.rows.middleRows(begin, count)))
          << "row " << begin << " in blocks of " << block;
      ASSERT_TRUE(
          std::equal(part.log_det.begin(), part.log_det.end(), whole.log_det.begin() + begin))
          << "log-det from row " << begin << " in blocks of " << block;
    }
  }
  const Image reversed = image_of(layer, pass, group, points.colwise().reverse());
  ASSERT_EQ(Matrix(reversed.rows.colwise().reverse()), whole.rows);
}

// Columns beside the rows belong to someone else, and log-dets are added to those of other layers.
inline void expect_gaps_and_sums_respected(const Layer& layer, Pass pass, Index group,
                                           const Matrix& points) {
  const Image whole = image_of(layer, pass, group, points);
  const Index gap = 3;
  Matrix wide = Matrix::Constant(points.rows(), points.cols() + gap, 1234.5);
  wide.leftCols(points.cols()) = points;
  std::vector<double> log_det(static_cast<std::size_t>(points.rows()), 16.0);
  move(layer, pass, group, Rows(wide.data(), points.rows(), points.cols(), wide.cols()),
       log_det.data());
  ASSERT_EQ(Matrix(wide.leftCols(points.cols())), whole.rows);
  ASSERT_TRUE((wide.rightCols(gap).array() == 1234.5).all());
  for (std::size_t i = 0; i < log_det.size(); ++i) {
    ASSERT_NEAR(log_det[i], 16 + whole.log_det[i], 1e-13 * (16 + std::abs(whole.log_det[i])));
  }
  Matrix without_log_det = points;
  move(layer, pass, group, Rows(without_log_det), nullptr);
  ASSERT_EQ(without_log_det, whole.rows);
  Matrix none(0, points.cols());
  move(layer, pass, group, Rows(none), nullptr);
}

// Every coordinate is missing in some row: it stays so, and what is there returns.
inline void expect_missing_coordinates_stay(const Layer& layer, Pass pass, Index group,
                                            const Matrix& points, const DataBox& box) {
  Matrix holed = points;
  for (Index i = 0; i < points.rows(); ++i) {
    for (Index j = 0; j < points.cols(); ++j) {
      if ((i + j) % 3 == 0) holed(i, j) = std::numeric_limits<double>::quiet_NaN();
    }
  }
  const Image there = image_of(layer, pass, group, holed);
  const Image again = image_of(layer, back(pass), group, there.rows);
  for (Index i = 0; i < points.rows(); ++i) {
    const double size = points.row(i).cwiseAbs().maxCoeff() + box.range();
    for (Index j = 0; j < points.cols(); ++j) {
      const bool missing = std::isnan(holed(i, j));
      ASSERT_EQ(std::isnan(there.rows(i, j)), missing) << "row " << i << ", coordinate " << j;
      ASSERT_EQ(std::isnan(again.rows(i, j)), missing) << "row " << i << ", coordinate " << j;
      if (!missing) {
        ASSERT_NEAR(again.rows(i, j), points(i, j), kRoundTrip * size) << "row " << i;
      }
    }
  }
}

}  // namespace layer_laws

inline void check_layer_laws(const Layer& layer, Index num_groups, Stream stream,
                             const DataBox& box = {}, double amount = 1) {
  using namespace layer_laws;
  SCOPED_TRACE("layer " + std::string(layer.kind()) + ", amount " + std::to_string(amount));
  const Matrix points = points_inside_and_far_outside(box, layer.dim(), stream);
  bool groups_differ = false;
  for (Index group = 0; group < num_groups; ++group) {
    SCOPED_TRACE("group " + std::to_string(group));
    const Image image = image_of(layer, Pass::kForward, group, points);
    groups_differ |= image.rows != image_of(layer, Pass::kForward, 0, points).rows;
    // Images of points are where an inverse is used; the points themselves must do as well.
    for (const Pass pass : {Pass::kForward, Pass::kInverse}) {
      SCOPED_TRACE(name_of(pass));
      expect_round_trip(layer, pass, group, points, box);
      expect_round_trip(layer, pass, group, image.rows, box);
      if (layer.dim() <= kLargestJacobian) expect_jacobian(layer, pass, group, points, box);
      expect_same_bits_in_any_company(layer, pass, group, points);
      expect_gaps_and_sums_respected(layer, pass, group, points);
      if (layer.takes_gaps()) {
        expect_missing_coordinates_stay(layer, pass, group, points, box);
        expect_missing_coordinates_stay(layer, pass, group, image.rows, box);
      }
    }
  }
  if (num_groups > 1) {
    EXPECT_NE(layer.same_for_all_groups(), groups_differ);
  }
  // A part of a layer is a layer.
  if (amount == 1 && !layer.same_for_all_groups()) {
    if (const auto part = layer.part(kPart))
      check_layer_laws(*part, num_groups, stream, box, kPart);
  }
}

}  // namespace conflux
