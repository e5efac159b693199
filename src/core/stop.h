// Ends long work early, say because somebody pressed Ctrl-C.
//
// While a StopScope lives, Workers look at its flag before they hand out tasks, and throw Stopped
// when it is set. A fit hands out tasks many times per layer, so that it ends within a step of its
// search. The flag may be set by a signal handler. Scopes are per process, as signals are.

#pragma once

#include <atomic>

#include "conflux/core/error.h"

namespace conflux {

/// Thrown by work that was stopped on request.
class Stopped : public Error {
 public:
  Stopped() : Error("stopped before the end.") {}
};

class StopScope {
 public:
  explicit StopScope(const std::atomic<bool>& flag);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const std::atomic<bool>* outer_;
};

/// Throws Stopped when the flag of the innermost scope is set.
void throw_if_stopped();

}  // namespace conflux
