#include "support/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace conflux::app {

namespace {

// Long enough for a block of rows or a step of a search, short enough for a waiting user.
constexpr unsigned kPatienceSeconds = 5;

volatile std::sig_atomic_t received = 0;
std::atomic<bool> stop = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not wait for a lock");

extern "C" void end_at_once(int) {
  std::signal(received, SIG_DFL);
  std::raise(received);
}

extern "C" void remember(int signal) {
  received = signal;
  stop = true;
  std::signal(signal, SIG_DFL);
  ::alarm(kPatienceSeconds);
}

void catch_signal(int signal) {
  if (std::signal(signal, remember) == SIG_IGN) std::signal(signal, SIG_IGN);
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGALRM, end_at_once);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) catch_signal(signal);
}

bool interrupted() {
  if (received == 0) return false;
  ::alarm(0);
  return true;
}

const std::atomic<bool>& interrupt_flag() { return stop; }

void stop_if_interrupted() {
  if (interrupted()) throw Interrupted("interrupted; nothing was written.");
}

void end_as_interrupted() {
  std::signal(received, SIG_DFL);
  std::raise(received);
  std::abort();
}

}  // namespace conflux::app
