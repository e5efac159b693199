#include "tables/picture.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "conflux/core/error.h"

namespace conflux {

namespace {

constexpr std::string_view kPictureAgain = "copy or make the picture again.";
// No compression of pictures saves more than this.
constexpr std::uint64_t kMostPerByte = 1200;

struct Picture {
  Index width = 0;
  Index height = 0;
  /// 1 or 3
  Index channels = 3;
  std::string pixels;
  std::vector<std::string> notes = {};
};

void check_picture_size(std::uint64_t width, std::uint64_t height, std::uint64_t bytes,
                        const std::string& name) {
  if (width >= 1 && height >= 1 && width <= (1u << 20) && height <= (1u << 20) &&
      width * height <= kMostPerByte * bytes) {
    return;
  }
  throw InvalidData(
      fmt::format("{}: the picture is told to be {} x {} pixels, but has {} bytes; {}", name, width,
                  height, bytes, kPictureAgain));
}

Picture read_png(const std::string& bytes, const std::string& name) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  const auto refuse = [&] {
    const std::string why = image.message;
    png_image_free(&image);
    throw InvalidData(fmt::format("{}: {}; {}", name, why, kPictureAgain));
  };
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) refuse();
  Picture out{.width = image.width, .height = image.height, .pixels = {}};
  try {
    check_picture_size(image.width, image.height, bytes.size(), name);
  } catch (const InvalidData&) {
    png_image_free(&image);
    throw;
  }
  if ((image.format & PNG_FORMAT_FLAG_ALPHA) != 0) {
    out.notes.push_back(fmt::format("{}: its transparency is left out", name));
  }
  if ((image.format & PNG_FORMAT_FLAG_LINEAR) != 0) {
    out.notes.push_back(fmt::format("{}: its sixteen bits become eight", name));
  }
  out.channels = (image.format & PNG_FORMAT_FLAG_COLOR) != 0 ? 3 : 1;
  image.format = out.channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  out.pixels.resize(PNG_IMAGE_SIZE(image));
  const png_color black = {0, 0, 0};
  if (png_image_finish_read(&image, &black, out.pixels.data(), 0, nullptr) == 0) refuse();
  return out;
}

/// The head of a PPM or PGM: a magic and three numbers, with blanks and comments between them.
class PpmHead {
 public:
  PpmHead(const std::string& bytes, const std::string& name) : bytes_(bytes), name_(name) {
    if (!bytes.starts_with("P6") && !bytes.starts_with("P5")) {
      throw InvalidData(fmt::format(
          "{} is no picture in PPM or PGM of bytes, which begins with P6 or P5; name its format.",
          name));
    }
    at_ = 2;
  }

  std::uint64_t number() {
    while (at_ < bytes_.size() && (is_blank(bytes_[at_]) || bytes_[at_] == '#')) {
      if (bytes_[at_] == '#') at_ = std::min(bytes_.find('\n', at_), bytes_.size());
      if (at_ < bytes_.size()) ++at_;
    }
    std::uint64_t out = 0;
    const char* const begin = bytes_.data() + at_;
    const auto [end, error] = std::from_chars(begin, bytes_.data() + bytes_.size(), out);
    if (error != std::errc()) {
      throw InvalidData(fmt::format("{}: its head has no size; {}", name_, kPictureAgain));
    }
    at_ += static_cast<std::size_t>(end - begin);
    return out;
  }

  /// Behind the blank that ends the head.
  std::size_t end() const { return at_ + 1; }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

  const std::string& bytes_;
  const std::string& name_;
  std::size_t at_ = 0;
};

Picture read_ppm(const std::string& bytes, const std::string& name) {
  PpmHead head(bytes, name);
  const std::uint64_t width = head.number(), height = head.number(), largest = head.number();
  check_picture_size(width, height, bytes.size(), name);
  Picture out{.width = static_cast<Index>(width),
              .height = static_cast<Index>(height),
              .channels = bytes[1] == '6' ? 3 : 1,
              .pixels = {}};
  const auto size = static_cast<std::size_t>(out.width * out.height * out.channels);
  if (largest != 255 || head.end() > bytes.size() || bytes.size() - head.end() < size) {
    throw InvalidData(
        fmt::format("{}: {} x {} pixels of values up to {} do not stand behind the head; pictures "
                    "have values up "
                    "to 255: {}",
                    name, width, height, largest, kPictureAgain));
  }
  out.pixels = bytes.substr(head.end(), size);
  return out;
}

class PictureReader final : public TableReader {
 public:
  PictureReader(Picture picture, std::string name)
      : picture_(std::move(picture)), name_(std::move(name)) {
    const std::vector<std::string> colours = {"red", "green", "blue"};
    for (Index k = 0; k < picture_.channels; ++k) {
      schema_.push_back({picture_.channels == 1 ? "gray" : colours[k], ColumnType::kNumeric});
    }
    FileExtras extras{"picture",
                      {{"width", fmt::format("{}", picture_.width)},
                       {"height", fmt::format("{}", picture_.height)}},
                      {}};
    for (const char* place : {"x", "y"}) {
      schema_.push_back({place, ColumnType::kNumeric});
      extras.carried.emplace_back(place, "because it tells where a pixel is");
    }
    extras_ = std::make_shared<const FileExtras>(std::move(extras));
  }

  const TableSchema& schema() override { return schema_; }
  std::vector<std::string> notes() override { return picture_.notes; }

  bool read(Table& block, Index max_rows) override {
    start_block(block, schema_, name_, done_, max_rows);
    block.extras = extras_;
    const Index count = std::min(max_rows, picture_.width * picture_.height - done_);
    for (Index i = done_; i < done_ + count; ++i) {
      for (Index k = 0; k < picture_.channels; ++k) {
        block.columns[k].numbers.push_back(
            static_cast<unsigned char>(picture_.pixels[i * picture_.channels + k]));
      }
      block.columns[picture_.channels].numbers.push_back(static_cast<double>(i % picture_.width));
      block.columns[picture_.channels + 1].numbers.push_back(
          static_cast<double>(i / picture_.width));
    }
    done_ += count;
    return count > 0;
  }

 private:
  Picture picture_;
  std::string name_;
  TableSchema schema_;
  std::shared_ptr<const FileExtras> extras_;
  Index done_ = 0;
};

std::string png_bytes(const Picture& picture) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = picture.channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string out(size, '\0');
  if (png_image_write_to_memory(&image, out.data(), &size, 0, picture.pixels.data(), 0, nullptr) ==
      0) {
    throw Error(fmt::format("a picture cannot be written: {}", image.message));
  }
  out.resize(size);
  return out;
}

std::string ppm_bytes(const Picture& picture) {
  return fmt::format("P{}\n{} {}\n255\n", picture.channels == 3 ? 6 : 5, picture.width,
                     picture.height) +
         picture.pixels;
}

class PictureWriter final : public TableWriter {
 public:
  PictureWriter(std::unique_ptr<OutputStream> out, std::string (*encode)(const Picture&))
      : out_(std::move(out)), encode_(encode) {}

  void write(const Table& block) override {
    if (colours_.empty()) begin(block);
    if (!block.extras || block.extras->keywords != extras_->keywords) {
      throw InvalidOption(fmt::format(
          "the pixels of {} do not fit into a picture of another size; name a folder with -o.",
          block.source));
    }
    for (Index i = 0; i < block.num_rows(); ++i) {
      for (const std::string& colour : colours_) {
        const double value = block[colour].numbers[i];
        const double whole = std::clamp(std::round(value), 0.0, 255.0);
        picture_.pixels += static_cast<char>(static_cast<unsigned char>(whole));
      }
    }
  }

  void close() override {
    if (colours_.empty()) require_numeric({}, "a picture");
    const auto size =
        static_cast<std::size_t>(picture_.width * picture_.height * picture_.channels);
    if (picture_.pixels.size() != size) {
      throw InvalidData(fmt::format(
          "a picture of {} x {} pixels needs all of them, but {} rows were moved; write .csv for a "
          "part.",
          picture_.width, picture_.height,
          picture_.pixels.size() / static_cast<std::size_t>(picture_.channels)));
    }
    out_->write(encode_(picture_));
    out_->close();
  }

 private:
  void begin(const Table& block) {
    extras_ = block.extras;
    if (!extras_ || extras_->format != "picture") {
      throw InvalidOption(
          fmt::format("a picture has the size of the one that its rows come from, but these come "
                      "from {}; write "
                      ".csv or .npy, or read a picture.",
                      block.source.empty() ? "elsewhere" : block.source));
    }
    for (const char* colour : {"gray", "red", "green", "blue"}) {
      if (block.has(colour)) colours_.push_back(colour);
    }
    picture_.channels = static_cast<Index>(colours_.size());
    if (picture_.channels != 1 && picture_.channels != 3) require_numeric({}, "a picture");
    picture_.width = std::stol(extras_->keywords[0].second);
    picture_.height = std::stol(extras_->keywords[1].second);
  }

  std::unique_ptr<OutputStream> out_;
  std::string (*encode_)(const Picture&);
  std::shared_ptr<const FileExtras> extras_;
  std::vector<std::string> colours_;
  Picture picture_;
};

std::unique_ptr<TableReader> open_picture(const ByteSource& source,
                                          Picture (*decode)(const std::string&,
                                                            const std::string&)) {
  const auto stream = source.stream();
  return std::make_unique<PictureReader>(decode(read_rest(*stream), source.name()), source.name());
}

}  // namespace

const TableFormat kPngFormat = {
    "png", [](std::string_view name) { return name.ends_with(".png"); },
    [](const ByteSource& source, const TableOptions&) -> std::unique_ptr<TableReader> {
      return open_picture(source, read_png);
    },
    [](std::unique_ptr<OutputStream> out, std::string_view,
       const TableOptions&) -> std::unique_ptr<TableWriter> {
      return std::make_unique<PictureWriter>(std::move(out), png_bytes);
    }};

const TableFormat kPpmFormat = {
    "ppm", [](std::string_view name) { return name.ends_with(".ppm") || name.ends_with(".pgm"); },
    [](const ByteSource& source, const TableOptions&) -> std::unique_ptr<TableReader> {
      return open_picture(source, read_ppm);
    },
    [](std::unique_ptr<OutputStream> out, std::string_view,
       const TableOptions&) -> std::unique_ptr<TableWriter> {
      return std::make_unique<PictureWriter>(std::move(out), ppm_bytes);
    }};

}  // namespace conflux
