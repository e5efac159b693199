#include "conflux/slicing/direction_search.h"

#include <algorithm>
#include <numeric>

namespace conflux {

template <class Scalar>
SearchResult find_directions(const SearchSample<Scalar>& sample,
                             const std::vector<double>& group_weights, const Frame& start,
                             const AscentOptions& options, const Workers& workers) {
  SlicedSpread<Scalar> spread(sample, group_weights, start.directions(), workers);
  const AscentResult climbed = ascend(start, spread, options);
  const std::vector<double> each = spread.per_direction();

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
  result.passes = spread.passes();
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
                                        const Frame&, const AscentOptions&, const Workers&);     \
  template double mean_spread(const SearchSample<Scalar>&, const std::vector<double>&,           \
                              const Frame&, const Workers&);
CONFLUX_INSTANTIATE(float)
CONFLUX_INSTANTIATE(double)
#undef CONFLUX_INSTANTIATE

}  // namespace conflux
