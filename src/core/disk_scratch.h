// Rows that live on disk while a fit moves them, for fits of more rows than memory holds.
//
// A piece of scratch is memory of a nameless file: it is read and written like any other memory,
// and the part that is not in memory is in the file, so that the same code fits rows in memory and
// on disk, bit by bit. The system would keep pages in memory as long as there is room; a thread
// releases them whenever more than a limit are there. Released pages are written by the system at
// its own time, and read again on access. One scratch is used at a time.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "conflux/core/index.h"

namespace conflux {

/// Rows that loops pass before they look again.
inline constexpr Index kRowsPerLook = 4096;
/// Single rows, each of which may bring the 2 MB around it: Linux maps a large page of its cache
/// whole (since 6.18; 64 kB before).
inline constexpr Index kRowsAround = 8;
/// Rows so near to the last one are there already.
inline constexpr Index kNearRows = 16;

class DiskScratch {
 public:
  /// Files are made in `folder`; about so many bytes of their pages are in memory at any time.
  /// Throws Error when the folder is in memory itself, as some systems have /tmp, or not there.
  DiskScratch(std::string folder, double resident_bytes);
  ~DiskScratch();
  DiskScratch(const DiskScratch&) = delete;
  DiskScratch& operator=(const DiskScratch&) = delete;

  /// Zeros. Throws Error when the disk has no room for them. The scratch must outlive them.
  std::shared_ptr<void> allocate(std::size_t bytes) { return allocate(bytes, 0, bytes); }
  /// The same with room for the bytes `begin` to `end` only; nothing may be written to others.
  std::shared_ptr<void> allocate(std::size_t bytes, std::size_t begin, std::size_t end);
  /// Counts pages of another mapped file, too, which only reads; until forget().
  void watch(const void* start, std::size_t bytes);
  void forget(const void* start);

  /// Looks at once, on the calling thread: loops through many rows call it every few megabytes, as
  /// the thread that watches may have to wait for a core. Does nothing where no scratch is used.
  static void look();
  /// The same for rows that are taken one by one: those that are far from the last one bring the
  /// pages around them.
  static void look_at(Index row) {
    thread_local Index last = 0, passed = 0;
    const Index step = row - last;
    last = row;
    passed += step >= 0 && step <= kNearRows ? step : kRowsPerLook / kRowsAround;
    if (passed < kRowsPerLook) return;
    passed = 0;
    look();
  }
  /// The same for a block of rows; one of the blocks that make kRowsPerLook rows looks.
  static void look(Index begin, Index end) {
    if (begin / kRowsPerLook != end / kRowsPerLook) look();
  }

 private:
  void let_go();
  void let_go_beyond_limit();
  void keep_watch();

  std::string folder_;
  double limit_;
  std::size_t others_;  // bytes of files, such as the program, that were in memory before
  std::mutex lock_;
  std::condition_variable ended_;
  bool end_ = false;
  std::map<const void*, std::size_t> pieces_;
  std::thread watcher_;
};

/// Folder of scratch files: TMPDIR if set, else /var/tmp, which is on disk by convention.
std::string scratch_folder();

}  // namespace conflux
