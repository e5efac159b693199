#include "conflux/components/components.h"

#include <fmt/format.h>

#include <cmath>

#include "conflux/core/error.h"
#include "core/nearest_name.h"
#include "tables/sparse_rows.h"

namespace conflux {

namespace {

constexpr double kCommonDepth = 1e4;
constexpr Index kRowsPerTask = 256;
constexpr std::string_view kLog1pCp10k = "log1p-cp10k";

}  // namespace

std::string_view name_of(Normalization normalization) {
  return normalization == Normalization::kLog1pCp10k ? kLog1pCp10k : "none";
}

Normalization normalization_called(const std::string& word) {
  if (word.empty() || word == "none") return Normalization::kNone;
  if (word == kLog1pCp10k) return Normalization::kLog1pCp10k;
  throw InvalidOption(unknown_name("normalization", word, {"none", std::string(kLog1pCp10k)}));
}

std::vector<std::string> Components::names() const {
  std::vector<std::string> out;
  for (Index k = 1; k <= count(); ++k) out.push_back(fmt::format("PC{}", k));
  return out;
}

std::string Components::describe() const {
  return fmt::format("{} components of {} genes, {:.1f} % of their variance{}", count(),
                     genes.size(), 100 * variances.sum() / std::max(total_variance, 1e-300),
                     normalization == Normalization::kNone
                         ? ""
                         : fmt::format(", after {}", name_of(normalization)));
}

void Components::normalize(SparseBlock& rows) const {
  if (normalization == Normalization::kNone) return;
  for (Index i = 0; i < rows.rows(); ++i) {
    double sum = 0;
    for (Index k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
      if (rows.values[k] < 0) {
        throw InvalidData(fmt::format(
            "gene \"{}\" has the value {}, but {} is for counts, which are not negative; leave out "
            "--normalize.",
            genes[rows.columns[k]], rows.values[k], name_of(normalization)));
      }
      sum += rows.values[k];
    }
    const double factor = sum > 0 ? kCommonDepth / sum : 0;
    for (Index k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
      rows.values[k] = std::log1p(factor * rows.values[k]);
    }
  }
}

Matrix Components::scores(const SparseBlock& rows, const Workers& workers) const {
  const Eigen::RowVectorXd origin = mean.transpose() * loadings;
  Matrix out(rows.rows(), count());
  workers.for_each_block(rows.rows(), kRowsPerTask, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      out.row(i) = -origin;
      for (Index k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
        out.row(i) += rows.values[k] * loadings.row(rows.columns[k]);
      }
    }
  });
  return out;
}

Matrix Components::corrected(const SparseBlock& rows, const Matrix& before, const Matrix& after,
                             const Workers& workers) const {
  Matrix out(rows.rows(), static_cast<Index>(genes.size()));
  workers.for_each_block(rows.rows(), 16, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      out.row(i).noalias() = (loadings * (after.row(i) - before.row(i)).transpose()).transpose();
      for (Index k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
        out(i, rows.columns[k]) += rows.values[k];
      }
    }
  });
  return out;
}

}  // namespace conflux
