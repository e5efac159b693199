#include "interrupt.h"

#include <csignal>
#include <cstdlib>

namespace conflux::app {

namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void remember(int signal) {
  received = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, remember);
  std::signal(SIGTERM, remember);
}

bool interrupted() { return received != 0; }

void stop_if_interrupted() {
  if (interrupted()) throw Interrupted("interrupted; nothing was written.");
}

void end_as_interrupted() {
  std::signal(received, SIG_DFL);
  std::raise(received);
  std::abort();
}

}  // namespace conflux::app
