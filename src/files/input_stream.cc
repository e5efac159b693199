#include "files/input_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "conflux/core/error.h"
#include "files/descriptor.h"

namespace conflux {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 18;

Descriptor open_for_reading(const std::filesystem::path& path, const std::string& name) {
  if (path == "-") return Descriptor(STDIN_FILENO);
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    throw Error(fmt::format("{} cannot be opened: {}; check the path.", name, reason(errno)));
  }
  struct stat info {};
  if (::fstat(file.get(), &info) == 0 && S_ISDIR(info.st_mode)) {
    throw InvalidData(fmt::format("{} is a folder; name a file in it.", name));
  }
  return file;
}

bool is_regular(const Descriptor& file) {
  struct stat info {};
  return ::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode);
}

class FileStream : public InputStream {
 public:
  FileStream(Descriptor file, std::string name) : file_(std::move(file)), name_(std::move(name)) {}

  std::size_t read(char* to, std::size_t count) override {
    std::size_t done = 0;
    while (done < count) {
      const ssize_t got = ::read(file_.get(), to + done, count - done);
      if (got == 0) break;
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw Error(fmt::format("{} cannot be read: {}.", name_, reason(errno)));
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  Descriptor file_;
  std::string name_;
};

class MemoryStream : public InputStream {
 public:
  explicit MemoryStream(std::shared_ptr<const std::string> bytes) : bytes_(std::move(bytes)) {}

  std::size_t read(char* to, std::size_t count) override {
    count = std::min(count, bytes_->size() - at_);
    std::copy_n(bytes_->data() + at_, count, to);
    at_ += count;
    return count;
  }

 private:
  std::shared_ptr<const std::string> bytes_;
  std::size_t at_ = 0;
};

// A stream of which some bytes have already been looked at.
class PeekedStream : public InputStream {
 public:
  PeekedStream(std::string seen, std::unique_ptr<InputStream> rest)
      : seen_(std::move(seen)), rest_(std::move(rest)) {}

  std::size_t read(char* to, std::size_t count) override {
    const std::size_t old = std::min(count, seen_.size() - at_);
    std::copy_n(seen_.data() + at_, old, to);
    at_ += old;
    return count == old ? old : old + rest_->read(to + old, count - old);
  }

 private:
  std::string seen_;
  std::size_t at_ = 0;
  std::unique_ptr<InputStream> rest_;
};

class InflateStream : public InputStream {
 public:
  static constexpr int kGzipBits = 15 + 16;
  static constexpr int kRawBits = -15;

  InflateStream(std::unique_ptr<InputStream> packed, std::string name, int bits)
      : packed_(std::move(packed)), name_(std::move(name)), raw_(bits == kRawBits) {
    if (inflateInit2(&state_, bits) != Z_OK) throw std::bad_alloc();
  }
  ~InflateStream() override { inflateEnd(&state_); }
  InflateStream(const InflateStream&) = delete;
  InflateStream& operator=(const InflateStream&) = delete;

  std::size_t read(char* to, std::size_t count) override {
    std::size_t done = 0;
    while (done < count && !ended_) {
      if (state_.avail_in == 0 && !refill()) break;
      const auto room = static_cast<uInt>(std::min<std::size_t>(count - done, 1U << 30));
      state_.next_out = reinterpret_cast<Bytef*>(to + done);
      state_.avail_out = room;
      const int status = inflate(&state_, Z_NO_FLUSH);
      done += room - state_.avail_out;
      if (status == Z_STREAM_END) {
        finish_member();
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        throw InvalidData(
            fmt::format("{}: the compressed data are damaged ({}); copy or make the "
                        "file again.",
                        name_, state_.msg == nullptr ? "zlib" : state_.msg));
      }
    }
    return done;
  }

 private:
  bool refill() {
    state_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    state_.avail_in = static_cast<uInt>(packed_->read(buffer_.data(), buffer_.size()));
    if (state_.avail_in > 0) return true;
    if (between_members_) {
      ended_ = true;
      return false;
    }
    throw InvalidData(
        fmt::format("{}: the compressed data end too early; copy or make the file again.", name_));
  }

  // Gzip files may be several, one after the other.
  void finish_member() {
    if (raw_) {
      ended_ = true;
      return;
    }
    between_members_ = true;
    if (state_.avail_in == 0 && !refill()) return;
    between_members_ = false;
    inflateReset(&state_);
  }

  std::unique_ptr<InputStream> packed_;
  std::string name_;
  bool raw_;
  z_stream state_{};
  std::vector<char> buffer_ = std::vector<char>(kPiece);
  bool between_members_ = false;
  bool ended_ = false;
};

class ZstdStream : public InputStream {
 public:
  ZstdStream(std::unique_ptr<InputStream> packed, std::string name)
      : packed_(std::move(packed)), name_(std::move(name)), state_(ZSTD_createDStream()) {
    if (state_ == nullptr) throw std::bad_alloc();
  }

  std::size_t read(char* to, std::size_t count) override {
    ZSTD_outBuffer out{to, count, 0};
    while (out.pos < out.size) {
      if (in_.pos == in_.size && !at_end_) {
        in_ = {buffer_.data(), packed_->read(buffer_.data(), buffer_.size()), 0};
        at_end_ = in_.size == 0;
      }
      // Without input, this brings out what the decoder still holds.
      const std::size_t before = in_.pos + out.pos;
      const std::size_t status = ZSTD_decompressStream(state_.get(), &out, &in_);
      if (ZSTD_isError(status) != 0U) {
        throw InvalidData(
            fmt::format("{}: the compressed data are damaged ({}); copy or make the file again.",
                        name_, ZSTD_getErrorName(status)));
      }
      if (in_.pos + out.pos != before) {
        inside_frame_ = status != 0;
      } else if (at_end_) {
        break;
      }
    }
    if (out.pos < out.size && inside_frame_) {
      throw InvalidData(fmt::format(
          "{}: the compressed data end too early; copy or make the file again.", name_));
    }
    return out.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* state) const { ZSTD_freeDStream(state); }
  };
  std::unique_ptr<InputStream> packed_;
  std::string name_;
  std::unique_ptr<ZSTD_DStream, Free> state_;
  std::vector<char> buffer_ = std::vector<char>(kPiece);
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool inside_frame_ = false;
  bool at_end_ = false;
};

bool is_gzip(std::string_view head) { return head.starts_with("\x1f\x8b"); }
bool is_zstd(std::string_view head) { return head.starts_with("\x28\xb5\x2f\xfd"); }

class FileAccess : public RandomAccess {
 public:
  FileAccess(Descriptor file, std::string name) : file_(std::move(file)), name_(std::move(name)) {
    struct stat info {};
    if (::fstat(file_.get(), &info) == 0) size_ = static_cast<std::uint64_t>(info.st_size);
  }

  std::uint64_t size() const override { return size_; }

  void read_at(std::uint64_t offset, char* to, std::size_t count) const override {
    std::size_t done = 0;
    while (done < count) {
      const ssize_t got =
          ::pread(file_.get(), to + done, count - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw Error(fmt::format("{} cannot be read: {}.", name_, reason(errno)));
      if (got == 0) {
        throw InvalidData(
            fmt::format("{} ends after {} bytes, before its contents do; copy or "
                        "make the file again.",
                        name_, offset + done));
      }
      done += static_cast<std::size_t>(got);
    }
  }

 private:
  Descriptor file_;
  std::string name_;
  std::uint64_t size_ = 0;
};

class MemoryAccess : public RandomAccess {
 public:
  MemoryAccess(std::shared_ptr<const std::string> bytes, std::string name)
      : bytes_(std::move(bytes)), name_(std::move(name)) {}

  std::uint64_t size() const override { return bytes_->size(); }

  void read_at(std::uint64_t offset, char* to, std::size_t count) const override {
    if (offset > bytes_->size() || count > bytes_->size() - offset) {
      throw InvalidData(
          fmt::format("{} ends after {} bytes, before its contents do; copy or make "
                      "the file again.",
                      name_, bytes_->size()));
    }
    std::copy_n(bytes_->data() + offset, count, to);
  }

 private:
  std::shared_ptr<const std::string> bytes_;
  std::string name_;
};

class PartAccess : public RandomAccess {
 public:
  PartAccess(std::shared_ptr<const RandomAccess> whole, std::uint64_t begin, std::uint64_t count)
      : whole_(std::move(whole)), begin_(begin), size_(count) {}

  std::uint64_t size() const override { return size_; }

  void read_at(std::uint64_t offset, char* to, std::size_t count) const override {
    whole_->read_at(begin_ + offset, to, count);
  }

 private:
  std::shared_ptr<const RandomAccess> whole_;
  std::uint64_t begin_;
  std::uint64_t size_;
};

class PartStream : public InputStream {
 public:
  PartStream(std::shared_ptr<const RandomAccess> whole, std::uint64_t begin, std::uint64_t count)
      : whole_(std::move(whole)), at_(begin), left_(count) {}

  std::size_t read(char* to, std::size_t count) override {
    count = static_cast<std::size_t>(std::min<std::uint64_t>(count, left_));
    whole_->read_at(at_, to, count);
    at_ += count;
    left_ -= count;
    return count;
  }

 private:
  std::shared_ptr<const RandomAccess> whole_;
  std::uint64_t at_;
  std::uint64_t left_;
};

}  // namespace

std::string input_name(const std::filesystem::path& path) {
  return path == "-" ? "standard input" : path.string();
}

ByteSource ByteSource::file(const std::filesystem::path& path) {
  ByteSource source;
  source.name_ = input_name(path);
  source.path_ = path;
  return source;
}

ByteSource ByteSource::memory(std::string bytes, std::string name) {
  ByteSource source;
  source.name_ = std::move(name);
  source.bytes_ = std::make_shared<const std::string>(std::move(bytes));
  return source;
}

void ByteSource::hold() {
  if (bytes_ != nullptr) return;
  Descriptor file = open_for_reading(path_, name_);
  if (path_ != "-" && is_regular(file)) return;
  FileStream stream(std::move(file), name_);
  bytes_ = std::make_shared<const std::string>(read_rest(stream));
}

std::unique_ptr<InputStream> ByteSource::raw_stream() const {
  if (bytes_ != nullptr) return std::make_unique<MemoryStream>(bytes_);
  return std::make_unique<FileStream>(open_for_reading(path_, name_), name_);
}

std::unique_ptr<InputStream> ByteSource::stream() const {
  std::unique_ptr<InputStream> raw = raw_stream();
  std::string head(4, '\0');
  head.resize(raw->read(head.data(), head.size()));
  const bool gzip = is_gzip(head);
  const bool zstd = is_zstd(head);
  auto whole = std::make_unique<PeekedStream>(std::move(head), std::move(raw));
  if (gzip)
    return std::make_unique<InflateStream>(std::move(whole), name_, InflateStream::kGzipBits);
  if (zstd) return std::make_unique<ZstdStream>(std::move(whole), name_);
  return whole;
}

std::shared_ptr<const RandomAccess> ByteSource::raw_access() const {
  if (bytes_ != nullptr) return std::make_shared<MemoryAccess>(bytes_, name_);
  if (path_ == "-") return nullptr;
  Descriptor file = open_for_reading(path_, name_);
  if (!is_regular(file)) return nullptr;
  return std::make_shared<FileAccess>(std::move(file), name_);
}

std::shared_ptr<const RandomAccess> ByteSource::plain_access() const {
  auto access = raw_access();
  if (access == nullptr) return nullptr;
  std::string head(std::min<std::uint64_t>(access->size(), 4), '\0');
  access->read_at(0, head.data(), head.size());
  return is_gzip(head) || is_zstd(head) ? nullptr : access;
}

std::shared_ptr<const RandomAccess> ByteSource::random_access() const {
  if (auto access = plain_access()) return access;
  return access_to(read_rest(*stream()), name_);
}

std::optional<std::uint64_t> ByteSource::plain_size() const {
  const auto access = plain_access();
  return access == nullptr ? std::nullopt : std::optional(access->size());
}

std::shared_ptr<const RandomAccess> access_to(std::string bytes, std::string name) {
  return std::make_shared<MemoryAccess>(std::make_shared<const std::string>(std::move(bytes)),
                                        std::move(name));
}

std::shared_ptr<const RandomAccess> part_of(std::shared_ptr<const RandomAccess> whole,
                                            std::uint64_t begin, std::uint64_t count) {
  return std::make_shared<PartAccess>(std::move(whole), begin, count);
}

std::string read_rest(InputStream& stream) {
  std::string bytes;
  std::size_t filled = 0;
  for (;;) {
    bytes.resize(std::max(2 * filled, kPiece));
    const std::size_t got = stream.read(bytes.data() + filled, bytes.size() - filled);
    filled += got;
    if (filled < bytes.size()) break;
  }
  bytes.resize(filled);
  return bytes;
}

std::unique_ptr<InputStream> stream_of(std::shared_ptr<const RandomAccess> whole) {
  const std::uint64_t size = whole->size();
  return std::make_unique<PartStream>(std::move(whole), 0, size);
}

std::unique_ptr<InputStream> inflate_raw(std::unique_ptr<InputStream> packed, std::string name) {
  return std::make_unique<InflateStream>(std::move(packed), std::move(name),
                                         InflateStream::kRawBits);
}

}  // namespace conflux
