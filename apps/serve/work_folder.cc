#include "serve/work_folder.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "conflux/core/error.h"

namespace conflux::app {

WorkFolder::WorkFolder() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  std::string name = (error ? std::filesystem::path("/tmp") : parent) / "conflux-serve-XXXXXX";
  // mkdtemp makes folders that only their owner can open.
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(fmt::format("{} cannot be made: {}; TMPDIR can name another place.", name,
                            std::strerror(errno)));
  }
  path_ = name;
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string random_token() {
  std::array<unsigned char, 32> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error("this machine has no random numbers to make a secret of.");
  }
  std::string out;
  for (const unsigned char byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

}  // namespace conflux::app
