#include "flow/shear_layer.h"

#include <cmath>
#include <utility>

namespace conflux {

ShearLayer::ShearLayer(Matrix slopes, ShearStep step) : slopes_(std::move(slopes)), step_(step) {}

void ShearLayer::forward(Index, Rows rows, double*) const {
  add(step_ == ShearStep::kTakeOff ? -1 : 1, rows);
}

void ShearLayer::inverse(Index, Rows rows, double*) const {
  add(step_ == ShearStep::kTakeOff ? 1 : -1, rows);
}

void ShearLayer::add(double factor, Rows rows) const {
  for (Index i = 0; i < rows.rows(); ++i) {
    double* row = rows.row(i);
    Eigen::Map<Vector> features(row, slopes_.cols());
    for (Index k = 0; k < slopes_.rows(); ++k) {
      const double covariate = row[slopes_.cols() + k];
      if (!std::isnan(covariate)) features += factor * covariate * slopes_.row(k).transpose();
    }
  }
}

}  // namespace conflux
