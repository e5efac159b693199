// Text tables: reading and writing 200,000 x 50 numbers of 17 digits (about 190 MB).

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "conflux/tables/table.h"
#include "core/rng.h"

namespace conflux {
namespace {

constexpr Index kRows = 200000;
constexpr Index kCols = 50;

Table random_table() {
  Stream stream(0, Purpose::kTest);
  Table table;
  for (Index j = 0; j < kCols; ++j) {
    std::vector<double> numbers(static_cast<std::size_t>(kRows));
    for (double& value : numbers) value = stream.normal();
    table.add(fmt::format("x{}", j), std::move(numbers));
  }
  return table;
}

// Written once, removed at the end of the program.
class CsvFile {
 public:
  CsvFile()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("conflux_bench_{}.csv", getpid())) {
    write_table(path_, random_table());
  }
  ~CsvFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }
  double bytes() const { return static_cast<double>(std::filesystem::file_size(path_)); }

 private:
  std::filesystem::path path_;
};

const CsvFile& csv_file() {
  static const CsvFile file;
  return file;
}

void count(benchmark::State& state, double bytes) {
  const auto per_second = benchmark::Counter::kIsIterationInvariantRate;
  state.counters["bytes"] =
      benchmark::Counter(bytes, per_second, benchmark::Counter::OneK::kIs1000);
  state.counters["cells"] = benchmark::Counter(static_cast<double>(kRows * kCols), per_second);
}

void BM_ReadCsv(benchmark::State& state) {
  const TableOptions options{.threads = static_cast<int>(state.range(0))};
  for (auto _ : state) benchmark::DoNotOptimize(read_table(csv_file().path(), options));
  count(state, csv_file().bytes());
}

void BM_ReadCsvInBlocks(benchmark::State& state) {
  TableOptions options{.numeric = std::vector<std::string>()};
  for (Index j = 0; j < kCols; ++j) options.numeric->push_back(fmt::format("x{}", j));
  for (auto _ : state) {
    const auto reader = open_table(csv_file().path(), options);
    for (Table block; reader->read(block, state.range(0));) {
      benchmark::DoNotOptimize(block.columns.data());
    }
  }
  count(state, csv_file().bytes());
}

void BM_WriteCsv(benchmark::State& state) {
  const Table table = random_table();
  const TableOptions options{.format = "csv", .threads = static_cast<int>(state.range(0))};
  for (auto _ : state) write_table("/dev/null", table, options);
  count(state, csv_file().bytes());
}

BENCHMARK(BM_ReadCsv)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(0)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(BM_ReadCsvInBlocks)
    ->ArgName("rows")
    ->Arg(4096)
    ->Arg(65536)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(BM_WriteCsv)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(0)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace conflux
