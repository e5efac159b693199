#include "conflux/core/parallel.h"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "core/stop.h"

#if defined(__SANITIZE_THREAD__)
#define CONFLUX_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CONFLUX_TSAN 1
#endif
#endif
#ifdef CONFLUX_TSAN
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#endif

namespace conflux {

struct Workers::Arena {
  tbb::task_arena arena;
};

namespace {

#ifdef CONFLUX_TSAN

// oneTBB is not built with the thread sanitizer, which therefore takes every hand-over of a task
// for a race. Plain threads do the same work in its sight.
void run(tbb::task_arena& arena, Index count, const std::function<void(Index)>& task) {
  std::atomic<Index> next = 0;
  std::mutex mutex;
  std::exception_ptr first_error;
  const auto work = [&] {
    try {
      for (Index i = next++; i < count; i = next++) task(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first_error) first_error = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> others;
  for (int t = 1; t < arena.max_concurrency(); ++t) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  if (first_error) std::rethrow_exception(first_error);
}

#else

void run(tbb::task_arena& arena, Index count, const std::function<void(Index)>& task) {
  arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<Index>(0, count, 1), [&](const auto& range) {
      for (Index i = range.begin(); i < range.end(); ++i) task(i);
    });
  });
}

#endif

}  // namespace

Workers::Workers(int threads) {
  if (threads < 0) throw InvalidOption("threads is negative; choose 0 for every core, or a count.");
  // oneTBB prints a warning if its limit exceeds the threads that it will start.
  const int cores = tbb::info::default_concurrency();
  const int limit = threads == 0 ? tbb::task_arena::automatic : std::min(threads, cores);
  arena_ = std::make_unique<Arena>(Arena{tbb::task_arena(limit)});
}

Workers::~Workers() = default;

int Workers::threads() const { return arena_->arena.max_concurrency(); }

void Workers::for_each(Index count, const std::function<void(Index)>& task) const {
  throw_if_stopped();
  if (count <= 0) return;
  if (count == 1 || threads() == 1) {
    for (Index i = 0; i < count; ++i) task(i);
    return;
  }
  run(arena_->arena, count, task);
}

void Workers::for_each_block(Index count, Index block,
                             const std::function<void(Index begin, Index end)>& task) const {
  const Index blocks = (count + block - 1) / block;
  for_each(blocks, [&](Index b) { task(b * block, std::min(count, (b + 1) * block)); });
}

}  // namespace conflux
