#include "files/input_stream.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "conflux/core/error.h"
#include "files/decompress.h"
#include "files/descriptor.h"
#include "files/piece.h"

namespace conflux {

namespace {

class FileStream : public InputStream {
 public:
  FileStream(Descriptor file, std::string name) : file_(std::move(file)), name_(std::move(name)) {}

  std::size_t read(char* to, std::size_t count) override {
    return read_all(file_, to, count, name_);
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

class FileAccess : public RandomAccess {
 public:
  FileAccess(Descriptor file, std::string name) : file_(std::move(file)), name_(std::move(name)) {
    struct stat info {};
    if (::fstat(file_.get(), &info) == 0) size_ = static_cast<std::uint64_t>(info.st_size);
  }

  std::uint64_t size() const override { return size_; }

  void read_at(std::uint64_t offset, char* to, std::size_t count) const override {
    const std::size_t got = read_all_at(file_, offset, to, count, name_);
    if (got == count) return;
    throw InvalidData(
        fmt::format("{} ends after {} bytes, before its contents do; copy or make the file again.",
                    name_, offset + got));
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
  if (path_ != "-" && file.is_regular()) return;
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
  if (gzip) return undo_gzip(std::move(whole), name_);
  if (zstd) return undo_zstd(std::move(whole), name_);
  return whole;
}

std::shared_ptr<const RandomAccess> ByteSource::raw_access() const {
  if (bytes_ != nullptr) return std::make_shared<MemoryAccess>(bytes_, name_);
  if (path_ == "-") return nullptr;
  Descriptor file = open_for_reading(path_, name_);
  if (!file.is_regular()) return nullptr;
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

std::filesystem::path ByteSource::plain_path() const {
  return bytes_ == nullptr && plain_access() != nullptr ? path_ : std::filesystem::path();
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

}  // namespace conflux
