#include "file_checks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "conflux/core/error.h"
#include "support/console.h"
#include "tables/binary_array.h"
#include "tables/mtx_names.h"

namespace conflux::app {

namespace {

namespace fs = std::filesystem;

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  if (fs::exists(a, ignored) && fs::exists(b, ignored)) return fs::equivalent(a, b, ignored);
  return fs::weakly_canonical(fs::absolute(a, ignored), ignored) ==
         fs::weakly_canonical(fs::absolute(b, ignored), ignored);
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// Where a link leads.
fs::path target_of(const fs::path& path) {
  std::error_code ignored;
  return fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored) : path;
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

ResultFiles::ResultFiles(std::vector<std::string> inputs, bool force)
    : inputs_(std::move(inputs)), force_(force) {
  std::erase(inputs_, "");
  for (std::size_t i = inputs_.size(); i-- > 0;) {
    // Standard input may be a file that the shell has opened.
    if (inputs_[i] == "-") inputs_[i] = "/dev/stdin";
    for (const fs::path& beside : files_beside(inputs_[i])) inputs_.push_back(beside.string());
  }
}

void ResultFiles::refuse_inputs(const std::string& path) const {
  std::error_code ignored;
  const fs::path folder = folder_of(target_of(path));
  for (const std::string& input : inputs_) {
    if (same_file(path, input)) {
      throw InvalidOption(fmt::format(
          "{} is an input, and would be overwritten; name another file for the output.", path));
    }
    if (fs::is_directory(input, ignored) && same_file(folder, input)) {
      throw InvalidOption(fmt::format(
          "{} is in the folder {}, which is an input; name a file elsewhere.", path, input));
    }
  }
}

void ResultFiles::add(const std::string& path, FileKind kind) {
  if (path.empty() || path == "-") return;
  std::error_code ignored;
  // Pipes and devices are written to, not replaced.
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored) &&
      !fs::is_directory(path, ignored)) {
    return;
  }
  refuse_inputs(path);
  for (const std::string& result : results_) {
    if (!same_file(path, result)) continue;
    throw InvalidOption(
        fmt::format("{} would be two results of this command; give each a file.", path));
  }
  check_folder(target_of(path), folder_of(target_of(path)));
  if (!force_) refuse_other_kind(path, kind, "add --force");
  results_.push_back(path);
}

void ResultFiles::add_folder(const std::string& path) {
  refuse_inputs(path);
  results_.push_back(path);
}

void check_model_comes_first(const std::string& model, const std::string& table) {
  const auto found = kind_of_file(model);
  if (!found || *found == FileKind::kModel || kind_of_file(table) != FileKind::kModel) return;
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
