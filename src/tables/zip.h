// Zip archives, as far as NPZ files need them: stored and deflated members, sizes beyond 4 GB.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "files/input_stream.h"
#include "files/output_stream.h"

namespace conflux {

struct ZipMember {
  std::string name;
  bool deflated = false;
  std::uint32_t checksum = 0;
  std::uint64_t packed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t header_at = 0;
};

/// What the directory at the end of an archive lists. Throws InvalidData for damaged archives.
std::vector<ZipMember> list_zip(const RandomAccess& archive, const std::string& name);

/// The packed bytes of a member.
std::shared_ptr<const RandomAccess> packed_bytes(std::shared_ptr<const RandomAccess> archive,
                                                 const ZipMember& member, const std::string& name);

/// The bytes of a member; the last read compares their checksum.
std::unique_ptr<InputStream> open_member(std::shared_ptr<const RandomAccess> archive,
                                         const ZipMember& member, const std::string& name);

/// Writes stored members one after the other.
class ZipWriter {
 public:
  explicit ZipWriter(std::unique_ptr<OutputStream> out) : out_(std::move(out)) {}
  /// `size` bytes with this checksum must follow.
  OutputStream& begin(const std::string& name, std::uint64_t size, std::uint32_t checksum);
  void close();

 private:
  void write(const std::string& bytes);

  std::unique_ptr<OutputStream> out_;
  std::vector<ZipMember> members_;
  std::uint64_t at_ = 0;
};

std::uint32_t checksum(std::uint32_t so_far, std::string_view bytes);
/// The checksum of two pieces, one behind the other.
std::uint32_t joined_checksum(std::uint32_t first, std::uint32_t second, std::uint64_t second_size);

}  // namespace conflux
