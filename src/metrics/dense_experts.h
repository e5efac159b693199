// Classifiers that look at all features together: Gaussian discriminants and kernel ridge
// regression. They are the experts of the panel (metrics/panel.h) beside boosted trees.
//
// - Linear discriminants: classes share a covariance matrix, which a ridge keeps regular.
// - Quadratic discriminants: each class has its own, shrunk toward the shared one.
// - Kernel ridge: least squares on a Gaussian kernel, of which 256 rows are the centers (Nystroem).
//
// Each comes with little and with much regularization. Features should have mean 0 and variance 1.
// Cost: rows x features^2 and rows x 256 x (features + 256).

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "conflux/core/matrix.h"

namespace conflux {

class DenseExperts {
 public:
  static constexpr Index kCount = 6;

  /// class_of[i] is 0 .. classes-1. A class without rows gets the score 0.
  DenseExperts(const Matrix& rows, const std::vector<Index>& class_of, Index classes,
               std::uint64_t seed);

  /// For each expert, rows x classes: the larger, the more a row looks like the class and unlike
  /// the others. Of one row the scores do not depend on the other rows.
  std::vector<Matrix> scores(const Matrix& rows) const;

 private:
  struct Gaussian {
    std::vector<Matrix> whitening;  // of each class, or one of all: the inverse of the factor
    std::vector<double> half_log_determinant;
  };
  struct Ridge {
    Matrix coefficients;  // centers x classes
  };

  void fit_means(const Matrix& rows, const std::vector<Index>& class_of);
  void fit_gaussians(const Matrix& rows, const std::vector<Index>& class_of);
  void fit_ridges(const Matrix& rows, const std::vector<Index>& class_of, std::uint64_t seed);
  Matrix gaussian_scores(const Gaussian& gaussian, const Matrix& rows, Index dim) const;
  Matrix kernel(const Matrix& rows) const;
  /// Log densities become the log odds of each class against all others.
  void against_others(Matrix& log_densities) const;

  Index classes_;
  Index quadratic_dim_ = 0;
  Matrix means_;  // classes x features
  std::vector<double> shares_;
  std::vector<Gaussian> linear_;
  std::vector<Gaussian> quadratic_;
  Matrix centers_;
  std::vector<Ridge> ridges_;
};

}  // namespace conflux
