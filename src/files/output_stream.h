// Bytes that are written, compressed or not.
//
// A file gets its name when it is closed: until then, and after a failure, an older file of that
// name is left alone (files/atomic_file.h). The name "-" means standard output.

#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "conflux/core/index.h"

namespace conflux {

class OutputStream {
 public:
  virtual ~OutputStream() = default;
  virtual void write(std::string_view bytes) = 0;
  /// Everything is on the disk, and a file has its name, when this returns.
  virtual void close() = 0;
  /// Whether patch() works: plain files only.
  virtual bool patchable() const { return false; }
  /// Overwrites bytes that were written before.
  virtual void patch(std::uint64_t offset, std::string_view bytes);
  /// Final name of the file; empty for pipes and devices.
  virtual std::filesystem::path path() const { return {}; }
};

enum class Compression { kNone, kGzip, kZstd };

std::unique_ptr<OutputStream> create_output(const std::filesystem::path& path,
                                            Compression compression);

/// Bytes kept in a nameless temporary file, to be copied into a stream once its head is known.
class Spool {
 public:
  Spool();
  void write(std::string_view bytes);
  /// Overwrites bytes that were written before.
  void patch(std::uint64_t offset, std::string_view bytes);
  std::uint64_t size() const { return size_; }
  /// Everything written so far, in pieces, from the beginning.
  void copy_to(OutputStream& out);
  void rewind();
  /// The next bytes, all of them. Throws Error.
  void read(char* to, std::size_t count);

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Closer> file_;
  std::uint64_t size_ = 0;
};

/// A stream whose first bytes are known last: they are patched where that is possible, otherwise
/// all bytes after them wait in a temporary file.
class HeadedOutput {
 public:
  HeadedOutput(std::unique_ptr<OutputStream> out, std::size_t head_size);
  void write(std::string_view bytes);
  void close(std::string_view head);

 private:
  std::unique_ptr<OutputStream> out_;
  std::size_t head_size_;
  std::unique_ptr<Spool> spool_;
};

}  // namespace conflux
