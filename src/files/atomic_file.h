// A file that has its name only when it is complete.
//
// Bytes go to a nameless file in the same folder (one called NAME.PID-N.partial where the file
// system has no nameless ones). commit() syncs it to the disk, gives it its name in one step, and
// syncs the folder: whenever the program or the machine stops, the old file or the new one is
// there, whole. The new file has the permissions of the old one, and a symbolic link keeps pointing
// to where the file is. Partial files that killed programs have left for the same name are removed.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "files/descriptor.h"

namespace conflux {

/// The calls of the system that may fail at the end of a file; tests give their own.
struct FinishingCalls {
  int (*sync)(int file);
  int (*close)(Descriptor& file);
  int (*rename)(const char* from, const char* to);
};

extern const FinishingCalls kSystemCalls;

/// The name of a file that is not finished. The file is removed when this ends, also by
/// remove_partial_files().
class PartialName {
 public:
  PartialName() = default;
  ~PartialName();
  PartialName(const PartialName&) = delete;
  PartialName& operator=(const PartialName&) = delete;

  void set(std::string path);
  /// The file is finished, or has no such name any more.
  void release();
  bool empty() const { return path_.empty(); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int slot_ = -1;
};

/// For handlers of signals that end the program at once.
void remove_partial_files() noexcept;

class AtomicFile {
 public:
  /// Throws Error when `path` is a folder or something else that is not a plain file, or when
  /// nothing can be written beside it.
  explicit AtomicFile(const std::filesystem::path& path,
                      const FinishingCalls& calls = kSystemCalls);
  /// Without commit() an older file of this name stays as it was.
  ~AtomicFile() = default;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  /// Overwrites bytes that were written before.
  void patch(std::uint64_t offset, std::string_view bytes);
  /// The final name of the file.
  const std::filesystem::path& path() const { return path_; }
  /// The file is on the disk when this returns, beside its name: only commit() may follow, which
  /// then does nothing but rename. Throws Error.
  void prepare();
  /// The file is on the disk, and has its name, when this returns. Throws Error.
  void commit();

 private:
  void open_named();
  void give_name();

  std::filesystem::path path_;
  const FinishingCalls& calls_;
  Descriptor file_;
  /// The name of the file so far; empty while it has none.
  PartialName partial_;
};

/// A name beside the file that no other writer has. Files of such names that killed programs have
/// left are removed when the file is written next.
std::string partial_name(const std::filesystem::path& path);

/// Throws the Error of a file that cannot be written.
[[noreturn]] void fail_to_write(const std::string& name, int error);

}  // namespace conflux
