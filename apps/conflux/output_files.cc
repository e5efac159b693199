#include "output_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "conflux/core/error.h"
#include "dataset/group_names.h"

namespace conflux::app {

namespace fs = std::filesystem;

bool goes_to_folder(const OutputFlags& flags) {
  std::error_code ignored;
  return flags.path.ends_with('/') || fs::is_directory(flags.path, ignored);
}

std::string file_in_folder(const OutputFlags& flags, const std::string& input) {
  if (input == "-") {
    throw InvalidOption(fmt::format(
        "{} is a folder, and standard input has no name to call a file by; name a file.",
        flags.path));
  }
  std::error_code ignored;
  const bool folder = fs::is_directory(input, ignored);
  const std::string own = folder ? stem_of(input) : fs::path(input).filename().string();
  const std::string name = flags.format.empty() ? own : stem_of(input) + "." + flags.format;
  return (fs::path(flags.path) / name).string();
}

void add_table_outputs(ResultFiles& results, const OutputFlags& flags,
                       const std::vector<std::string>& tables) {
  if (!goes_to_folder(flags)) return results.add(flags.path, FileKind::kTable);
  std::set<std::string> names;
  for (const std::string& table : tables) {
    const std::string file = file_in_folder(flags, table);
    if (!names.insert(file).second) {
      throw InvalidOption(fmt::format(
          "two inputs would become {}; rename one, or give each a folder of its own.", file));
    }
    becomes_pictures(flags, table) ? results.add_folder(file) : results.add(file, FileKind::kTable);
  }
}

bool becomes_pictures(const OutputFlags& flags, const std::string& input) {
  std::error_code ignored;
  return flags.format.empty() && fs::is_directory(input, ignored) &&
         table_format(input) == "pictures";
}

}  // namespace conflux::app
