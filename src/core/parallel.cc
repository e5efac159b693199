#include "conflux/core/parallel.h"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "core/stop.h"

// oneTBB is not built with the thread sanitizer, so its hand-over between threads is invisible to
// it. These marks say what for_each promises: everything before the call happens before every task,
// every task before the return.
#if defined(__SANITIZE_THREAD__)
#define CONFLUX_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CONFLUX_TSAN 1
#endif
#endif
#ifdef CONFLUX_TSAN
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#define CONFLUX_HAPPENS_BEFORE(address) __tsan_release(address)
#define CONFLUX_HAPPENS_AFTER(address) __tsan_acquire(address)
#else
#define CONFLUX_HAPPENS_BEFORE(address) static_cast<void>(address)
#define CONFLUX_HAPPENS_AFTER(address) static_cast<void>(address)
#endif

namespace conflux {

struct Workers::Arena {
  tbb::task_arena arena;
};

Workers::Workers(int threads) {
  if (threads < 0) throw InvalidOption("threads is negative; choose 0 for every core, or a count.");
  // oneTBB prints a warning when it is asked for more threads than it will start.
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
  char started = 0;
  char finished = 0;
  CONFLUX_HAPPENS_BEFORE(&started);
  arena_->arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<Index>(0, count, 1), [&](const auto& range) {
      CONFLUX_HAPPENS_AFTER(&started);
      for (Index i = range.begin(); i < range.end(); ++i) task(i);
      CONFLUX_HAPPENS_BEFORE(&finished);
    });
  });
  CONFLUX_HAPPENS_AFTER(&finished);
}

void Workers::for_each_block(Index count, Index block,
                             const std::function<void(Index begin, Index end)>& task) const {
  const Index blocks = (count + block - 1) / block;
  for_each(blocks, [&](Index b) { task(b * block, std::min(count, (b + 1) * block)); });
}

}  // namespace conflux
