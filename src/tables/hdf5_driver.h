// How the HDF5 library reads and writes files here: through a driver of ours, which keeps the error
// of the first call that failed.
//
// The library does not survive a write that fails while a file is closed (1.10 crashes at the end
// of the program), and its own error numbers are lost. To the library, a write through this driver
// never fails; whoever has closed a file asks afterwards whether it did.

#pragma once

#include <hdf5.h>

namespace conflux::hdf5 {

/// Keeps the library from tidying up at the end of the program, which crashes after a write that
/// has failed; files are closed before. To be called before anything else of the library.
void leave_out_cleanup();

/// A list of properties for H5Fopen(); the caller closes it.
hid_t access_through_driver();

/// The error number of the first call of the system that failed since the last one of
/// forget_failures() on this thread; 0 if none did.
int first_failure();
void forget_failures();

}  // namespace conflux::hdf5
