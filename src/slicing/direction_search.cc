#include "slicing/direction_search.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "kernels/dense.h"

namespace conflux {

namespace {

// Columns of a basis that stand for less than this fraction of the gradient are rounding.
constexpr double kNegligible = 1e-5;

// Result of one ascent, in units of the sample.
struct Climbed {
  AscentResult ascent;
  std::vector<double> spreads;
  Index passes;
  Work work;
};

template <class Scalar>
Climbed climb_along_gradients(const SearchSample<Scalar>& sample,
                              const std::vector<double>& group_weights, const Frame& start,
                              const AscentOptions& options, const Workers& workers) {
  SlicedSpread<Scalar> spread(sample, group_weights, start.directions(), workers);
  AscentResult ascent = ascend(start, spread, options);
  std::vector<double> spreads = spread.per_direction();
  return {std::move(ascent), std::move(spreads), spread.passes(), spread.work()};
}

// Orthonormal columns that span what `g` adds to the span of `basis`; fewer than those of `g` when
// it adds little.
Matrix orthonormal_rest(const Matrix& basis, const Matrix& g) {
  Matrix rest = g - basis * (basis.transpose() * g);
  rest -= basis * (basis.transpose() * rest);
  const kernels::PivotedQr qr = kernels::pivoted_qr(rest);
  const double least = kNegligible * g.norm() / std::max(rest.norm(), 1e-300) * qr.pivots(0);
  const Index rank =
      std::min<Index>((qr.pivots.array() > least).count(), basis.rows() - basis.cols());
  return qr.basis.leftCols(rank);
}

Matrix side_by_side(const Matrix& a, const Matrix& b) {
  Matrix out(a.rows(), a.cols() + b.cols());
  out << a, b;
  return out;
}

// The data as seen from the span of a frame and, after widen(), of K more columns beside it.
template <class Scalar>
class Subspace {
 public:
  Subspace(const SearchSample<Scalar>& sample, const Frame& frame, Work& work,
           const Workers& workers)
      : sample_(sample), work_(work), workers_(workers), basis_(frame.columns()) {
    seen_.masses = sample.masses;
    seen_.rows = project_rows(sample, basis_, work, workers);
  }

  const Matrix& basis() const { return basis_; }
  const SearchSample<Scalar>& seen() const { return seen_; }

  /// One pass over the data.
  void widen(const Matrix& columns) {
    const std::vector<MatrixOf<Scalar>> more = project_rows(sample_, columns, work_, workers_);
    for (std::size_t m = 0; m < more.size(); ++m) {
      MatrixOf<Scalar> wider(more[m].rows(), basis_.cols() + columns.cols());
      wider << seen_.rows[m], more[m];
      seen_.rows[m] = std::move(wider);
    }
    basis_ = side_by_side(basis_, columns);
  }

  /// Keeps the frame that has these coordinates. No pass.
  void narrow(const Frame& coordinates) {
    seen_.rows = project_rows(seen_, coordinates.columns(), work_, workers_);
    basis_ = basis_ * coordinates.columns();
  }

 private:
  const SearchSample<Scalar>& sample_;
  Work& work_;
  const Workers& workers_;
  SearchSample<Scalar> seen_;
  Matrix basis_;
};

template <class Scalar>
Climbed climb_in_spans(const SearchSample<Scalar>& sample, const std::vector<double>& group_weights,
                       const Frame& start, const SearchOptions& options, const Workers& workers) {
  const Index k = start.directions();
  AscentOptions inner = options.ascent;
  inner.max_steps = options.inner_steps;
  inner.grow_after_shrinking = false;
  Climbed out = {};
  AscentResult& result = out.ascent;
  Subspace<Scalar> space(sample, start, out.work, workers);
  out.passes = 1;
  Frame here(Matrix::Identity(k, k));
  auto spread = std::make_unique<SlicedSpread<Scalar>>(space.seen(), group_weights, k, workers);
  result.start_value = result.value = spread->start(here);
  result.evaluations = 1;
  while (result.steps < options.ascent.max_steps) {
    const Matrix g = spread->gradient_over(sample);
    ++out.passes;
    if (!g.allFinite()) break;
    if (result.steps > 0) space.narrow(here);
    here = Frame(Matrix::Identity(k, k));
    const Matrix beside = orthonormal_rest(space.basis(), g);
    if (beside.cols() > 0) {
      space.widen(beside);
      ++out.passes;
      here = Frame(Matrix::Identity(k + beside.cols(), k));
    }
    out.work += spread->work();
    spread = std::make_unique<SlicedSpread<Scalar>>(space.seen(), group_weights, k, workers);
    AscentResult climbed = ascend(here, *spread, inner);
    here = std::move(climbed.frame);
    result.evaluations += climbed.evaluations;
    ++result.steps;
    const double gain = climbed.value - result.value;
    result.value = climbed.value;
    if (!(gain > options.ascent.min_relative_gain * std::abs(result.value))) break;
  }
  result.frame = Frame(space.basis() * here.columns());
  if (result.frame.drift() > Frame::kDriftLimit) {
    result.frame = Frame::orthonormalized(result.frame.columns());
  }
  out.spreads = spread->per_direction();
  out.work += spread->work();
  return out;
}

}  // namespace

template <class Scalar>
SearchResult find_directions(const SearchSample<Scalar>& sample,
                             const std::vector<double>& group_weights, const Frame& start,
                             const SearchOptions& options, const Workers& workers) {
  const Climbed found =
      options.inner_steps > 0
          ? climb_in_spans(sample, group_weights, start, options, workers)
          : climb_along_gradients(sample, group_weights, start, options.ascent, workers);
  const AscentResult& climbed = found.ascent;
  const std::vector<double>& each = found.spreads;

  std::vector<Index> order(each.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return each[a] > each[b]; });

  const double unit = sample.scale * sample.scale;
  Matrix columns(start.dim(), start.directions());
  SearchResult result;
  for (Index k = 0; k < start.directions(); ++k) {
    columns.col(k) = climbed.frame.columns().col(order[k]);
    result.spreads.push_back(unit * each[order[k]]);
  }
  result.frame = Frame(std::move(columns));
  result.start_value = unit * climbed.start_value;
  result.value = unit * climbed.value;
  result.steps = climbed.steps;
  result.evaluations = climbed.evaluations;
  result.passes = found.passes;
  result.work = found.work;
  return result;
}

template <class Scalar>
double mean_spread(const SearchSample<Scalar>& sample, const std::vector<double>& group_weights,
                   const Frame& frame, const Workers& workers) {
  SlicedSpread<Scalar> spread(sample, group_weights, frame.directions(), workers);
  return sample.scale * sample.scale * spread.start(frame);
}

#define CONFLUX_INSTANTIATE(Scalar)                                                              \
  template SearchResult find_directions(const SearchSample<Scalar>&, const std::vector<double>&, \
                                        const Frame&, const SearchOptions&, const Workers&);     \
  template double mean_spread(const SearchSample<Scalar>&, const std::vector<double>&,           \
                              const Frame&, const Workers&);
CONFLUX_INSTANTIATE(float)
CONFLUX_INSTANTIATE(double)
#undef CONFLUX_INSTANTIATE

}  // namespace conflux
