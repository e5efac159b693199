// Handles Ctrl-C so that unfinished work is saved.
//
// The first SIGINT, SIGTERM or SIGHUP only sets a flag, which long computations check between their
// steps, so that checkpoints are written and unfinished files removed. A second one ends the
// program at once. A computation that does not check the flag for most of a second is ended as
// well, with a message: inside one large matrix decomposition, or one line of gigabytes, there is
// nothing to save.

#pragma once

#include <atomic>
#include <stdexcept>

namespace conflux::app {

/// Thrown by work that has seen the flag and tidied up.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A crash ends the program with a sentence and exit code 1, and leaves no unfinished file.
void catch_crashes();
/// Signals that were ignored when the program was started (by nohup, say) stay ignored.
void catch_interrupts();
/// Whether to stop. After the first true the caller has all the time that it needs to tidy up.
bool interrupted();
/// The flag itself, for a StopScope.
const std::atomic<bool>& interrupt_flag();
/// Throws Interrupted when the flag is set.
void stop_if_interrupted();
/// Ends the program as the signal itself would have done, so that shells and scripts see it.
[[noreturn]] void end_as_interrupted();

}  // namespace conflux::app
