// Formats that other programs read.

#pragma once

#include <string>
#include <string_view>

namespace conflux {

/// Throws InvalidOption with the way out if a name, in lower case, is that of such a file.
void refuse_foreign_format(const std::string& path, std::string_view name);

}  // namespace conflux
