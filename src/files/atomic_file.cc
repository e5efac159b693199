#include "files/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <system_error>
#include <utility>

#include "conflux/core/error.h"

namespace conflux {

namespace {

constexpr std::string_view kEnding = ".partial";
// Versions before 0.2 called the partial files of models so.
constexpr std::string_view kOldEnding = ".tmp";
constexpr int kMostAttempts = 1000;

// Names that a handler of signals can read.
constexpr std::size_t kLongestName = 4096;
struct Slot {
  std::atomic<bool> taken = false;
  std::atomic<bool> filled = false;
  std::array<char, kLongestName> path = {};
};
std::array<Slot, 8> slots;

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

// A link keeps pointing where it does: the file that it points to is replaced.
std::filesystem::path behind_links(const std::filesystem::path& path) {
  std::error_code failed;
  if (!std::filesystem::is_symlink(path, failed)) return path;
  auto target = std::filesystem::weakly_canonical(path, failed);
  return failed ? path : target;
}

// The process in a name that partial_name() has made for this file; 0 for other names.
pid_t writer_of(std::string_view name, std::string_view file_name) {
  if (!name.starts_with(file_name)) return 0;
  name.remove_prefix(file_name.size());
  if (!name.starts_with('.')) return 0;
  name.remove_prefix(1);
  pid_t process = 0;
  const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), process);
  if (error != std::errc() || process <= 0) return 0;
  name.remove_prefix(static_cast<std::size_t>(stop - name.data()));
  const auto digits_end = name.find_first_not_of("0123456789", 1);
  if (!name.starts_with('-') || digits_end == name.npos || digits_end == 1) return 0;
  const std::string_view ending = name.substr(digits_end);
  return ending == kEnding || ending == kOldEnding ? process : 0;
}

// A writer keeps its partial file locked, so a process of the same number on another machine, or in
// another container, does not count as this one.
bool is_abandoned(const std::filesystem::path& partial, pid_t writer) {
  if (::kill(writer, 0) == 0 || errno != ESRCH) return false;
  const Descriptor file(::open(partial.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return file.is_open() && file.is_regular() && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

void remove_abandoned(const std::filesystem::path& path) {
  const std::string file_name = path.filename().string();
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(folder_of(path), failed), end;
       !failed && entry != end; entry.increment(failed)) {
    const pid_t writer = writer_of(entry->path().filename().string(), file_name);
    if (writer != 0 && is_abandoned(entry->path(), writer)) ::unlink(entry->path().c_str());
  }
}

}  // namespace

const FinishingCalls kSystemCalls = {
    [](int file) {
      while (::fsync(file) != 0) {
        if (errno != EINTR) return errno;
      }
      return 0;
    },
    [](Descriptor& file) { return file.close(); },
    [](const char* from, const char* to) { return ::rename(from, to) == 0 ? 0 : errno; }};

std::string partial_name(const std::filesystem::path& path) {
  static std::atomic<unsigned> counter = 0;
  return fmt::format("{}.{}-{}{}", path.string(), ::getpid(), counter++, kEnding);
}

void fail_to_write(const std::string& name, int error) {
  throw Error(
      fmt::format("{} cannot be written: {}; check the folder, its rights and the space left.",
                  name, reason(error)));
}

AtomicFile::AtomicFile(const std::filesystem::path& path, const FinishingCalls& calls)
    : path_(behind_links(path)), calls_(calls) {
  struct stat old {};
  const bool exists = ::stat(path_.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) {
    throw Error(fmt::format("{} is a folder; name a file in it.", path_.string()));
  }
  if (exists && !S_ISREG(old.st_mode)) {
    throw Error(fmt::format("{} is no regular file; name a file.", path_.string()));
  }
  remove_abandoned(path_);
#ifdef O_TMPFILE
  // Nameless files get their name through /proc.
  const bool can_be_named = ::access("/proc/self/fd", X_OK) == 0;
  if (can_be_named) {
    file_ = Descriptor(::open(folder_of(path_).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666));
  }
#endif
  if (!file_.is_open()) open_named();
  if (exists && ::fchmod(file_.get(), old.st_mode & 07777) != 0) {
    fail_to_write(path_.string(), errno);
  }
}

PartialName::~PartialName() {
  if (!path_.empty()) ::unlink(path_.c_str());
  release();
}

void PartialName::set(std::string path) {
  path_ = std::move(path);
  for (std::size_t k = 0; k < slots.size() && slot_ < 0; ++k) {
    bool is_free = false;
    if (path_.size() >= kLongestName || !slots[k].taken.compare_exchange_strong(is_free, true)) {
      continue;
    }
    path_.copy(slots[k].path.data(), path_.size());
    slots[k].path[path_.size()] = '\0';
    slots[k].filled = true;
    slot_ = static_cast<int>(k);
  }
}

void PartialName::release() {
  path_.clear();
  if (slot_ < 0) return;
  Slot& slot = slots[static_cast<std::size_t>(std::exchange(slot_, -1))];
  slot.filled = false;
  slot.taken = false;
}

void remove_partial_files() noexcept {
  for (const Slot& slot : slots) {
    if (slot.filled) ::unlink(slot.path.data());
  }
}

void AtomicFile::open_named() {
  for (int attempt = 0; attempt < kMostAttempts && !file_.is_open(); ++attempt) {
    const std::string name = partial_name(path_);
    file_ = Descriptor(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file_.is_open()) partial_.set(name);
    if (!file_.is_open() && errno != EEXIST) break;
  }
  if (!file_.is_open()) fail_to_write(path_.string(), errno);
  ::flock(file_.get(), LOCK_EX | LOCK_NB);
}

// There is no call that puts a nameless file in the place of another, so it gets a name beside it.
void AtomicFile::give_name() {
  const std::string link = fmt::format("/proc/self/fd/{}", file_.get());
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    const std::string name = partial_name(path_);
    if (::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      partial_.set(name);
      return;
    }
    if (errno != EEXIST) break;
  }
  fail_to_write(path_.string(), errno);
}

void AtomicFile::write(std::string_view bytes) {
  if (const int error = write_all(file_, bytes)) fail_to_write(path_.string(), error);
}

void AtomicFile::patch(std::uint64_t offset, std::string_view bytes) {
  if (const int error = write_all_at(file_, offset, bytes)) fail_to_write(path_.string(), error);
}

void AtomicFile::prepare() {
  if (const int error = calls_.sync(file_.get())) fail_to_write(path_.string(), error);
  if (partial_.empty()) give_name();
  if (const int error = calls_.close(file_)) fail_to_write(path_.string(), error);
}

void AtomicFile::commit() {
  if (file_.is_open()) prepare();
  if (const int error = calls_.rename(partial_.path().c_str(), path_.c_str())) {
    fail_to_write(path_.string(), error);
  }
  partial_.release();
  // The new name must survive a power cut, too.
  const Descriptor folder(::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return;
  const int error = calls_.sync(folder.get());
  // Some file systems cannot sync folders, and say so.
  if (error != 0 && error != EINVAL && error != ENOTSUP) fail_to_write(path_.string(), error);
}

}  // namespace conflux
