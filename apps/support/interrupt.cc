#include "support/interrupt.h"

#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "files/atomic_file.h"

namespace conflux::app {

namespace {

// Seconds of processor time: longer than a block of rows or a step of a search takes, short enough
// for a waiting user. On a busy machine the program may have had no time to check the flag, so it
// gets several turns.
constexpr double kPatience = 0.7;
constexpr int kMostTurns = 4;
// A program that uses less waits for input.
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
  if (++turns < kMostTurns && used > kAsleep && used < kPatience / 4) return wake_later();
  constexpr std::string_view kWords =
      "conflux: interrupted within a long step; its result is not written, and what a checkpoint "
      "holds stays.\n";
  if (::write(STDERR_FILENO, kWords.data(), kWords.size()) < 0) turns = 0;
  remove_partial_files();
  std::signal(received, SIG_DFL);
  std::raise(received);
}

// A damaged file can crash a library that parses it.
extern "C" void tell_crash(int) {
  constexpr std::string_view kWords =
      "conflux: crashed, in conflux or in a library; no result was written. If a file is damaged, "
      "copy or make it again; otherwise please report the command.\n";
  if (::write(STDERR_FILENO, kWords.data(), kWords.size()) < 0) turns = 0;
  remove_partial_files();
  ::_exit(1);
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

void catch_crashes() {
  static std::array<char, 64 * 1024> stack;
  stack_t other{};
  other.ss_sp = stack.data();
  other.ss_size = stack.size();
  // Also when the usual one has overflowed.
  ::sigaltstack(&other, nullptr);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction now {};
    // Sanitizers tell more.
    if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    now.sa_handler = tell_crash;
    now.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND);
    ::sigaction(signal, &now, nullptr);
  }
}

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
