// Applying fitted flows: points per second through single maps and rows per second through layers.

#include <benchmark/benchmark.h>

#include "bench/limits.h"
#include "conflux/toys/toy.h"
#include "conflux/training/fit.h"
#include "univariate/barycenter.h"

namespace conflux::bench {
namespace {

std::vector<double> points(Index count) {
  const std::vector<float> values = random_floats(count, 5);
  return {values.begin(), values.end()};
}

void run_map(benchmark::State& state, const MonotoneMap& map, bool backwards) {
  const std::vector<double> original = points(4096);
  std::vector<double> values;
  for (auto _ : state) {
    values = original;
    backwards ? inverse(map, values, nullptr) : forward(map, values, nullptr);
    benchmark::DoNotOptimize(values.data());
  }
  state.SetItemsProcessed(state.iterations() * 4096);
}

void BM_QuantileMap(benchmark::State& state) {
  const Index knots = state.range(0);
  std::vector<QuantileSummary> groups;
  for (const double scale : {1.0, 1.5}) {
    std::vector<double> values = points(5000);
    for (double& value : values) value *= scale;
    std::sort(values.begin(), values.end());
    groups.push_back(summarize(values, {}, 16 * knots));
  }
  const std::vector<double> weights{0.5, 0.5};
  const auto maps = fit_quantile_maps(groups, weights, knots, 1);
  run_map(state, maps[0], state.range(1) != 0);
}
BENCHMARK(BM_QuantileMap)->ArgNames({"knots", "inverse"})->ArgsProduct({{30, 100}, {0, 1}});

void BM_HistogramMap(benchmark::State& state) {
  std::vector<GroupHistogram> groups;
  const std::vector<double> values = points(5000);
  for (const double mean : {0.0, 1.0}) {
    groups.push_back({mean, 1, count_in_normal_bins(values, {}, mean, 1, 67), 1e-4});
  }
  const HistogramSettings settings{.grid = state.range(0)};
  const std::vector<double> weights{0.5, 0.5};
  const auto maps = fit_histogram_maps(groups, weights, settings, 1);
  run_map(state, maps[0], state.range(1) != 0);
}
BENCHMARK(BM_HistogramMap)->ArgNames({"grid", "inverse"})->ArgsProduct({{0, 100}, {0, 1}});

void BM_Transform(benchmark::State& state) {
  const Index rows = state.range(0), dim = state.range(1);
  const GroupSet groups = make_gaussian_groups(2, dim, rows, 1);
  FitOptions options;
  options.method = state.range(2) == 0 ? Method::kNb : Method::kInb;
  if (state.range(2) > 0) options.layers = state.range(2);
  options.search_steps = 1;
  options = without_ignored(options);
  const Fit fit = fit_flow(groups, options);
  const Workers workers;
  Matrix out;
  for (auto _ : state) {
    out = groups[0].rows.eigen();
    fit.flow.forward_in_place(0, Rows(out), nullptr, workers);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * rows);
}
BENCHMARK(BM_Transform)
    ->ArgNames({"rows", "dim", "inb_layers"})
    ->Args({100000, 10, 0})
    ->Args({4500, 784, 0})
    ->Args({4500, 784, 10})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// Layers with a gate of so many kinds (0: without one), forward and back, on one thread. The rows
// have four clusters, so that eight kinds share most points between two.
void BM_GatedTransform(benchmark::State& state) {
  const Index dim = state.range(0), kinds = state.range(1);
  const bool backwards = state.range(2) != 0;
  constexpr Index kRows = 5000;
  const GroupSet groups = make_mixtures(kRows, dim);
  FitOptions options;
  options.method = Method::kInb;
  options.layers = 5;
  options.directions = std::min<Index>(10, dim / 4);
  options.search_steps = 1;
  options.validation_fraction = 0;
  options.min_cluster = 2;
  options.gate = Gating::kNone;
  if (kinds > 0) {
    options.gate = Gating::kClusters;
    options.clusters = kinds;
  }
  const Fit fit = fit_flow(groups, options);
  const Workers one(1);
  Matrix out;
  for (auto _ : state) {
    out = groups[0].rows.eigen();
    if (backwards) {
      fit.flow.inverse_in_place(0, Rows(out), nullptr, one);
    } else {
      fit.flow.forward_in_place(0, Rows(out), nullptr, one);
    }
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * kRows);
}
BENCHMARK(BM_GatedTransform)
    ->ArgNames({"dim", "kinds", "inverse"})
    ->ArgsProduct({{20, 100, 784}, {0, 8}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace conflux::bench
