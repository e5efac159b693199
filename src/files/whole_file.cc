#include "files/whole_file.h"

#include <sys/stat.h>

#include <algorithm>

#include "files/atomic_file.h"
#include "files/descriptor.h"

namespace conflux {

Bytes read_whole_file(const std::string& path) {
  const Descriptor file = open_for_reading(path, path);
  struct stat status {};
  const bool known = ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
  // One more than the file has, so that its end is seen without growing.
  Bytes bytes(known ? static_cast<std::size_t>(status.st_size) + 1 : 0);
  std::size_t size = 0;
  // Pipes do not tell their length, and a file may grow meanwhile.
  for (;;) {
    if (size == bytes.size()) bytes.resize(size + std::max<std::size_t>(4096, size / 4));
    char* end = reinterpret_cast<char*>(bytes.data()) + size;
    size += read_all(file, end, bytes.size() - size, path);
    if (size < bytes.size()) break;
  }
  bytes.resize(size);
  return bytes;
}

void replace_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace conflux
