#include "core/disk_scratch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "conflux/core/error.h"

namespace conflux {

namespace {

// Threads that read as fast as they can bring in a few megabytes meanwhile.
constexpr std::chrono::milliseconds kBetweenLooks{1};

std::atomic<DiskScratch*> in_use = nullptr;

std::string reason_of(int error) { return std::generic_category().message(error); }

// Bytes of mapped files that are in memory: the third number of statm, in pages.
std::size_t resident_file_bytes() {
  std::size_t size = 0, resident = 0, shared = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%zu %zu %zu", &size, &resident, &shared) != 3) shared = 0;
    std::fclose(file);
  }
  return shared * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// Opens a file without a name, which the system removes when this process ends.
int open_nameless(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || errno == ENOENT || errno == EACCES) return file;
  // File systems without nameless files.
  std::string name = folder + "/conflux-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

DiskScratch::DiskScratch(std::string folder, double resident_bytes)
    : folder_(std::move(folder)), limit_(resident_bytes), others_(resident_file_bytes()) {
  struct statfs system = {};
  if (::statfs(folder_.c_str(), &system) != 0) {
    throw Error(fmt::format("{}: {}; set TMPDIR to a folder on disk.", folder_, reason_of(errno)));
  }
  if (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC) {
    throw Error(fmt::format(
        "{} is in memory, but rows are to be kept on disk; set TMPDIR to a folder on disk.",
        folder_));
  }
  in_use = this;
  watcher_ = std::thread([this] { keep_watch(); });
}

DiskScratch::~DiskScratch() {
  in_use = nullptr;
  {
    const std::lock_guard held(lock_);
    end_ = true;
  }
  ended_.notify_one();
  watcher_.join();
}

std::shared_ptr<void> DiskScratch::allocate(std::size_t bytes, std::size_t begin, std::size_t end) {
  const std::size_t length = std::max<std::size_t>(bytes, 1);
  const int file = open_nameless(folder_);
  const bool made = file >= 0 && ::ftruncate(file, static_cast<off_t>(length)) == 0;
  // Room is taken at once: a disk that is full later would end the program.
  int full = made ? 0 : errno;
  if (made && begin < end) {
    full = ::posix_fallocate(file, static_cast<off_t>(begin), static_cast<off_t>(end - begin));
  }
  void* start =
      full != 0 ? MAP_FAILED : ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int wrong = full != 0 ? full : errno;
  if (file >= 0) ::close(file);
  if (start == MAP_FAILED) {
    throw Error(fmt::format(
        "{}: {:.1f} GB of rows cannot be kept here: {}; set TMPDIR to a folder with more room.",
        folder_, static_cast<double>(end - begin) / 1e9, reason_of(wrong)));
  }
  watch(start, length);
  return std::shared_ptr<void>(start, [this, length](void* mapped) {
    forget(mapped);
    ::munmap(mapped, length);
  });
}

void DiskScratch::watch(const void* start, std::size_t bytes) {
  const std::lock_guard held(lock_);
  pieces_[start] = bytes;
}

void DiskScratch::forget(const void* start) {
  const std::lock_guard held(lock_);
  pieces_.erase(start);
}

// Pages of shared files lose nothing when they are released: the next access reads them again.
void DiskScratch::let_go() {
  for (const auto& [start, bytes] : pieces_) {
    ::madvise(const_cast<void*>(start), bytes, MADV_DONTNEED);
  }
}

void DiskScratch::let_go_beyond_limit() {
  const auto resident = static_cast<double>(resident_file_bytes());
  if (resident > limit_ + static_cast<double>(others_)) let_go();
}

void DiskScratch::keep_watch() {
  std::unique_lock held(lock_);
  while (!ended_.wait_for(held, kBetweenLooks, [this] { return end_; })) let_go_beyond_limit();
}

void DiskScratch::look() {
  DiskScratch* scratch = in_use.load(std::memory_order_relaxed);
  if (scratch == nullptr) return;
  const std::lock_guard held(scratch->lock_);
  scratch->let_go_beyond_limit();
}

std::string scratch_folder() {
  const char* said = std::getenv("TMPDIR");
  return said != nullptr && *said != '\0' ? said : "/var/tmp";
}

}  // namespace conflux
