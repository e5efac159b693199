// Two processes, or more, that hold different numbers of rows: seconds of a fit of all of them.
//
//   mpirun -n 2 build/bench/bench/uneven_study 375000 125000
//
// takes the rows of each process, of which half are in each group.
//
// Prints the wall clock, and the processor time of all processes together.

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>

#include "conflux/comm/mpi_communicator.h"
#include "conflux/toys/toy.h"
#include "conflux/training/fit.h"

namespace {

double processor_seconds() {
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

void run(conflux::Communicator& comm, long rows) {
  constexpr conflux::Index kFeatures = 20;
  const conflux::GroupSet mine = conflux::make_gaussian_groups(
      2, kFeatures, rows / 2, static_cast<std::uint64_t>(comm.rank()));
  conflux::FitOptions options;
  options.method = conflux::Method::kInb;
  options.gate = conflux::Gating::kNone;
  options.fit_rows = conflux::RowLimit();
  options.validation_fraction = 0;
  options.layers = 10;
  options.threads = 1;
  comm.sum(0.0);
  const double start = MPI_Wtime(), before = processor_seconds();
  conflux::fit_flow(mine, options, comm, {});
  const double used = comm.sum(processor_seconds() - before);
  if (comm.rank() == 0) {
    std::printf("%.1f seconds, %.1f of processors\n", MPI_Wtime() - start, used);
  }
}

}  // namespace

int main(int count, char** words) {
  MPI_Init(&count, &words);
  conflux::MpiCommunicator comm(MPI_COMM_WORLD);
  run(comm, count > comm.rank() + 1 ? std::atol(words[comm.rank() + 1]) : 0);
  MPI_Finalize();
}
