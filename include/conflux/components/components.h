// Principal components of wide, mostly empty rows, as part of a model: cells with their genes
// become rows of a few components, which a flow can move, and moved components change the genes
// they came from.
//
//   Components components = fit_components({"batch1/", "batch2.h5ad"}, {.count = 50}, {});
//   auto reader = open_projected("new.h5ad", {}, components);   // PC1, PC2, ... and obs
//
// Rows are brought to a common depth first, if the model was fitted so. Components are those of all
// rows together, found by seeded subspace iteration over blocks of rows: the same bits for any
// number of threads; memory holds a block and a few numbers per gene and component, however many
// rows there are. What the components do not explain, the residual, stays as it was when genes are
// corrected.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"
#include "conflux/tables/table.h"

namespace conflux {

struct SparseBlock;

/// kLog1pCp10k: counts are divided by the sum of their row, times 10,000, then log(1 + x).
enum class Normalization { kNone, kLog1pCp10k };

std::string_view name_of(Normalization normalization);
/// Throws InvalidOption with the nearest word.
Normalization normalization_called(const std::string& word);

class Components {
 public:
  /// Names of the genes that are projected.
  std::vector<std::string> genes = {};
  Normalization normalization = Normalization::kNone;
  /// Means of the normalized genes.
  Vector mean = {};
  /// One orthonormal column per component, one row per gene.
  Matrix loadings = {};
  /// Variance along each component, in decreasing order, and of all genes together.
  Vector variances = {};
  double total_variance = 0;
  /// Whether all numbers were whole and none negative before they were normalized. For warnings
  /// about the data of the fit; model files do not keep it.
  bool of_counts = false;

  bool empty() const { return genes.empty(); }
  Index count() const { return loadings.cols(); }
  /// PC1, PC2, ...
  std::vector<std::string> names() const;
  /// "50 components of 1767 genes, 24.1 % of their variance, after log1p-cp10k"
  std::string describe() const;

  /// Throws InvalidData for a negative number if rows are normalized.
  void normalize(SparseBlock& rows) const;
  /// Components of normalized rows.
  Matrix scores(const SparseBlock& rows, const Workers& workers) const;
  /// Normalized genes of rows whose components have changed; the residual is kept.
  Matrix corrected(const SparseBlock& rows, const Matrix& before, const Matrix& after,
                   const Workers& workers) const;
};

struct ComponentOptions {
  Index count = 50;
  /// Whether fewer will do when there are not enough rows or genes.
  bool or_fewer = false;
  Normalization normalization = Normalization::kNone;
  std::uint64_t seed = 0;
};

/// Principal components of the rows of all files, which must have the same genes. Throws
/// InvalidOption when there are fewer rows or genes than components, or a file has no sparse rows.
Components fit_components(const std::vector<std::string>& paths, const ComponentOptions& options,
                          const TableOptions& table);

/// A table of components and the columns that are no genes.
class ProjectedReader : public TableReader {
 public:
  /// The normalized genes of the last block that was read, and their components.
  virtual const SparseBlock& last_rows() const = 0;
  virtual const Matrix& last_scores() const = 0;
};

/// Genes are found by name; more of them than the model has are left out, which is noted. Nothing
/// when the file has no genes, but components already.
std::unique_ptr<ProjectedReader> open_projected(const std::string& path, TableOptions table,
                                                const Components& components);

}  // namespace conflux
