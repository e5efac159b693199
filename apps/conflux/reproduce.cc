// conflux reproduce: runs conflux-reproduce, which is installed by itself.

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "conflux/core/error.h"
#include "verbs.h"

namespace conflux::app {

namespace {

constexpr const char* kProgram = "conflux-reproduce";

// Beside this program, or in any folder of PATH.
std::string find_program() {
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const auto beside = self.parent_path() / kProgram;
  return ::access(beside.c_str(), X_OK) == 0 ? beside.string() : kProgram;
}

int run_program_of_studies(const std::vector<std::string>& words) {
  const std::string path = find_program();
  std::vector<char*> arguments = {const_cast<char*>(kProgram)};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(path.c_str(), arguments.data());
  if (errno != ENOENT) {
    throw Error(
        fmt::format("{} cannot be started: {}.", path, std::generic_category().message(errno)));
  }
  throw Error(fmt::format(
      "{} is not installed; in a checkout of conflux, run make and then cmake --install "
      "build/release --component reproduce.",
      kProgram));
}

}  // namespace

Verb reproduce_verb() {
  return {.name = "reproduce",
          .description = "reproduce the tables and figures of the paper",
          .example = "conflux reproduce planar2 mnist2 --runs 3 -o results",
          .run_words = run_program_of_studies};
}

}  // namespace conflux::app
