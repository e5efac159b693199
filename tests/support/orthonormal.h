// Checks of the columns of a frame.

#pragma once

#include <gtest/gtest.h>

#include "stiefel/frame.h"

namespace conflux {

inline void expect_orthonormal(const Frame& frame, double tolerance) {
  const Matrix& q = frame.columns();
  const Matrix defect = q.transpose() * q - Matrix::Identity(q.cols(), q.cols());
  EXPECT_TRUE(q.allFinite());
  EXPECT_LT(defect.cwiseAbs().maxCoeff(), tolerance) << q.rows() << " x " << q.cols();
}

}  // namespace conflux
