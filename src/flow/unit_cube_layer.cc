#include "flow/unit_cube_layer.h"

#include <cmath>

#include "kernels/normal.h"

namespace conflux {

UnitCubeLayer::UnitCubeLayer(Index dim, double margin, CubeStep step)
    : dim_(dim),
      margin_(margin),
      step_(step),
      edge_(-kernels::normal_quantile(margin, 1 - margin)),
      log_slope_(-kernels::log_normal_density(edge_)) {}

void UnitCubeLayer::to_normal(Rows rows, double* log_det) const {
  const double slope = std::exp(log_slope_);
  for (Index i = 0; i < rows.rows(); ++i) {
    double sum = 0;
    for (Index j = 0; j < rows.cols(); ++j) {
      double& x = rows(i, j);
      const double beyond = x < 0.5 ? margin_ - x : x - (1 - margin_);
      if (beyond > 0) {
        x = std::copysign(edge_ + slope * beyond, x - 0.5);
        sum += log_slope_;
      } else {
        x = kernels::normal_quantile(x, 1 - x);
        sum -= kernels::log_normal_density(x);
      }
    }
    if (log_det != nullptr) log_det[i] += sum;
  }
}

void UnitCubeLayer::to_cube(Rows rows, double* log_det) const {
  const double slope = std::exp(-log_slope_);
  for (Index i = 0; i < rows.rows(); ++i) {
    double sum = 0;
    for (Index j = 0; j < rows.cols(); ++j) {
      double& z = rows(i, j);
      const double beyond = std::abs(z) - edge_;
      if (beyond > 0) {
        const double outside = margin_ - slope * beyond;
        z = z < 0 ? outside : 1 - outside;
        sum -= log_slope_;
      } else {
        sum += kernels::log_normal_density(z);
        z = kernels::normal_cdf(z);
      }
    }
    if (log_det != nullptr) log_det[i] += sum;
  }
}

void UnitCubeLayer::forward(Index, Rows rows, double* log_det) const {
  step_ == CubeStep::kToNormal ? to_normal(rows, log_det) : to_cube(rows, log_det);
}

void UnitCubeLayer::inverse(Index, Rows rows, double* log_det) const {
  step_ == CubeStep::kToNormal ? to_cube(rows, log_det) : to_normal(rows, log_det);
}

}  // namespace conflux
