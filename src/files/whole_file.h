// Files that are read or written as a whole.
//
// A file is written to a nameless temporary in the same folder (a named one where the file system
// has no nameless ones), synced, and renamed: whenever the writer is killed, the old file or the
// new one is there, complete. At worst a file NAME.PID-N.tmp stays beside it.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace conflux {

using Bytes = std::vector<std::byte>;

/// Throws Error that names the path and the reason.
Bytes read_whole_file(const std::string& path);

/// Writes `parts` one after the other, replacing the file if there is one. Throws Error that names
/// the path and the reason; then the old file is as it was.
void replace_file(const std::string& path, std::span<const std::span<const std::byte>> parts);
void replace_file(const std::string& path, std::string_view text);

}  // namespace conflux
