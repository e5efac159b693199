#include "files/output_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <utility>
#include <vector>

#include "conflux/core/error.h"
#include "files/atomic_file.h"
#include "files/descriptor.h"
#include "files/piece.h"

namespace conflux {

namespace {

// A plain file, which is complete or not there.
class FileOutput : public OutputStream {
 public:
  explicit FileOutput(const std::filesystem::path& path) : file_(path) {}

  void write(std::string_view bytes) override { file_.write(bytes); }
  void close() override { file_.commit(); }
  bool patchable() const override { return true; }
  void patch(std::uint64_t offset, std::string_view bytes) override { file_.patch(offset, bytes); }
  std::filesystem::path path() const override { return file_.path(); }

 private:
  AtomicFile file_;
};

// Standard output, a pipe or a device: bytes are gone once they are written.
class DirectOutput : public OutputStream {
 public:
  DirectOutput(Descriptor file, std::string name) : file_(std::move(file)), name_(std::move(name)) {
    if (!file_.is_open()) fail_to_write(name_, errno);
  }

  void write(std::string_view bytes) override {
    if (const int error = write_all(file_, bytes)) fail_to_write(name_, error);
  }

  // Standard output stays open for others; closing a copy tells of lost bytes as well.
  void close() override {
    if (file_.get() <= STDERR_FILENO) file_ = Descriptor(::dup(file_.get()));
    if (!file_.is_open()) fail_to_write(name_, errno);
    if (const int error = file_.close()) fail_to_write(name_, error);
  }

 private:
  Descriptor file_;
  std::string name_;
};

std::unique_ptr<OutputStream> create_plain(const std::filesystem::path& path) {
  if (path == "-") {
    return std::make_unique<DirectOutput>(Descriptor(STDOUT_FILENO), "standard output");
  }
  std::error_code ignored;
  const auto kind = std::filesystem::status(path, ignored).type();
  const bool is_file = kind == std::filesystem::file_type::regular ||
                       kind == std::filesystem::file_type::directory ||
                       kind == std::filesystem::file_type::not_found ||
                       kind == std::filesystem::file_type::none;
  if (is_file) return std::make_unique<FileOutput>(path);
  return std::make_unique<DirectOutput>(Descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC)),
                                        path.string());
}

// Collects small writes.
class BufferedOutput : public OutputStream {
 public:
  explicit BufferedOutput(std::unique_ptr<OutputStream> out) : out_(std::move(out)) {
    buffer_.reserve(kPiece);
  }

  void write(std::string_view bytes) override {
    if (buffer_.size() + bytes.size() > kPiece) flush();
    if (bytes.size() >= kPiece) {
      out_->write(bytes);
    } else {
      buffer_ += bytes;
    }
  }

  void close() override {
    flush();
    out_->close();
  }

  bool patchable() const override { return out_->patchable(); }
  std::filesystem::path path() const override { return out_->path(); }

  void patch(std::uint64_t offset, std::string_view bytes) override {
    flush();
    out_->patch(offset, bytes);
  }

 private:
  void flush() {
    out_->write(buffer_);
    buffer_.clear();
  }

  std::unique_ptr<OutputStream> out_;
  std::string buffer_;
};

class GzipOutput : public OutputStream {
 public:
  explicit GzipOutput(std::unique_ptr<OutputStream> out) : out_(std::move(out)) {
    if (deflateInit2(&state_, kLevel, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~GzipOutput() override { deflateEnd(&state_); }
  GzipOutput(const GzipOutput&) = delete;
  GzipOutput& operator=(const GzipOutput&) = delete;

  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const auto piece = bytes.substr(0, std::size_t{1} << 30);
      bytes.remove_prefix(piece.size());
      pack(piece, Z_NO_FLUSH);
    }
  }

  void close() override {
    pack({}, Z_FINISH);
    out_->close();
  }

  std::filesystem::path path() const override { return out_->path(); }

 private:
  static constexpr int kLevel = 6;

  void pack(std::string_view bytes, int flush) {
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    state_.avail_in = static_cast<uInt>(bytes.size());
    do {
      state_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      state_.avail_out = static_cast<uInt>(buffer_.size());
      deflate(&state_, flush);
      out_->write({buffer_.data(), buffer_.size() - state_.avail_out});
    } while (state_.avail_out == 0);
  }

  std::unique_ptr<OutputStream> out_;
  z_stream state_{};
  std::vector<char> buffer_ = std::vector<char>(kPiece);
};

class ZstdOutput : public OutputStream {
 public:
  explicit ZstdOutput(std::unique_ptr<OutputStream> out)
      : out_(std::move(out)), state_(ZSTD_createCStream()) {
    if (state_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(state_.get(), ZSTD_c_checksumFlag, 1);
  }

  void write(std::string_view bytes) override { pack(bytes, ZSTD_e_continue); }

  void close() override {
    pack({}, ZSTD_e_end);
    out_->close();
  }

  std::filesystem::path path() const override { return out_->path(); }

 private:
  struct Free {
    void operator()(ZSTD_CStream* state) const { ZSTD_freeCStream(state); }
  };

  void pack(std::string_view bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    std::size_t left = 0;
    do {
      ZSTD_outBuffer out{buffer_.data(), buffer_.size(), 0};
      left = ZSTD_compressStream2(state_.get(), &out, &in, directive);
      if (ZSTD_isError(left) != 0U) throw Error(ZSTD_getErrorName(left));
      out_->write({buffer_.data(), out.pos});
    } while (directive == ZSTD_e_end ? left > 0 : in.pos < in.size);
  }

  std::unique_ptr<OutputStream> out_;
  std::unique_ptr<ZSTD_CStream, Free> state_;
  std::vector<char> buffer_ = std::vector<char>(kPiece);
};

}  // namespace

void OutputStream::patch(std::uint64_t, std::string_view) { assert(false && "not patchable"); }

std::unique_ptr<OutputStream> create_output(const std::filesystem::path& path,
                                            Compression compression) {
  std::unique_ptr<OutputStream> out = std::make_unique<BufferedOutput>(create_plain(path));
  if (compression == Compression::kGzip) out = std::make_unique<GzipOutput>(std::move(out));
  if (compression == Compression::kZstd) out = std::make_unique<ZstdOutput>(std::move(out));
  return out;
}

Spool::Spool() : file_(std::tmpfile()) {
  if (file_ == nullptr) {
    throw Error(fmt::format("no temporary file can be made: {}; check TMPDIR and the space left.",
                            reason(errno)));
  }
}

void Spool::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) {
    throw Error(fmt::format("a temporary file cannot be written: {}; check the space left.",
                            reason(errno)));
  }
  size_ += bytes.size();
}

void Spool::patch(std::uint64_t offset, std::string_view bytes) {
  const std::uint64_t size = size_;
  if (::fseeko(file_.get(), static_cast<off_t>(offset), SEEK_SET) == 0) {
    write(bytes);
    size_ = size;
    if (::fseeko(file_.get(), 0, SEEK_END) == 0) return;
  }
  throw Error(
      fmt::format("a temporary file cannot be written: {}; check the space left.", reason(errno)));
}

void Spool::rewind() {
  if (std::fflush(file_.get()) != 0 || std::fseek(file_.get(), 0, SEEK_SET) != 0) {
    throw Error(fmt::format("a temporary file cannot be written: {}; check the space left.",
                            reason(errno)));
  }
}

void Spool::read(char* to, std::size_t count) {
  if (std::fread(to, 1, count, file_.get()) == count) return;
  throw Error("a temporary file cannot be read back; check the disk of the temporary files.");
}

void Spool::copy_to(OutputStream& out) {
  rewind();
  std::vector<char> piece(kPiece);
  std::uint64_t left = size_;
  while (left > 0) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, piece.size()));
    read(piece.data(), count);
    out.write({piece.data(), count});
    left -= count;
  }
}

HeadedOutput::HeadedOutput(std::unique_ptr<OutputStream> out, std::size_t head_size)
    : out_(std::move(out)), head_size_(head_size) {
  if (out_->patchable()) {
    out_->write(std::string(head_size_, '\0'));
  } else {
    spool_ = std::make_unique<Spool>();
  }
}

void HeadedOutput::write(std::string_view bytes) {
  if (spool_ != nullptr) {
    spool_->write(bytes);
  } else {
    out_->write(bytes);
  }
}

void HeadedOutput::close(std::string_view head) {
  assert(head.size() == head_size_);
  if (spool_ != nullptr) {
    out_->write(head);
    spool_->copy_to(*out_);
  } else {
    out_->patch(0, head);
  }
  out_->close();
}

}  // namespace conflux
