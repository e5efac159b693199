// A copy of a file that libraries change in place before it gets its name.

#pragma once

#include <filesystem>
#include <string>

#include "files/atomic_file.h"
#include "files/descriptor.h"
#include "files/output_stream.h"

namespace conflux {

/// A file beside the output, which only this user can read.
///
/// A nameless one is gone when the program ends, however it ends; where there are none, or where a
/// library needs a name, it has one as of atomic_file.h.
class PrivateCopy {
 public:
  enum class Name { kNone, kNeeded };

  /// An empty `output` is in the folder for temporary files. Throws Error when the file cannot be
  /// read, or the copy not written.
  PrivateCopy(const std::string& from, const std::filesystem::path& output,
              Name name = Name::kNone);
  /// By this name this process can open it.
  const std::string& path() const { return path_; }
  /// Throws Error when not every byte can be read back.
  void copy_to(OutputStream& out) const;

 private:
  void open(const std::filesystem::path& output, Name name);

  Descriptor file_;
  std::string path_;
  PartialName named_;
};

}  // namespace conflux
