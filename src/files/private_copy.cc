#include "files/private_copy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "conflux/core/error.h"
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

[[noreturn]] void fail_to_copy(const fs::path& folder, int error) {
  throw Error(fmt::format(
      "no temporary copy can be written in {}: {}; check its rights and the space left.",
      folder.string(), reason(error)));
}

std::uint64_t size_of(const Descriptor& file, const std::string& name) {
  struct stat status {};
  if (::fstat(file.get(), &status) == 0) return static_cast<std::uint64_t>(status.st_size);
  throw Error(fmt::format("{} cannot be read: {}.", name, reason(errno)));
}

}  // namespace

PrivateCopy::PrivateCopy(const std::string& from, const fs::path& folder) {
  const Descriptor source = open_for_reading(from, from);
  const fs::path place = folder.empty() ? temporary_folder() : folder;
  open(place);
  std::vector<char> piece(kPiece);
  while (const std::size_t count = read_all(source, piece.data(), piece.size(), from)) {
    if (const int error = write_all(file_, {piece.data(), count})) fail_to_copy(place, error);
  }
}

PrivateCopy::~PrivateCopy() {
  if (named_) ::unlink(path_.c_str());
}

void PrivateCopy::open(const fs::path& folder) {
#ifdef O_TMPFILE
  // Libraries open a nameless file by its descriptor.
  if (::access("/proc/self/fd", X_OK) == 0) {
    file_ = Descriptor(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    path_ = fmt::format("/proc/self/fd/{}", file_.get());
  }
#endif
  if (file_.is_open()) return;
  path_ = (folder / ".conflux-XXXXXX").string();
  file_ = Descriptor(::mkostemp(path_.data(), O_CLOEXEC));
  if (!file_.is_open()) fail_to_copy(folder, errno);
  named_ = true;
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
