// The "WD" of the INB papers, to compare with their tables.
//
// It is a log-domain Sinkhorn iteration on squared distances in single precision with so small a
// blur that one sweep is a plain c-transform, stopped by a threshold on the *sum* of the changes of
// one potential. For a few hundred points that is after two sweeps, long before convergence: column
// sums of the plan are right, row sums are not, the value depends on the order of the arguments,
// and it can lie far below the Wasserstein distance. Rank methods by exact_w2_squared() instead.
//
// Promise: the published figures, up to rounding. Cost: O(n n' d) for the costs, then O(n n') per
// iteration; two n x n' matrices per block in memory.

#pragma once

#include <optional>

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"

namespace conflux {

enum class PaperWdScalar { kFloat, kDouble };

struct PaperWdOptions {
  /// Rows per block, 500 for images in the papers; both clouds are cut in file order and the values
  /// of the blocks are averaged by their sizes. Unset: the clouds are compared whole.
  std::optional<Index> block = std::nullopt;

  /// The papers compute in single precision.
  PaperWdScalar scalar = PaperWdScalar::kFloat;

  /// Blur of the plan. The helper function that the papers released has 0.1, which cannot have
  /// given their figures.
  double epsilon = 1e-4;

  int max_iterations = 100;

  /// Stops when the changes of the first potential sum to less than this.
  double threshold = 0.1;
};

struct PaperWd {
  /// A squared distance: the papers take no root.
  double value = 0;
  /// Iterations of the slowest block.
  int iterations = 0;
};

PaperWd paper_wd(ConstRows x, ConstRows y, const PaperWdOptions& options, const Workers& workers);

}  // namespace conflux
