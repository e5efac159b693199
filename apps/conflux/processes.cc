#include "processes.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "conflux/core/error.h"

namespace conflux::app {

namespace {

// Environment variables by which Open MPI, and MPI under Slurm, mark the processes that they start.
bool were_started_together() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* size = std::getenv(name);
    if (size != nullptr && std::atoi(size) > 1) return true;
  }
  return false;
}

// The library beside the command, or where it is installed.
void* load_mpi() {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const fs::path folder = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  for (const fs::path& place : {folder, folder.parent_path() / CONFLUX_MPI_FOLDER}) {
    const std::string file = (place / "conflux_mpi.so").string();
    if (!fs::exists(file, unknown)) continue;
    // Parts of MPI search for others among all loaded libraries.
    if (void* found = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL)) return found;
    throw Error(fmt::format("{} cannot be loaded: {}", file, ::dlerror()));
  }
  throw InvalidOption(
      "several processes were started, but this conflux was built without MPI; install "
      "libopenmpi-dev and build it again, or start it alone.");
}

class Processes {
 public:
  Communicator& join() {
    if (joined_ != nullptr) return *joined_;
    joined_ = &alone_;
    if (!were_started_together()) return *joined_;
    mpi_ = load_mpi();
    joined_ = function<Communicator*()>("conflux_join_processes")();
    // All processes would print the same, so one prints it.
    if (joined_->rank() > 0) {
      for (std::FILE* stream : {stdout, stderr}) {
        if (std::freopen("/dev/null", "w", stream) == nullptr) std::abort();
      }
    }
    return *joined_;
  }

  void leave() const {
    if (mpi_ != nullptr) function<void()>("conflux_leave_processes")();
  }

 private:
  template <class Signature>
  Signature* function(const char* name) const {
    return reinterpret_cast<Signature*>(::dlsym(mpi_, name));
  }

  SelfCommunicator alone_;
  void* mpi_ = nullptr;
  Communicator* joined_ = nullptr;
};

Processes& the_processes() {
  static Processes all;
  return all;
}

}  // namespace

Communicator& processes() { return the_processes().join(); }

void leave_processes() { the_processes().leave(); }

void refuse_several_processes(const std::string& verb) {
  const Index count = processes().size();
  if (count == 1) return;
  throw InvalidOption(
      fmt::format("{} processes were started, but {} runs in one; fit, transform, inverse, "
                  "translate and evaluate run in several. Start one process.",
                  count, verb));
}

}  // namespace conflux::app
