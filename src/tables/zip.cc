#include "tables/zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "tables/binary_array.h"

namespace conflux {

namespace {

constexpr std::uint32_t kLocal = 0x04034b50;
constexpr std::uint32_t kCentral = 0x02014b50;
constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::uint32_t kEnd64 = 0x06064b50;
constexpr std::uint32_t kLocator64 = 0x07064b50;
constexpr std::size_t kLocalSize = 30;
constexpr std::size_t kCentralSize = 46;
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kEnd64Size = 56;
constexpr std::size_t kLocator64Size = 20;
constexpr std::size_t kLongestComment = 65535;
constexpr std::uint32_t kInExtra = 0xFFFFFFFF;
constexpr std::uint16_t kExtra64 = 1;
constexpr std::uint16_t kVersion64 = 45;
// 1 January 1980, the first day of zip: the same table gives the same bytes.
constexpr std::uint16_t kDate = 0x21;
constexpr std::uint64_t kLargestDirectory = std::uint64_t{1} << 30;

[[noreturn]] void refuse(const std::string& name, std::string_view what) {
  throw InvalidData(fmt::format("{}: {}; save the arrays again with numpy.savez.", name, what));
}

std::string bytes_at(const RandomAccess& archive, std::uint64_t offset, std::uint64_t count,
                     const std::string& name) {
  if (offset > archive.size() || count > archive.size() - offset) {
    refuse(name, "the archive ends too early");
  }
  std::string bytes(count, '\0');
  archive.read_at(offset, bytes.data(), count);
  return bytes;
}

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

Directory find_directory(const RandomAccess& archive, const std::string& name) {
  const std::uint64_t tail_size =
      std::min<std::uint64_t>(archive.size(), kEndSize + kLongestComment + kLocator64Size);
  const std::uint64_t tail_at = archive.size() - tail_size;
  const std::string tail = bytes_at(archive, tail_at, tail_size, name);
  std::string mark;
  append_uint32(mark, kEnd);
  const auto end = tail.rfind(mark);
  if (end == tail.npos || end + kEndSize > tail.size()) refuse(name, "it is not a zip archive");
  Directory directory = {load_uint32(tail.data() + end + 16), load_uint32(tail.data() + end + 12)};
  if (end >= kLocator64Size) {
    const char* locator = tail.data() + end - kLocator64Size;
    if (load_uint32(locator) == kLocator64) {
      const std::string record = bytes_at(archive, load_uint64(locator + 8), kEnd64Size, name);
      if (load_uint32(record.data()) != kEnd64) refuse(name, "the archive's directory is damaged");
      directory = {load_uint64(record.data() + 48), load_uint64(record.data() + 40)};
    }
  }
  if (directory.size > kLargestDirectory) refuse(name, "the archive's directory is too large");
  return directory;
}

// Sizes that do not fit 32 bits stand in an extra field, in this order.
void read_extra64(std::string_view extra, ZipMember& member, const std::string& name) {
  while (extra.size() >= 4) {
    const std::uint16_t kind = load_uint16(extra.data());
    const std::uint16_t size = load_uint16(extra.data() + 2);
    extra.remove_prefix(4);
    if (size > extra.size()) break;
    std::string_view field = extra.substr(0, size);
    extra.remove_prefix(size);
    if (kind != kExtra64) continue;
    for (std::uint64_t* value : {&member.size, &member.packed_size, &member.header_at}) {
      if (*value != kInExtra) continue;
      if (field.size() < 8) refuse(name, "the archive's directory is damaged");
      *value = load_uint64(field.data());
      field.remove_prefix(8);
    }
  }
}

class ChecksumStream : public InputStream {
 public:
  ChecksumStream(std::unique_ptr<InputStream> bytes, const ZipMember& member, std::string name)
      : bytes_(std::move(bytes)),
        left_(member.size),
        expected_(member.checksum),
        name_(std::move(name)) {}

  std::size_t read(char* to, std::size_t count) override {
    count = static_cast<std::size_t>(std::min<std::uint64_t>(count, left_));
    const std::size_t got = bytes_->read(to, count);
    if (got < count) refuse(name_, "the archive holds fewer bytes than it lists");
    found_ = checksum(found_, {to, got});
    left_ -= got;
    if (left_ == 0 && found_ != expected_) {
      refuse(name_, "the checksum is wrong, so that the data are damaged");
    }
    return got;
  }

 private:
  std::unique_ptr<InputStream> bytes_;
  std::uint64_t left_;
  std::uint32_t expected_;
  std::uint32_t found_ = 0;
  std::string name_;
};

}  // namespace

std::vector<ZipMember> list_zip(const RandomAccess& archive, const std::string& name) {
  const Directory directory = find_directory(archive, name);
  const std::string bytes = bytes_at(archive, directory.offset, directory.size, name);
  std::vector<ZipMember> members;
  for (std::size_t at = 0; at < bytes.size();) {
    const char* entry = bytes.data() + at;
    if (bytes.size() - at < kCentralSize || load_uint32(entry) != kCentral) {
      refuse(name, "the archive's directory is damaged");
    }
    const std::size_t name_size = load_uint16(entry + 28);
    const std::size_t extra_size = load_uint16(entry + 30);
    const std::size_t comment_size = load_uint16(entry + 32);
    if (bytes.size() - at - kCentralSize < name_size + extra_size + comment_size) {
      refuse(name, "the archive's directory is damaged");
    }
    ZipMember member;
    member.name.assign(entry + kCentralSize, name_size);
    const std::uint16_t flags = load_uint16(entry + 8);
    const std::uint16_t method = load_uint16(entry + 10);
    if ((flags & 1U) != 0 || (method != 0 && method != Z_DEFLATED)) {
      refuse(name,
             fmt::format("member \"{}\" is encrypted or packed by method {}", member.name, method));
    }
    member.deflated = method == Z_DEFLATED;
    member.checksum = load_uint32(entry + 16);
    member.packed_size = load_uint32(entry + 20);
    member.size = load_uint32(entry + 24);
    member.header_at = load_uint32(entry + 42);
    read_extra64({entry + kCentralSize + name_size, extra_size}, member, name);
    members.push_back(std::move(member));
    at += kCentralSize + name_size + extra_size + comment_size;
  }
  return members;
}

std::shared_ptr<const RandomAccess> packed_bytes(std::shared_ptr<const RandomAccess> archive,
                                                 const ZipMember& member, const std::string& name) {
  const std::string header = bytes_at(*archive, member.header_at, kLocalSize, name);
  if (load_uint32(header.data()) != kLocal) {
    refuse(name, fmt::format("member \"{}\" is not where the directory says", member.name));
  }
  const std::uint64_t begin = member.header_at + kLocalSize + load_uint16(header.data() + 26) +
                              load_uint16(header.data() + 28);
  if (begin > archive->size() || member.packed_size > archive->size() - begin ||
      (!member.deflated && member.packed_size != member.size)) {
    refuse(name, fmt::format("member \"{}\" is cut short", member.name));
  }
  return part_of(std::move(archive), begin, member.packed_size);
}

std::unique_ptr<InputStream> open_member(std::shared_ptr<const RandomAccess> archive,
                                         const ZipMember& member, const std::string& name) {
  auto bytes = stream_of(packed_bytes(std::move(archive), member, name));
  if (member.deflated) bytes = inflate_raw(std::move(bytes), name);
  return std::make_unique<ChecksumStream>(std::move(bytes), member, name);
}

OutputStream& ZipWriter::begin(const std::string& name, std::uint64_t size,
                               std::uint32_t checksum_of_bytes) {
  members_.push_back({name, false, checksum_of_bytes, size, size, at_});
  std::string header;
  append_uint32(header, kLocal);
  append_uint16(header, kVersion64);
  header.append(6, '\0');
  append_uint16(header, kDate);
  append_uint32(header, checksum_of_bytes);
  append_uint32(header, kInExtra);
  append_uint32(header, kInExtra);
  append_uint16(header, static_cast<std::uint16_t>(name.size()));
  append_uint16(header, 20);
  header += name;
  append_uint16(header, kExtra64);
  append_uint16(header, 16);
  append_uint64(header, size);
  append_uint64(header, size);
  write(header);
  at_ += size;
  return *out_;
}

void ZipWriter::close() {
  const std::uint64_t directory_at = at_;
  for (const ZipMember& member : members_) {
    std::string entry;
    append_uint32(entry, kCentral);
    append_uint16(entry, kVersion64);
    append_uint16(entry, kVersion64);
    entry.append(6, '\0');
    append_uint16(entry, kDate);
    append_uint32(entry, member.checksum);
    append_uint32(entry, kInExtra);
    append_uint32(entry, kInExtra);
    append_uint16(entry, static_cast<std::uint16_t>(member.name.size()));
    append_uint16(entry, 28);
    entry.append(6, '\0');
    append_uint32(entry, 0);
    append_uint32(entry, kInExtra);
    entry += member.name;
    append_uint16(entry, kExtra64);
    append_uint16(entry, 24);
    append_uint64(entry, member.size);
    append_uint64(entry, member.size);
    append_uint64(entry, member.header_at);
    write(entry);
  }
  const std::uint64_t directory_size = at_ - directory_at;
  const std::uint64_t end64_at = at_;
  std::string end;
  append_uint32(end, kEnd64);
  append_uint64(end, kEnd64Size - 12);
  append_uint16(end, kVersion64);
  append_uint16(end, kVersion64);
  append_uint32(end, 0);
  append_uint32(end, 0);
  append_uint64(end, members_.size());
  append_uint64(end, members_.size());
  append_uint64(end, directory_size);
  append_uint64(end, directory_at);
  append_uint32(end, kLocator64);
  append_uint32(end, 0);
  append_uint64(end, end64_at);
  append_uint32(end, 1);
  append_uint32(end, kEnd);
  append_uint16(end, 0);
  append_uint16(end, 0);
  append_uint16(end, 0xFFFF);
  append_uint16(end, 0xFFFF);
  append_uint32(end, kInExtra);
  append_uint32(end, kInExtra);
  append_uint16(end, 0);
  write(end);
  out_->close();
}

void ZipWriter::write(const std::string& bytes) {
  out_->write(bytes);
  at_ += bytes.size();
}

std::uint32_t checksum(std::uint32_t so_far, std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(so_far, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::uint32_t joined_checksum(std::uint32_t first, std::uint32_t second,
                              std::uint64_t second_size) {
  return static_cast<std::uint32_t>(
      crc32_combine64(first, second, static_cast<z_off64_t>(second_size)));
}

}  // namespace conflux
