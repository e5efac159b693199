// Eigenvalues of symmetric matrices, by LAPACK.
//
// OpenBLAS may have threads of its own. Ours call it from several tasks at once, so theirs are
// switched off while a SerialBlas exists: pools never multiply, and results do not depend on the
// number of cores.

#pragma once

#include "conflux/core/matrix.h"

namespace conflux::kernels {

/// Keeps OpenBLAS on the calling thread during its life; may be nested and used on any thread.
class SerialBlas {
 public:
  SerialBlas();
  ~SerialBlas();
  SerialBlas(const SerialBlas&) = delete;
  SerialBlas& operator=(const SerialBlas&) = delete;
};

/// Replaces the symmetric `matrix` by its eigenvectors, one per row, and returns the eigenvalues in
/// increasing order; empty if the iteration fails.
Vector symmetric_eigen(Matrix& matrix);

}  // namespace conflux::kernels
