#include "files/descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "conflux/core/error.h"

namespace conflux {

namespace {

// Linux moves at most 2 GB in one call.
constexpr std::size_t kAtATime = std::size_t{1} << 30;

// Calls transfer(done, count) until all bytes are moved, none are left, or it fails; returns how
// many were moved, and sets errno to 0 unless it failed.
template <class Transfer>
std::size_t transfer_all(std::size_t count, Transfer transfer) {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t moved = transfer(done, std::min(count - done, kAtATime));
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return done;
    if (moved == 0) break;
    done += static_cast<std::size_t>(moved);
  }
  errno = 0;
  return done;
}

std::size_t require_read(std::size_t done, const std::string& name) {
  if (errno == 0) return done;
  throw Error(fmt::format("{} cannot be read: {}.", name, reason(errno)));
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(value_, other.value_);
  return *this;
}

Descriptor::~Descriptor() { close(); }

int Descriptor::close() {
  const int value = std::exchange(value_, -1);
  if (value <= STDERR_FILENO) return 0;
  return ::close(value) == 0 ? 0 : errno;
}

bool Descriptor::is_regular() const {
  struct stat info {};
  return ::fstat(value_, &info) == 0 && S_ISREG(info.st_mode);
}

Descriptor open_for_reading(const std::filesystem::path& path, const std::string& name) {
  if (path == "-") return Descriptor(STDIN_FILENO);
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) {
    throw Error(fmt::format("{} cannot be opened: {}; check the path.", name, reason(errno)));
  }
  struct stat info {};
  if (::fstat(file.get(), &info) == 0 && S_ISDIR(info.st_mode)) {
    throw InvalidData(fmt::format("{} is a folder; name a file in it.", name));
  }
  return file;
}

std::size_t read_all(const Descriptor& file, char* to, std::size_t count, const std::string& name) {
  return require_read(
      transfer_all(count, [&](std::size_t done,
                              std::size_t part) { return ::read(file.get(), to + done, part); }),
      name);
}

std::size_t read_all_at(const Descriptor& file, std::uint64_t offset, char* to, std::size_t count,
                        const std::string& name) {
  return require_read(transfer_all(count,
                                   [&](std::size_t done, std::size_t part) {
                                     return ::pread(file.get(), to + done, part,
                                                    static_cast<off_t>(offset + done));
                                   }),
                      name);
}

int write_all(const Descriptor& file, std::string_view bytes) {
  transfer_all(bytes.size(), [&](std::size_t done, std::size_t part) {
    return ::write(file.get(), bytes.data() + done, part);
  });
  return errno;
}

int write_all_at(const Descriptor& file, std::uint64_t offset, std::string_view bytes) {
  transfer_all(bytes.size(), [&](std::size_t done, std::size_t part) {
    return ::pwrite(file.get(), bytes.data() + done, part, static_cast<off_t>(offset + done));
  });
  return errno;
}

}  // namespace conflux
