// The processes that mpirun or srun has started to work on one command.
//
// All of them read the fitted rows; the first one fits, writes and prints, and the others wait for
// it without using a core. Files that are moved are shared among them. Without MPI, or when a
// command was started alone, there is one process.

#pragma once

#include <string>

#include "conflux/comm/communicator.h"

namespace conflux::app {

/// Joins the others on the first call. Throws InvalidOption if several were started and this
/// program was built without MPI.
Communicator& processes();

/// Before the program ends: waits for the others and leaves MPI.
void leave_processes();

/// Throws InvalidOption when several processes were started for a verb that is the work of one.
void refuse_several_processes(const std::string& verb);

}  // namespace conflux::app
