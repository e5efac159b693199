// Kernels on one thread, each with its share of the limit that the same run measures: a bare sgemm
// of the same shape or the time to read the table, whichever is longer; vqsort and std::sort.

#include <benchmark/benchmark.h>

#include <algorithm>

#include "bench/limits.h"
#include "kernels/product.h"
#include "kernels/sort.h"

namespace conflux::bench {
namespace {

void report_product(benchmark::State& state, Index rows, Index dim, Index k, bool transposed) {
  const double limit = std::max(bare_sgemm(rows, dim, k, transposed, 1), bare_read(rows * dim * 4));
  const double flops = 2.0 * static_cast<double>(rows * dim * k);
  state.counters["GFLOP/s"] =
      benchmark::Counter(flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["limit_GFLOP/s"] = flops * 1e-9 / limit;
  state.SetBytesProcessed(state.iterations() * rows * dim * 4);
}

void BM_Project(benchmark::State& state) {
  const Index rows = state.range(0), dim = state.range(1), k = state.range(2);
  const Index width = kernels::padded_width<float>(k);
  const std::vector<float> x = random_floats(rows * dim, 1);
  const std::vector<float> w = random_floats(dim * width, 2);
  std::vector<float> out(static_cast<std::size_t>(rows * width));
  for (auto _ : state) {
    kernels::project(x.data(), dim, rows, dim, w.data(), width, out.data());
    benchmark::DoNotOptimize(out.data());
  }
  report_product(state, rows, dim, k, false);
}

void BM_Accumulate(benchmark::State& state) {
  const Index rows = state.range(0), dim = state.range(1), k = state.range(2);
  const Index width = kernels::padded_width<float>(k);
  const std::vector<float> x = random_floats(rows * dim, 1);
  const std::vector<float> r = random_floats(rows * width, 2);
  std::vector<float> out(static_cast<std::size_t>(dim * width));
  for (auto _ : state) {
    std::fill(out.begin(), out.end(), 0.0F);
    kernels::accumulate(x.data(), dim, rows, 0, dim, r.data(), width, out.data());
    benchmark::DoNotOptimize(out.data());
  }
  report_product(state, rows, dim, k, true);
}

void shapes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"rows", "dim", "directions"})->Unit(benchmark::kMillisecond);
  for (const int k : {5, 10, 30, 56}) {
    for (const int rows : {1500, 9000}) b->Args({rows, 784, k});
  }
  b->Args({100000, 50, 10});
}
BENCHMARK(BM_Project)->Apply(shapes);
BENCHMARK(BM_Accumulate)->Apply(shapes);

template <bool WithRows>
void BM_Sort(benchmark::State& state) {
  const Index count = state.range(0);
  const std::vector<float> values = random_floats(count, 3);
  std::vector<float> sorted;
  std::vector<std::uint32_t> rows(values.size());
  kernels::SortBuffer buffer;
  for (auto _ : state) {
    sorted = values;
    if constexpr (WithRows) {
      kernels::sort_rows(sorted.data(), count, rows.data(), buffer);
    } else {
      kernels::sort_values(sorted.data(), count);
    }
    benchmark::DoNotOptimize(sorted.data());
  }
  const double std_sort = shortest([&] {
    sorted = values;
    std::sort(sorted.begin(), sorted.end());
  });
  const double limit = WithRows ? bare_vqsort<std::uint64_t>(count) : bare_vqsort<float>(count);
  state.SetItemsProcessed(state.iterations() * count);
  state.counters["vqsort_ns"] = limit / static_cast<double>(count) * 1e9;
  state.counters["std_sort_ns"] = std_sort / static_cast<double>(count) * 1e9;
  state.counters["ns"] = benchmark::Counter(
      static_cast<double>(count) * 1e-9,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_Sort<false>)
    ->Name("BM_SortValues")
    ->ArgName("values")
    ->Arg(2250)
    ->Arg(4500)
    ->Arg(100000);
BENCHMARK(BM_Sort<true>)->Name("BM_SortRows")->ArgName("values")->Arg(2250)->Arg(4500)->Arg(100000);

}  // namespace
}  // namespace conflux::bench
