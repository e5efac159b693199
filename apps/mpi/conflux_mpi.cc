// Lets the command join the processes that mpirun has started.
//
// A library of its own, which the command loads when it was started so: then a command that runs
// alone neither needs MPI nor waits for it to be loaded.

#include <chrono>
#include <thread>

#include "conflux/comm/mpi_communicator.h"

extern "C" {

conflux::Communicator* conflux_join_processes() {
  MPI_Init(nullptr, nullptr);
  static conflux::MpiCommunicator all(MPI_COMM_WORLD);
  return &all;
}

void conflux_leave_processes() {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  // MPI itself would wait at full speed.
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  MPI_Finalize();
}
}
