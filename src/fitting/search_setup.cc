#include "fitting/search_setup.h"

namespace conflux {

std::vector<double> search_weights(const FitOptions& options) {
  std::vector<double> out = options.weights.list;
  for (double& weight : out) weight = 0.5 * (weight + 1 / static_cast<double>(out.size()));
  return out;
}

SearchOptions search_options(const FitOptions& options) {
  SearchOptions out;
  out.ascent.max_steps = options.search_steps;
  out.ascent.polar = options.polar_steps;
  out.inner_steps = options.inner_steps;
  return out;
}

void share(Frame& frame, Communicator& comm) {
  Matrix columns = frame.columns();
  comm.broadcast(std::span(columns.data(), static_cast<std::size_t>(columns.size())), 0);
  frame = Frame(std::move(columns));
}

Fitted from_search(const SearchResult& found) {
  return {.spread_at_start = found.start_value,
          .spread_before = found.value,
          .steps = found.steps,
          .evaluations = found.evaluations,
          .passes = found.passes,
          .work = found.work};
}

}  // namespace conflux
