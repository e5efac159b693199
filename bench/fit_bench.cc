// Whole layers and fits, against the bare products and sorts that they cannot do without.

#include <benchmark/benchmark.h>

#include <ctime>

#include "bench/limits.h"
#include "conflux/toys/toy.h"
#include "conflux/training/fit.h"

namespace conflux::bench {
namespace {

/// Seconds that the searches of a record would take if they were nothing but sgemm on all threads
/// and vqsort on all threads.
double bare_seconds(const FitRecord& record, Index rows_per_group, Index dim, int threads) {
  const Index groups = static_cast<Index>(record.group_sizes.size());
  const Index k = *record.options.directions;
  const Index rows = rows_per_group * groups;
  const double product =
      0.5 * (bare_sgemm(rows, dim, k, false, threads) + bare_sgemm(rows, dim, k, true, threads));
  const double values = bare_vqsort<float>(rows_per_group);
  const double keys = bare_vqsort<std::uint64_t>(rows_per_group);
  double seconds = 0;
  for (const LayerRecord& layer : record.layers) {
    const double sorts =
        static_cast<double>(k * groups) *
        (static_cast<double>(layer.evaluations) * values + static_cast<double>(layer.steps) * keys);
    seconds += static_cast<double>(layer.passes) * product + sorts / threads;
  }
  return seconds;
}

// One layer of the paper preset, as large as the paper's image experiments.
void BM_PaperLayer(benchmark::State& state) {
  const Index rows = state.range(0), dim = state.range(1), k = state.range(2);
  const GroupSet groups = make_gaussian_groups(2, dim, rows, 1);
  FitOptions options = paper_options(Method::kInb, 2);
  options.layers = 1;
  options.directions = k;
  FitRecord record;
  for (auto _ : state) record = fit_flow(groups, options).record;
  const double bare = bare_seconds(record, rows / 2, dim, Workers().threads());
  state.counters["layer_s"] = record.layers[0].seconds;
  state.counters["bare_s"] = bare;
  state.counters["ratio"] = record.layers[0].seconds / bare;
  state.counters["steps"] = static_cast<double>(record.layers[0].steps);
  state.counters["passes"] = static_cast<double>(record.layers[0].passes);
}
BENCHMARK(BM_PaperLayer)
    ->ArgNames({"rows", "dim", "directions"})
    ->Args({4500, 784, 10})
    ->Args({4500, 784, 30})
    ->Args({4500, 784, 56})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void BM_DefaultFit(benchmark::State& state) {
  const Index groups = state.range(0), rows = state.range(1), dim = state.range(2);
  const GroupSet data = make_gaussian_groups(groups, dim, rows, 1);
  FitOptions options;
  options.layers = 10;
  for (auto _ : state) benchmark::DoNotOptimize(fit_flow(data, options).record.seconds);
}
BENCHMARK(BM_DefaultFit)
    ->ArgNames({"groups", "rows", "dim"})
    ->Args({2, 4500, 784})
    ->Args({10, 4500, 784})
    ->Args({3, 1000, 30})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

double processor_seconds(const GroupSet& groups, const FitOptions& options) {
  const std::clock_t begin = std::clock();
  benchmark::DoNotOptimize(fit_flow(groups, options).record.seconds);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

// The same number of layers and directions with a gate and without, in turns, so that a busy
// machine slows both: `ratio` is what a gate costs.
void BM_GatedFit(benchmark::State& state) {
  const GroupSet groups = make_mixtures(state.range(0), state.range(1));
  FitOptions plain;
  plain.method = Method::kInb;
  plain.layers = state.range(2);
  plain.directions = state.range(3);
  plain.validation_fraction = 0;
  plain.gate = Gating::kNone;
  FitOptions gated = plain;
  gated.gate = Gating::kClusters;
  double plain_seconds = 0, gated_seconds = 0;
  for (auto _ : state) {
    plain_seconds += processor_seconds(groups, plain);
    gated_seconds += processor_seconds(groups, gated);
  }
  state.counters["plain_s"] = plain_seconds / static_cast<double>(state.iterations());
  state.counters["gated_s"] = gated_seconds / static_cast<double>(state.iterations());
  state.counters["ratio"] = gated_seconds / plain_seconds;
}
BENCHMARK(BM_GatedFit)
    ->ArgNames({"rows", "dim", "layers", "directions"})
    ->Args({5000, 784, 20, 10})
    ->Args({1000, 20, 40, 5})
    ->Args({5000, 20, 40, 5})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace conflux::bench
