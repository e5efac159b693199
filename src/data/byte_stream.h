// Bytes in and out, compressed or not.
//
// What is read is decompressed by what it begins with, what is written is compressed by its name
// (.gz, .zst). The name "-" means standard input and output. A file that is written gets its name
// when it is closed: until then, and after a failure, an older file of that name is left alone.

#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "conflux/core/index.h"

namespace conflux {

/// What messages call a path: itself, or "standard input".
std::string input_name(const std::filesystem::path& path);

/// Bytes from begin to end.
class InputStream {
 public:
  virtual ~InputStream() = default;
  /// Fills `to` with up to `count` bytes; fewer than asked for only at the end.
  virtual std::size_t read(char* to, std::size_t count) = 0;
};

/// Bytes by position.
class RandomAccess {
 public:
  virtual ~RandomAccess() = default;
  virtual std::uint64_t size() const = 0;
  /// Throws InvalidData when the bytes are not there.
  virtual void read_at(std::uint64_t offset, char* to, std::size_t count) const = 0;
};

/// One input that can be read as a stream, again from its beginning, or by position.
class ByteSource {
 public:
  static ByteSource file(const std::filesystem::path& path);
  static ByteSource memory(std::string bytes, std::string name = "memory");

  const std::string& name() const { return name_; }
  /// Makes sure that stream() may be called more than once: standard input and pipes are then kept
  /// in memory.
  void hold();
  /// From the beginning, decompressed.
  std::unique_ptr<InputStream> stream() const;
  /// Decompressed; files that are not compressed are read in place, anything else is kept in
  /// memory.
  std::shared_ptr<const RandomAccess> random_access() const;
  /// Bytes in all, when they are not compressed and known without reading them.
  std::optional<std::uint64_t> plain_size() const;

 private:
  std::unique_ptr<InputStream> raw_stream() const;
  std::shared_ptr<const RandomAccess> raw_access() const;
  std::shared_ptr<const RandomAccess> plain_access() const;

  std::string name_;
  std::filesystem::path path_;
  std::shared_ptr<const std::string> bytes_;
};

/// All that is left in a stream.
std::string read_rest(InputStream& stream);

std::shared_ptr<const RandomAccess> access_to(std::string bytes, std::string name);

/// `count` bytes of `whole` from `begin`.
std::shared_ptr<const RandomAccess> part_of(std::shared_ptr<const RandomAccess> whole,
                                            std::uint64_t begin, std::uint64_t count);
std::unique_ptr<InputStream> stream_of(std::shared_ptr<const RandomAccess> whole);

/// Undoes deflate without a header, as in zip archives.
std::unique_ptr<InputStream> inflate_raw(std::unique_ptr<InputStream> packed, std::string name);

class OutputStream {
 public:
  virtual ~OutputStream() = default;
  virtual void write(std::string_view bytes) = 0;
  /// Everything is with the system, and a file has its name, when this returns.
  virtual void close() = 0;
  /// Whether patch() works: plain files only.
  virtual bool patchable() const { return false; }
  /// Overwrites bytes that were written before.
  virtual void patch(std::uint64_t offset, std::string_view bytes);
};

enum class Compression { kNone, kGzip, kZstd };

std::unique_ptr<OutputStream> create_output(const std::filesystem::path& path,
                                            Compression compression);

/// Bytes kept in a nameless temporary file, to be copied into a stream once its head is known.
class Spool {
 public:
  Spool();
  void write(std::string_view bytes);
  std::uint64_t size() const { return size_; }
  /// Everything written so far, in pieces, from the beginning.
  void copy_to(OutputStream& out);
  void rewind();
  std::size_t read(char* to, std::size_t count);

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Closer> file_;
  std::uint64_t size_ = 0;
};

/// A stream whose first bytes are known last: they are patched where that is possible, otherwise
/// the rest waits in a temporary file.
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
