#include "files/decompress.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "conflux/core/error.h"
#include "files/piece.h"

namespace conflux {

namespace {

[[noreturn]] void refuse_damaged(const std::string& name, std::string_view why) {
  throw InvalidData(fmt::format(
      "{}: the compressed data are damaged ({}); copy or make the file again.", name, why));
}

[[noreturn]] void refuse_truncated(const std::string& name) {
  throw InvalidData(
      fmt::format("{}: the compressed data end too early; copy or make the file again.", name));
}

class InflateStream : public InputStream {
 public:
  InflateStream(std::unique_ptr<InputStream> packed, std::string name)
      : packed_(std::move(packed)), name_(std::move(name)) {
    // The largest window, and the header of gzip.
    if (inflateInit2(&state_, 15 + 16) != Z_OK) throw std::bad_alloc();
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
        refuse_damaged(name_, state_.msg == nullptr ? "zlib" : state_.msg);
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
    refuse_truncated(name_);
  }

  // Gzip files may be several, one after the other.
  void finish_member() {
    between_members_ = true;
    if (state_.avail_in == 0 && !refill()) return;
    between_members_ = false;
    inflateReset(&state_);
  }

  std::unique_ptr<InputStream> packed_;
  std::string name_;
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
        refuse_damaged(name_, ZSTD_getErrorName(status));
      }
      if (in_.pos + out.pos != before) {
        inside_frame_ = status != 0;
      } else if (at_end_) {
        break;
      }
    }
    if (out.pos < out.size && inside_frame_) refuse_truncated(name_);
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

}  // namespace

bool is_gzip(std::string_view head) { return head.starts_with("\x1f\x8b"); }
bool is_zstd(std::string_view head) { return head.starts_with("\x28\xb5\x2f\xfd"); }

std::unique_ptr<InputStream> undo_gzip(std::unique_ptr<InputStream> packed, std::string name) {
  return std::make_unique<InflateStream>(std::move(packed), std::move(name));
}

std::unique_ptr<InputStream> undo_zstd(std::unique_ptr<InputStream> packed, std::string name) {
  return std::make_unique<ZstdStream>(std::move(packed), std::move(name));
}

}  // namespace conflux
