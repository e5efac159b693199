#include "core/stop.h"

namespace conflux {

namespace {

std::atomic<const std::atomic<bool>*> flag_of_scope = nullptr;

}  // namespace

StopScope::StopScope(const std::atomic<bool>& flag) : outer_(flag_of_scope.exchange(&flag)) {}

StopScope::~StopScope() { flag_of_scope = outer_; }

void throw_if_stopped() {
  const std::atomic<bool>* flag = flag_of_scope;
  if (flag != nullptr && *flag) throw Stopped();
}

}  // namespace conflux
