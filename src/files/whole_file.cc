#include "files/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "conflux/core/error.h"

namespace conflux {

namespace {

constexpr std::size_t kAtATime = std::size_t{1} << 26;

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw Error(fmt::format("{}: {}: {}.", path, what, std::generic_category().message(errno)));
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;

  int number() const { return number_; }
  bool open() const { return number_ >= 0; }
  int close() { return ::close(std::exchange(number_, -1)); }

 private:
  int number_;
};

void write_all(int file, std::span<const std::byte> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file, bytes.data(), std::min(bytes.size(), kAtATime));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail(path, "cannot be written");
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// A name beside the file that no other writer has.
std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> counter = 0;
  return fmt::format("{}.{}-{}.tmp", path, ::getpid(), counter++);
}

// Removes a named temporary unless it has been renamed.
class Temporary {
 public:
  explicit Temporary(std::string name) : name_(std::move(name)) {}
  ~Temporary() {
    if (exists_) ::unlink(name_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  const std::string& name() const { return name_; }
  void set_exists(bool exists) { exists_ = exists; }

 private:
  std::string name_;
  bool exists_ = false;
};

Descriptor open_nameless([[maybe_unused]] const std::string& folder) {
#ifdef O_TMPFILE
  return Descriptor(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
#else
  return Descriptor(-1);
#endif
}

Descriptor open_named(Temporary& temporary, const std::string& path) {
  Descriptor file(::open(temporary.name().c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666));
  if (!file.open()) fail(path, "cannot be created");
  temporary.set_exists(true);
  return file;
}

bool give_name(int file, Temporary& temporary) {
  const std::string link = fmt::format("/proc/self/fd/{}", file);
  const int result =
      ::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, temporary.name().c_str(), AT_SYMLINK_FOLLOW);
  temporary.set_exists(result == 0);
  return result == 0;
}

void write_and_sync(const Descriptor& file, std::span<const std::span<const std::byte>> parts,
                    const std::string& path) {
  for (const auto& part : parts) write_all(file.number(), part, path);
  if (::fsync(file.number()) != 0) fail(path, "cannot be synced to the disk");
}

// Devices and pipes have no content to replace; a rename would put a file in their place.
void check_replaceable(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return;
  throw Error(fmt::format("{}: is {}; give the name of a file.", path,
                          S_ISDIR(status.st_mode) ? "a folder" : "no regular file"));
}

}  // namespace

Bytes read_whole_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) fail(path, "cannot be opened");
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) fail(path, "cannot be read");
  if (S_ISDIR(status.st_mode)) throw Error(path + ": is a folder; give the name of a file.");
  // One more than the file has, so that its end is seen without growing.
  Bytes bytes(S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) + 1 : 0);
  std::size_t size = 0;
  // Pipes do not tell their length, and a file may grow meanwhile.
  for (;;) {
    if (size == bytes.size()) bytes.resize(size + std::max<std::size_t>(4096, size / 4));
    const ssize_t got =
        ::read(file.number(), bytes.data() + size, std::min(bytes.size() - size, kAtATime));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "cannot be read");
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

void replace_file(const std::string& path, std::span<const std::span<const std::byte>> parts) {
  check_replaceable(path);
  const std::string folder = folder_of(path);
  Temporary temporary(temporary_name(path));
  Descriptor file = open_nameless(folder);
  if (file.open()) {
    write_and_sync(file, parts, path);
  }
  if (!file.open() || !give_name(file.number(), temporary)) {
    Descriptor named = open_named(temporary, path);
    write_and_sync(named, parts, path);
    if (named.close() != 0) fail(path, "cannot be written");
  } else if (file.close() != 0) {
    fail(path, "cannot be written");
  }
  if (::rename(temporary.name().c_str(), path.c_str()) != 0) fail(path, "cannot be replaced");
  temporary.set_exists(false);
  // The new name itself must survive a power cut, too.
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.open()) ::fsync(directory.number());
}

void replace_file(const std::string& path, std::string_view text) {
  const std::span<const std::byte> part = std::as_bytes(std::span(text));
  replace_file(path, std::span(&part, 1));
}

}  // namespace conflux
