// Threads of one fit or one transform.
//
// Workers owns a limit, not a pool: all Workers of a process share oneTBB's threads, so that nested
// or simultaneous work never starts more threads than cores. Work is cut into tasks whose number
// does not depend on the number of threads; a task that writes only its own results therefore gives
// the same bits on any number of them.

#pragma once

#include <functional>
#include <memory>

#include "conflux/core/index.h"

namespace conflux {

class Workers {
 public:
  /// threads = 0 uses every core.
  explicit Workers(int threads = 0);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int threads() const;

  /// Calls task(0) .. task(count - 1), in any order, and returns when all are done. The first
  /// exception of a task is thrown again here.
  void for_each(Index count, const std::function<void(Index)>& task) const;

  /// Cuts 0 .. count-1 into blocks of `block` (the last may be shorter) and calls
  /// task(begin, end) for each.
  void for_each_block(Index count, Index block,
                      const std::function<void(Index begin, Index end)>& task) const;

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace conflux
