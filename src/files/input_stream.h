// Bytes that are read, compressed or not.
//
// gzip and zstd are undone by what a file begins with, whatever its name. The name "-" means
// standard input.

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "conflux/core/index.h"

namespace conflux {

/// Name of a path in messages: itself, or "standard input".
std::string input_name(const std::filesystem::path& path);

/// Bytes from begin to end.
class InputStream {
 public:
  virtual ~InputStream() = default;
  /// Fills `to` with up to `count` bytes; fewer only at the end.
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
  /// Empty for what is in memory.
  const std::filesystem::path& path() const { return path_; }
  /// Makes sure that stream() may be called more than once: standard input and pipes are then kept
  /// in memory.
  void hold();
  /// From the beginning, decompressed.
  std::unique_ptr<InputStream> stream() const;
  /// Decompressed; files that are not compressed are read in place, anything else is kept in
  /// memory.
  std::shared_ptr<const RandomAccess> random_access() const;
  /// The file itself, when it is a plain one that is not compressed; otherwise empty.
  std::filesystem::path plain_path() const;
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

}  // namespace conflux
