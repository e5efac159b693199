// A copy of a file that libraries change in place before it gets its name.

#pragma once

#include <string>

#include "files/output_stream.h"

namespace conflux {

/// Gone at the end.
class TemporaryCopy {
 public:
  /// Throws Error when there is no room.
  explicit TemporaryCopy(const std::string& from);
  ~TemporaryCopy();
  TemporaryCopy(const TemporaryCopy&) = delete;
  TemporaryCopy& operator=(const TemporaryCopy&) = delete;

  const std::string& path() const { return path_; }
  void copy_to(OutputStream& out) const;

 private:
  std::string path_;
};

}  // namespace conflux
