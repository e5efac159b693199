// The message of an exception.

#pragma once

#include <functional>
#include <string>

#include "conflux/core/error.h"

namespace conflux {

/// The message of the error that the work throws; empty if it throws none.
inline std::string error_text(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace conflux
