#include "tables/archive.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <utility>

#include "conflux/core/error.h"

namespace conflux {

namespace {

// MS-DOS date of 1 January 1980.
constexpr std::uint16_t kDate = 0x21;

[[noreturn]] void refuse(const std::string& name, std::string_view what) {
  throw InvalidData(fmt::format("{}: {}; save the arrays again with numpy.savez.", name, what));
}

// Answers the commands by which libzip reads and writes. libzip is C, so exceptions wait in
// `failure` until it has returned.
class Source {
 public:
  virtual ~Source() = default;

  static zip_int64_t answer(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    auto& source = *static_cast<Source*>(self);
    try {
      return source.run(command, data, length);
    } catch (...) {
      source.failure_ = std::current_exception();
      zip_error_set(&source.error_, ZIP_ER_READ, EIO);
      return -1;
    }
  }

  // Throws the exception of a command that failed, if there was one.
  void rethrow() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 protected:
  virtual zip_int64_t run(zip_source_cmd_t command, void* data, zip_uint64_t length) {
    switch (command) {
      case ZIP_SOURCE_STAT: {
        auto* status = static_cast<zip_stat_t*>(data);
        zip_stat_init(status);
        status->size = size();
        status->valid = ZIP_STAT_SIZE;
        return sizeof(*status);
      }
      case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&error_, data, length);
      case ZIP_SOURCE_OPEN:
        at_ = 0;
        return 0;
      case ZIP_SOURCE_CLOSE:
      case ZIP_SOURCE_FREE:
        return 0;
      case ZIP_SOURCE_TELL:
        return static_cast<zip_int64_t>(at_);
      case ZIP_SOURCE_SEEK:
        return seek(data, length);
      default:
        zip_error_set(&error_, ZIP_ER_OPNOTSUPP, 0);
        return -1;
    }
  }

  virtual std::uint64_t size() const = 0;

  zip_int64_t seek(void* data, zip_uint64_t length) {
    const zip_int64_t to = zip_source_seek_compute_offset(at_, size(), data, length, &error_);
    if (to < 0) return -1;
    at_ = static_cast<std::uint64_t>(to);
    return 0;
  }

  std::uint64_t at_ = 0;
  zip_error_t error_{};

 private:
  std::exception_ptr failure_;
};

class ArchiveSource : public Source {
 public:
  explicit ArchiveSource(std::shared_ptr<const RandomAccess> bytes) : bytes_(std::move(bytes)) {}

 protected:
  zip_int64_t run(zip_source_cmd_t command, void* data, zip_uint64_t length) override {
    if (command == ZIP_SOURCE_SUPPORTS) return ZIP_SOURCE_SUPPORTS_SEEKABLE;
    if (command != ZIP_SOURCE_READ) return Source::run(command, data, length);
    const std::uint64_t count = std::min(length, size() - std::min(at_, size()));
    bytes_->read_at(at_, static_cast<char*>(data), count);
    at_ += count;
    return static_cast<zip_int64_t>(count);
  }

  std::uint64_t size() const override { return bytes_->size(); }

 private:
  std::shared_ptr<const RandomAccess> bytes_;
};

// libzip writes the head of a member, its bytes, and then the head once more with the checksum.
class TargetSource : public Source {
 public:
  explicit TargetSource(OutputStream& out) : out_(out) {
    if (!out.patchable()) spool_ = std::make_unique<Spool>();
  }

  void finish() {
    if (spool_ != nullptr) spool_->copy_to(out_);
  }

 protected:
  zip_int64_t run(zip_source_cmd_t command, void* data, zip_uint64_t length) override {
    switch (command) {
      case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_WRITABLE;
      case ZIP_SOURCE_BEGIN_WRITE:
      case ZIP_SOURCE_COMMIT_WRITE:
      case ZIP_SOURCE_ROLLBACK_WRITE:
      case ZIP_SOURCE_REMOVE:
        return 0;
      case ZIP_SOURCE_SEEK_WRITE:
        return seek(data, length);
      case ZIP_SOURCE_TELL_WRITE:
        return static_cast<zip_int64_t>(at_);
      case ZIP_SOURCE_WRITE:
        write({static_cast<const char*>(data), length});
        return static_cast<zip_int64_t>(length);
      default:
        return Source::run(command, data, length);
    }
  }

  std::uint64_t size() const override { return written_; }

 private:
  void write(std::string_view bytes) {
    const auto old =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), written_ - at_));
    const std::string_view fresh = bytes.substr(old);
    if (spool_ != nullptr) {
      if (old > 0) spool_->patch(at_, bytes.substr(0, old));
      spool_->write(fresh);
    } else {
      if (old > 0) out_.patch(at_, bytes.substr(0, old));
      out_.write(fresh);
    }
    at_ += bytes.size();
    written_ += fresh.size();
  }

  OutputStream& out_;
  std::unique_ptr<Spool> spool_;
  std::uint64_t written_ = 0;
};

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};

// Opens the archive behind a source; `name` is the file.
std::unique_ptr<zip_t, Discard> open_archive(Source& source, int flags, const std::string& name) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* bytes = zip_source_function_create(&Source::answer, &source, &error);
  if (bytes == nullptr) throw std::bad_alloc();
  std::unique_ptr<zip_t, Discard> archive(zip_open_from_source(bytes, flags, &error));
  if (archive != nullptr) return archive;
  const int code = zip_error_code_zip(&error);
  const std::string why = zip_error_strerror(&error);
  zip_error_fini(&error);
  zip_source_free(bytes);
  source.rethrow();
  if (code == ZIP_ER_NOZIP) refuse(name, "it is not a zip archive");
  refuse(name, fmt::format("the archive is damaged ({})", why));
}

}  // namespace

struct ArchiveReader::Handle {
  explicit Handle(std::shared_ptr<const RandomAccess> bytes, const std::string& name)
      : source(std::move(bytes)), archive(open_archive(source, ZIP_RDONLY, name)) {}

  ArchiveSource source;
  std::unique_ptr<zip_t, Discard> archive;
};

namespace {

class MemberStream : public InputStream {
 public:
  MemberStream(std::shared_ptr<ArchiveReader::Handle> handle, zip_uint64_t member,
               std::string label)
      : handle_(std::move(handle)),
        label_(std::move(label)),
        file_(zip_fopen_index(handle_->archive.get(), member, 0)) {
    if (file_ == nullptr) fail(zip_get_error(handle_->archive.get()));
  }

  std::size_t read(char* to, std::size_t count) override {
    std::size_t done = 0;
    while (done < count) {
      const zip_int64_t got = zip_fread(file_.get(), to + done, count - done);
      if (got < 0) fail(zip_file_get_error(file_.get()));
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  struct Close {
    void operator()(zip_file_t* file) const { zip_fclose(file); }
  };

  [[noreturn]] void fail(zip_error_t* error) {
    handle_->source.rethrow();
    if (zip_error_code_zip(error) == ZIP_ER_CRC) {
      refuse(label_, "the checksum is wrong, so that the data are damaged");
    }
    refuse(label_, fmt::format("the archive is damaged ({})", zip_error_strerror(error)));
  }

  std::shared_ptr<ArchiveReader::Handle> handle_;
  std::string label_;
  std::unique_ptr<zip_file_t, Close> file_;
};

}  // namespace

ArchiveReader::ArchiveReader(std::shared_ptr<const RandomAccess> bytes, std::string name)
    : name_(std::move(name)) {
  if (bytes->size() == 0) refuse(name_, "it is not a zip archive");
  handle_ = std::make_shared<Handle>(std::move(bytes), name_);
  const zip_int64_t count = zip_get_num_entries(handle_->archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t status;
    const auto index = static_cast<zip_uint64_t>(i);
    if (zip_stat_index(handle_->archive.get(), index, ZIP_FL_ENC_RAW, &status) != 0 ||
        (status.valid & ZIP_STAT_NAME) == 0 || (status.valid & ZIP_STAT_SIZE) == 0) {
      refuse(name_, "the archive's directory is damaged");
    }
    const bool known = status.comp_method == ZIP_CM_STORE || status.comp_method == ZIP_CM_DEFLATE;
    if (!known || status.encryption_method != ZIP_EM_NONE) {
      refuse(name_, fmt::format("member \"{}\" is encrypted or packed by method {}", status.name,
                                status.comp_method));
    }
    members_.push_back({status.name, status.size});
  }
}

std::unique_ptr<InputStream> ArchiveReader::open(std::size_t member,
                                                 const std::string& label) const {
  return std::make_unique<MemberStream>(handle_, member, label);
}

// The bytes of a member that is to be written.
struct ArchiveWriter::Content : Source {
  Content(std::string its_name, std::string its_head, Spool& its_body)
      : name(std::move(its_name)), head(std::move(its_head)), body(its_body) {}

  zip_int64_t run(zip_source_cmd_t command, void* data, zip_uint64_t length) override {
    if (command == ZIP_SOURCE_SUPPORTS) {
      return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                            ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
    }
    if (command == ZIP_SOURCE_OPEN) body.rewind();
    if (command != ZIP_SOURCE_READ) return Source::run(command, data, length);
    auto* to = static_cast<char*>(data);
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(length, size() - at_));
    const std::size_t from_head =
        at_ < head.size() ? std::min(count, head.size() - static_cast<std::size_t>(at_)) : 0;
    if (from_head > 0) std::copy_n(head.data() + at_, from_head, to);
    body.read(to + from_head, count - from_head);
    at_ += count;
    return static_cast<zip_int64_t>(count);
  }

  std::uint64_t size() const override { return head.size() + body.size(); }

  std::string name;
  std::string head;
  Spool& body;
};

ArchiveWriter::ArchiveWriter(std::unique_ptr<OutputStream> out) : out_(std::move(out)) {}
ArchiveWriter::~ArchiveWriter() = default;

void ArchiveWriter::add(std::string name, std::string head, Spool& body) {
  contents_.push_back(std::make_unique<Content>(std::move(name), std::move(head), body));
}

void ArchiveWriter::close() {
  TargetSource target(*out_);
  auto archive = open_archive(target, ZIP_CREATE | ZIP_TRUNCATE, "the archive");
  const auto require = [&](bool ok) {
    if (ok) return;
    for (const auto& content : contents_) content->rethrow();
    target.rethrow();
    throw Error(fmt::format("the archive cannot be written: {}.", zip_strerror(archive.get())));
  };
  for (const auto& content : contents_) {
    zip_source_t* bytes = zip_source_function(archive.get(), &Source::answer, content.get());
    require(bytes != nullptr);
    const zip_int64_t index =
        zip_file_add(archive.get(), content->name.c_str(), bytes, ZIP_FL_ENC_UTF_8);
    if (index < 0) zip_source_free(bytes);
    require(index >= 0);
    const auto member = static_cast<zip_uint64_t>(index);
    require(zip_set_file_compression(archive.get(), member, ZIP_CM_STORE, 0) == 0);
    require(zip_file_set_dostime(archive.get(), member, 0, kDate, 0) == 0);
  }
  require(zip_close(archive.get()) == 0);
  static_cast<void>(archive.release());
  target.finish();
  out_->close();
}

}  // namespace conflux
