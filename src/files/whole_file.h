// Files that are read or written as a whole.

#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace conflux {

using Bytes = std::vector<std::byte>;

/// Throws Error that names the path and the reason.
Bytes read_whole_file(const std::string& path);

/// Replaces the file if there is one, as AtomicFile does it. Throws Error that names the path and
/// the reason; then the old file is as it was.
void replace_file(const std::filesystem::path& path, std::string_view text);

}  // namespace conflux
