#include "files/private_copy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "conflux/core/error.h"
#include "files/atomic_file.h"
#include "files/piece.h"

namespace conflux {

namespace fs = std::filesystem;

namespace {

fs::path temporary_folder() {
  std::error_code failed;
  fs::path out = fs::temp_directory_path(failed);
  if (!failed) return out;
  throw Error(fmt::format(
      "TMPDIR names no folder for temporary files: {}; set it to a folder that is there.",
      failed.message()));
}

[[noreturn]] void fail_to_copy(const fs::path& output, int error) {
  throw Error(fmt::format(
      "no temporary copy can be written beside {}: {}; check the folder, its rights and the space "
      "left.",
      output.string(), reason(error)));
}

std::uint64_t size_of(const Descriptor& file, const std::string& name) {
  struct stat status {};
  if (::fstat(file.get(), &status) == 0) return static_cast<std::uint64_t>(status.st_size);
  throw Error(fmt::format("{} cannot be read: {}.", name, reason(errno)));
}

}  // namespace

PrivateCopy::PrivateCopy(const std::string& from, const fs::path& output, Name name) {
  const Descriptor source = open_for_reading(from, from);
  const fs::path place = output.empty() ? temporary_folder() / "conflux" : output;
  open(place, name);
  std::vector<char> piece(kPiece);
  while (const std::size_t count = read_all(source, piece.data(), piece.size(), from)) {
    if (const int error = write_all(file_, {piece.data(), count})) fail_to_copy(place, error);
  }
}

void PrivateCopy::open(const fs::path& output, Name name) {
#ifdef O_TMPFILE
  // This process opens a nameless file by its descriptor.
  if (name == Name::kNone && ::access("/proc/self/fd", X_OK) == 0) {
    const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
    file_ = Descriptor(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    path_ = fmt::format("/proc/self/fd/{}", file_.get());
  }
#endif
  if (file_.is_open()) return;
  path_ = partial_name(output);
  file_ = Descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file_.is_open()) fail_to_copy(output, errno);
  named_.set(path_);
}

void PrivateCopy::copy_to(OutputStream& out) const {
  const std::uint64_t size = size_of(file_, path_);
  std::vector<char> piece(kPiece);
  for (std::uint64_t done = 0; done < size;) {
    const std::size_t count = read_all_at(file_, done, piece.data(), piece.size(), path_);
    if (count == 0) {
      throw Error(
          fmt::format("{}: {} of {} bytes can be read back; check the disk.", path_, done, size));
    }
    out.write({piece.data(), count});
    done += count;
  }
}

}  // namespace conflux
