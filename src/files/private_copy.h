// A copy of a file that libraries change in place before it gets its name.

#pragma once

#include <filesystem>
#include <string>

#include "files/descriptor.h"
#include "files/output_stream.h"

namespace conflux {

/// A nameless file in the folder of the output, which only this user can read and which is gone
/// when the program ends, however it ends. Without /proc, and on file systems without nameless
/// files, it is called .conflux-XXXXXX until then.
class PrivateCopy {
 public:
  /// An empty `folder` is the one for temporary files. Throws Error when the file cannot be read,
  /// or the copy not written.
  PrivateCopy(const std::string& from, const std::filesystem::path& folder);
  ~PrivateCopy();
  PrivateCopy(const PrivateCopy&) = delete;
  PrivateCopy& operator=(const PrivateCopy&) = delete;

  /// By this name this process can open it.
  const std::string& path() const { return path_; }
  /// Throws Error when not every byte can be read back.
  void copy_to(OutputStream& out) const;

 private:
  void open(const std::filesystem::path& folder);

  Descriptor file_;
  std::string path_;
  bool named_ = false;
};

}  // namespace conflux
