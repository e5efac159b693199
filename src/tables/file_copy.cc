#include "tables/file_copy.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "conflux/core/error.h"
#include "files/piece.h"

namespace conflux {

namespace fs = std::filesystem;

TemporaryCopy::TemporaryCopy(const std::string& from) {
  std::string name = (fs::temp_directory_path() / "conflux-XXXXXX").string();
  const int file = ::mkstemp(name.data());
  if (file < 0) {
    throw Error(
        fmt::format("{}: no temporary file can be made there; free some space, or set TMPDIR to "
                    "another folder.",
                    fs::temp_directory_path().string()));
  }
  ::close(file);
  path_ = name;
  std::error_code error;
  fs::copy_file(from, path_, fs::copy_options::overwrite_existing, error);
  if (error) {
    fs::remove(path_);
    throw Error(
        fmt::format("{} cannot be copied to {}: {}; free some space, or set TMPDIR to another "
                    "folder.",
                    from, path_, error.message()));
  }
}

TemporaryCopy::~TemporaryCopy() {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

void TemporaryCopy::copy_to(OutputStream& out) const {
  std::ifstream file(path_, std::ios::binary);
  std::vector<char> piece(kPiece);
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0) {
    out.write({piece.data(), static_cast<std::size_t>(file.gcount())});
  }
}

}  // namespace conflux
