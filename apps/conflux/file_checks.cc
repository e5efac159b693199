#include "file_checks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "conflux/core/error.h"
#include "support/console.h"
#include "tables/binary_array.h"

namespace conflux::app {

namespace {

namespace fs = std::filesystem;

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::exists(a, ignored) && fs::exists(b, ignored) && fs::equivalent(a, b, ignored);
}

// A model file begins with the length of its header, a brace and the name of the format.
bool is_model(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  char start[9] = {};
  if (!file.read(start, sizeof start)) return false;
  std::uint64_t length = 0;
  std::memcpy(&length, start, sizeof length);
  return start[8] == '{' && length <= fs::file_size(path, ignored);
}

void check_kind(const std::string& path, FileKind kind, bool force) {
  std::error_code ignored;
  if (force || !fs::is_regular_file(path, ignored) || fs::file_size(path, ignored) == 0) return;
  if (is_model(path) == (kind == FileKind::kModel)) return;
  throw InvalidOption(
      fmt::format("{} is {}, and would be replaced by {}; name another file, or add --force.", path,
                  kind == FileKind::kModel ? "no model file" : "a model file",
                  kind == FileKind::kModel ? "a model" : "a table"));
}

void check_folder(const fs::path& path, const fs::path& folder) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    throw Error(fmt::format("{} is a folder; name a file in it.", path.string()));
  }
  if (!fs::is_directory(folder, ignored)) {
    throw Error(fmt::format("{}: there is no folder {}; make it, or name a file elsewhere.",
                            path.string(), folder.string()));
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw Error(
        fmt::format("{}: the folder {} cannot be written; change its rights, or name a file "
                    "elsewhere.",
                    path.string(), folder.string()));
  }
}

void check_utf8(const std::string& what, const std::string& name) {
  if (code_points(name)) return;
  throw InvalidData(
      fmt::format("{} \"{}\" is not valid UTF-8, which model files are written in; rename it, or "
                  "convert the data to UTF-8.",
                  what, printable(name)));
}

}  // namespace

void check_output(const std::string& path, FileKind kind, const std::vector<std::string>& inputs,
                  bool force) {
  if (path.empty() || path == "-") return;
  for (const std::string& input : inputs) {
    if (!same_file(path, input)) continue;
    throw InvalidOption(fmt::format(
        "{} is an input, and would be overwritten; name another file for the output.", path));
  }
  std::error_code ignored;
  // Pipes and devices are written to, not replaced.
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored) &&
      !fs::is_directory(path, ignored)) {
    return;
  }
  const fs::path target =
      fs::is_symlink(path, ignored) ? fs::weakly_canonical(path) : fs::path(path);
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  check_folder(target, folder);
  check_kind(path, kind, force);
}

void check_model_comes_first(const std::string& model, const std::string& table) {
  std::error_code ignored;
  if (!fs::is_regular_file(model, ignored) || is_model(model) || !is_model(table)) return;
  throw InvalidOption(fmt::format(
      "{} is no model file, but {} is one; give the model first, then the table.", model, table));
}

void check_names(const std::vector<std::string>& groups, const std::vector<std::string>& features) {
  for (const std::string& name : groups) check_utf8("the name of group", name);
  for (const std::string& name : features) check_utf8("the name of column", name);
}

Flag force_flag(bool& force) {
  return {.names = "--force",
          .help = "overwrite a file of another type, say a table by a model",
          .target = &force,
          .shown = Shown::kToExperts};
}

}  // namespace conflux::app
