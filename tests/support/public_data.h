// Public data sets that are not part of the project: in the folder that the environment variable
// CONFLUX_DATA names, or in shared/data beside the project.

#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "tests/support/golden.h"

namespace conflux {

/// The folder of a set, unless it is absent.
inline std::optional<std::filesystem::path> public_data(const std::string& name) {
  const char* given = std::getenv("CONFLUX_DATA");
  const std::filesystem::path folder =
      given != nullptr ? std::filesystem::path(given) : golden_folder() / "../../../shared/data";
  std::error_code error;
  if (!std::filesystem::is_directory(folder / name, error)) return std::nullopt;
  return folder / name;
}

}  // namespace conflux
