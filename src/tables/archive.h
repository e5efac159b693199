// Zip archives by libzip, as far as NPZ files need them: stored and deflated members of any size.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "files/input_stream.h"
#include "files/output_stream.h"

namespace conflux {

class ArchiveReader {
 public:
  /// Reads the directory at the end of an archive. Throws InvalidData for damaged archives and for
  /// members that are encrypted or packed in other ways.
  ArchiveReader(std::shared_ptr<const RandomAccess> bytes, std::string name);

  struct Member {
    std::string name;
    std::uint64_t size = 0;
  };
  const std::vector<Member>& members() const { return members_; }

  /// The bytes of a member, which messages call `label`; reading past the last one compares their
  /// checksum. Several members may be read side by side.
  std::unique_ptr<InputStream> open(std::size_t member, const std::string& label) const;

  /// State of libzip; members keep it open.
  struct Handle;

 private:
  std::string name_;
  std::shared_ptr<Handle> handle_;
  std::vector<Member> members_;
};

/// Writes stored members. The same members give the same bytes: all of them are dated 1 January
/// 1980, the first day of zip.
class ArchiveWriter {
 public:
  explicit ArchiveWriter(std::unique_ptr<OutputStream> out);
  ~ArchiveWriter();

  /// `head` and everything in `body`, which is read during close().
  void add(std::string name, std::string head, Spool& body);
  void close();

 private:
  struct Content;
  std::unique_ptr<OutputStream> out_;
  std::vector<std::unique_ptr<Content>> contents_;
};

}  // namespace conflux
