#include "support/interrupt.h"

#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string_view>

namespace conflux::app {

namespace {

// A block of rows or a step of a search takes less of the processor's time; somebody who waits does
// not wait much longer. On a busy machine the program may have had no time to look: then it gets
// more.
constexpr double kPatience = 0.7;
constexpr int kMostTurns = 7;
// Whoever uses less waits for input.
constexpr double kAsleep = 0.01;

volatile std::sig_atomic_t received = 0;
std::atomic<bool> stop = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not wait for a lock");

int turns = 0;
double used_before = 0;

// Safe in a signal handler.
double seconds_used() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

void wake_later() {
  const itimerval once = {.it_interval = {}, .it_value = {0, static_cast<int>(kPatience * 1e6)}};
  ::setitimer(ITIMER_REAL, &once, nullptr);
}

void sleep_on() {
  const itimerval never = {};
  ::setitimer(ITIMER_REAL, &never, nullptr);
}

extern "C" void end_at_once(int) {
  const double used = seconds_used() - used_before;
  if (++turns < kMostTurns && used > kAsleep && used < kPatience / 2) return wake_later();
  constexpr std::string_view kWords =
      "conflux: interrupted within a long step; its result is not written, and what a checkpoint "
      "holds stays.\n";
  if (::write(STDERR_FILENO, kWords.data(), kWords.size()) < 0) turns = 0;
  std::signal(received, SIG_DFL);
  std::raise(received);
}

extern "C" void remember(int signal) {
  received = signal;
  stop = true;
  std::signal(signal, SIG_DFL);
  used_before = seconds_used();
  wake_later();
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
  sleep_on();
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
