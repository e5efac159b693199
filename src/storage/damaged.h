// The message of a file whose content contradicts its header.

#pragma once

#include <string>
#include <string_view>

namespace conflux {

/// Throws InvalidData: what is wrong, and what to do.
[[noreturn]] void damaged(const std::string& what);
/// The same about an array or entry of that name.
[[noreturn]] void damaged(const std::string& name, std::string_view what);

}  // namespace conflux
