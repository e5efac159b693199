// A folder that only this user can read, and that is removed with its owner.

#pragma once

#include <string>

namespace conflux::app {

class WorkFolder {
 public:
  /// Below TMPDIR, or /tmp. Throws Error when it cannot be made.
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// 256 unpredictable bits, in hexadecimal digits. Throws Error when there are none.
std::string random_token();

}  // namespace conflux::app
