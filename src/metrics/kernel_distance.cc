#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "kernels/product.h"
#include "metrics/clouds_internal.h"

namespace conflux {

namespace {

// Sum of (a . b / d + 1)^3 over all pairs of rows; without those of a row with itself if x is y.
double sum_of_kernel(ConstRows x, ConstRows y, bool same) {
  const auto scale = 1 / static_cast<double>(x.cols());
  const Matrix products = kernels::product(x.eigen(), y.eigen().transpose());
  double out = 0;
  for (Index i = 0; i < products.rows(); ++i) {
    for (Index j = 0; j < products.cols(); ++j) {
      const double base = products(i, j) * scale + 1;
      if (!same || i != j) out += base * base * base;
    }
  }
  return out;
}

}  // namespace

double kernel_distance(ConstRows x, ConstRows y) {
  check_clouds(x, y);
  if (x.rows() < 2 || y.rows() < 2) {
    throw InvalidData("a distance without bias needs at least 2 rows in each cloud.");
  }
  const auto n = static_cast<double>(x.rows());
  const auto m = static_cast<double>(y.rows());
  return sum_of_kernel(x, x, true) / (n * (n - 1)) + sum_of_kernel(y, y, true) / (m * (m - 1)) -
         2 * sum_of_kernel(x, y, false) / (n * m);
}

}  // namespace conflux
