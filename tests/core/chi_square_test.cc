#include "core/chi_square.h"

#include <gtest/gtest.h>

#include <cmath>

namespace conflux {
namespace chi_square_test {

// Tail masses from R: pchisq(x, df, lower = FALSE).
TEST(ChiSquareTail, IsThatOfR) {
  EXPECT_NEAR(chi_square_tail(3.841458820694124, 1), 0.05, 1e-12);
  EXPECT_NEAR(chi_square_tail(2, 2), std::exp(-1.0), 1e-14);
  EXPECT_NEAR(chi_square_tail(9.348403604496148, 3), 0.025, 1e-12);
  EXPECT_NEAR(chi_square_tail(340, 297) / 0.04348, 1, 1e-2);
  EXPECT_NEAR(chi_square_tail(100, 2) / std::exp(-50.0), 1, 1e-10);
  EXPECT_EQ(chi_square_tail(0, 3), 1);
}

}  // namespace chi_square_test
}  // namespace conflux
