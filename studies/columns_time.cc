// Prints what columns cost beside reading a table: columns_time FILE GROUP REPEATS THREADS.
//
// Each repeat reads the table, finds out what its columns mean, turns the rows into coordinates as
// a transform does, and prints the processor seconds of each and the ratio of the last to the
// first, which is what a transform pays. Finding is paid once, by the fit.

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <map>

#include "conflux/columns/find_columns.h"
#include "conflux/tables/table_groups.h"

namespace {

// Seconds of processor time, so that other programs do not count.
double seconds_so_far() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main(int argc, char** argv) {
  using namespace conflux;
  if (argc != 5) {
    fmt::print(stderr, "usage: columns_time FILE GROUP REPEATS THREADS\n");
    return 2;
  }
  const std::string group = argv[2];
  const Workers workers(std::atoi(argv[4]));
  fmt::print("read  find  code  code/read  find/read\n");
  for (int k = 0; k < std::atoi(argv[3]); ++k) {
    const double begin = seconds_so_far();
    const Table table = read_table(argv[1], {.text = {group}, .threads = std::atoi(argv[4])});
    const double read = seconds_so_far() - begin;
    std::map<std::string, Index> numbers;
    std::vector<Index> groups;
    for (const std::string& name : groups_of_rows(table, group)) {
      groups.push_back(numbers.try_emplace(name, static_cast<Index>(numbers.size())).first->second);
    }
    const double before = seconds_so_far();
    const Columns columns =
        find_columns(table, groups, static_cast<Index>(numbers.size()), {.drop = {group}}, workers);
    const double found = seconds_so_far() - before;
    const double start = seconds_so_far();
    const Matrix rows = columns.coordinates(table, workers);
    const double coded = seconds_so_far() - start;
    fmt::print("{:.3f} {:.3f} {:.3f} {:.2f} {:.2f}\n", read, found, coded, coded / read,
               found / read);
  }
}
