// Prints the seconds that reading a table takes: read_csv_time FILE REPEATS THREADS.

#include <fmt/format.h>

#include <cstdlib>

#include "conflux/tables/table.h"
#include "core/stopwatch.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: read_csv_time FILE REPEATS THREADS\n");
    return 2;
  }
  for (int k = 0; k < std::atoi(argv[2]); ++k) {
    const conflux::Stopwatch watch;
    const conflux::Table table = conflux::read_table(argv[1], {.threads = std::atoi(argv[3])});
    const double seconds = watch.seconds();
    double sum = 0;
    for (const conflux::Column& column : table.columns) {
      for (const double value : column.numbers) sum += value;
    }
    fmt::print("{} {} {} {}\n", seconds, table.num_rows(), table.num_columns(), sum);
  }
}
