// Ctrl-C, asked for politely.
//
// The first SIGINT or SIGTERM only sets a flag, which long work looks at between its steps, so that
// checkpoints are written and unfinished files removed. A second one ends the program at once.

#pragma once

#include <stdexcept>

namespace conflux::app {

/// Thrown by work that has seen the flag and tidied up.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void catch_interrupts();
bool interrupted();
/// Throws Interrupted when the flag is set.
void stop_if_interrupted();
/// Ends the program as the signal itself would have done, so that shells and scripts see it.
[[noreturn]] void end_as_interrupted();

}  // namespace conflux::app
