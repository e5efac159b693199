// Subspace iteration: an orthonormal basis is multiplied by the covariance of the genes, which is
// never formed, and made orthonormal again, until the variances of its leading components rest.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "components/gene_rows.h"
#include "conflux/core/error.h"
#include "core/rng.h"
#include "kernels/dense.h"

namespace conflux {

namespace {

// Bits do not depend on threads, but on these.
constexpr Index kRowsPerBlock = 2048;
constexpr Index kColumnsPerTask = 8;
// More directions than are wanted, so that the last wanted ones settle sooner.
constexpr Index kSpare = 20;
// Streams of directions are named by layers, of which no fit has so many.
constexpr std::uint64_t kComponentsStream = std::uint64_t{1} << 40;
constexpr int kMostPasses = 12;
constexpr double kAtRest = 1e-5;
// Rows that fit in here are read once.
constexpr std::size_t kMostKept = std::size_t{1} << 29;

/// All rows of all files, as often as they are wanted.
class Passes {
 public:
  Passes(const std::vector<std::string>& paths, const TableOptions& table,
         const Components& components)
      : paths_(paths), table_(table), components_(components) {}

  template <class Use>
  void over(const Use& use) {
    if (complete_) {
      for (const SparseBlock& block : kept_) use(block);
      return;
    }
    SparseBlock block;
    for (const std::string& path : paths_) {
      GeneRows rows(open_sparse(path, table_), components_);
      Table others = table_of(rows.reader().others());
      while (rows.read(block, others, 0, kRowsPerBlock) > 0) {
        use(block);
        of_counts_ = of_counts_ && rows.of_counts();
        keep(block);
        others = table_of(rows.reader().others());
      }
    }
    complete_ = bytes_ <= kMostKept;
  }

  /// True if all numbers that were read are counts.
  bool of_counts() const { return of_counts_; }

 private:
  void keep(const SparseBlock& block) {
    bytes_ += block.values.size() * (sizeof(double) + sizeof(std::int32_t));
    if (bytes_ <= kMostKept) {
      kept_.push_back(block);
    } else {
      kept_.clear();
    }
  }

  const std::vector<std::string>& paths_;
  const TableOptions& table_;
  const Components& components_;
  std::vector<SparseBlock> kept_;
  std::size_t bytes_ = 0;
  bool complete_ = false;
  bool of_counts_ = true;
};

struct GeneMoments {
  Index rows = 0;
  Vector mean;
  double total_variance = 0;
};

GeneMoments moments_of(Passes& passes, Index genes) {
  GeneMoments out{.mean = Vector::Zero(genes)};
  double squares = 0;
  passes.over([&](const SparseBlock& block) {
    for (std::size_t k = 0; k < block.values.size(); ++k) {
      out.mean(block.columns[k]) += block.values[k];
      squares += block.values[k] * block.values[k];
    }
    out.rows += block.rows();
  });
  if (out.rows == 0) return out;
  out.mean /= static_cast<double>(out.rows);
  const auto n = static_cast<double>(out.rows);
  out.total_variance = (squares - n * out.mean.squaredNorm()) / std::max(1.0, n - 1);
  return out;
}

/// Adds rows^T (rows - mean) basis to `product`.
void add_product(const SparseBlock& block, const Components& components, const Matrix& basis,
                 Matrix& product, const Workers& workers) {
  Components projection;
  projection.mean = components.mean;
  projection.loadings = basis;
  const Matrix scores = projection.scores(block, workers);
  workers.for_each_block(basis.cols(), kColumnsPerTask, [&](Index begin, Index end) {
    for (Index i = 0; i < block.rows(); ++i) {
      const double* from = scores.data() + i * scores.cols();
      for (Index k = block.starts[i]; k < block.starts[i + 1]; ++k) {
        double* to = product.data() + block.columns[k] * product.cols();
        for (Index j = begin; j < end; ++j) to[j] += block.values[k] * from[j];
      }
    }
  });
}

struct Subspace {
  Matrix loadings;
  Vector variances;
};

// The directions within the span of `basis` in which the rows vary most.
Subspace leading(const Matrix& basis, const Matrix& product, Index count, Index rows) {
  Matrix inner = basis.transpose() * product;
  inner = 0.5 * (inner + Matrix(inner.transpose()));
  const Vector values = kernels::symmetric_eigen(inner);
  if (values.size() == 0) {
    throw Error("principal components cannot be computed; are there numbers beyond 1e150?");
  }
  Subspace out;
  const Index all = basis.cols();
  Matrix chosen(all, count);
  out.variances.resize(count);
  for (Index k = 0; k < count; ++k) {
    chosen.col(k) = inner.row(all - 1 - k).transpose();
    out.variances(k) = std::max(0.0, values(all - 1 - k)) / static_cast<double>(rows - 1);
  }
  out.loadings = basis * chosen;
  return out;
}

// A component and its opposite are the same; the largest loading is positive.
void fix_signs(Matrix& loadings) {
  for (Index k = 0; k < loadings.cols(); ++k) {
    Index at = 0;
    loadings.col(k).cwiseAbs().maxCoeff(&at);
    if (loadings(at, k) < 0) loadings.col(k) *= -1;
  }
}

void check_count(Index count, Index rows, Index genes) {
  if (count >= 1 && count <= genes && count < rows) return;
  throw InvalidOption(
      fmt::format("{} components are asked for, but there are {} rows and {} genes; choose "
                  "fewer with --pca.",
                  count, rows, genes));
}

std::vector<std::string> genes_of(const std::string& path, const TableOptions& table) {
  const auto reader = open_sparse(path, table);
  if (!reader) {
    throw InvalidOption(
        fmt::format("{}: components are taken of .mtx files, folders of 10x Genomics and .h5ad "
                    "files; leave out "
                    "--pca, or convert the table.",
                    path));
  }
  return reader->features();
}

}  // namespace

Components fit_components(const std::vector<std::string>& paths, const ComponentOptions& options,
                          const TableOptions& table) {
  const Workers workers(table.threads);
  Components out;
  for (const std::string& path : paths) {
    std::vector<std::string> genes = genes_of(path, table);
    if (out.empty()) out.genes = std::move(genes);
  }
  out.normalization = options.normalization;
  Passes passes(paths, table, out);
  const auto genes = static_cast<Index>(out.genes.size());
  const GeneMoments moments = moments_of(passes, genes);
  const Index count =
      options.or_fewer ? std::min({options.count, genes, moments.rows - 1}) : options.count;
  check_count(count, moments.rows, genes);
  out.of_counts = passes.of_counts();
  out.mean = moments.mean;
  out.total_variance = moments.total_variance;

  const Index width = std::min({count + kSpare, genes, moments.rows - 1});
  Stream stream(options.seed, Purpose::kDirections, kComponentsStream);
  Matrix basis = kernels::orthonormal_basis(stream.normal_matrix(genes, width));
  double before = 0;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    Matrix product = Matrix::Zero(genes, width);
    passes.over(
        [&](const SparseBlock& block) { add_product(block, out, basis, product, workers); });
    Subspace found = leading(basis, product, count, moments.rows);
    out.loadings = std::move(found.loadings);
    out.variances = std::move(found.variances);
    const double explained = out.variances.sum();
    if (explained - before <= kAtRest * explained) break;
    before = explained;
    basis = kernels::orthonormal_basis(product);
  }
  fix_signs(out.loadings);
  return out;
}

}  // namespace conflux
