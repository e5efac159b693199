// Where the recorded values stand that tests compare with.

#pragma once

#include <filesystem>

namespace conflux {

/// tests/golden, as an absolute path. One source alone knows it, so that a cache of compilations
/// serves every clone.
std::filesystem::path golden_folder();

}  // namespace conflux
