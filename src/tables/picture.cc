#include "tables/picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "tables/picture_codec.h"

namespace conflux {

namespace {

class PictureReader final : public TableReader {
 public:
  PictureReader(Picture picture, std::string name)
      : picture_(std::move(picture)), name_(std::move(name)) {
    const std::vector<std::string> colors = {"red", "green", "blue"};
    for (Index k = 0; k < picture_.channels; ++k) {
      schema_.push_back({picture_.channels == 1 ? "gray" : colors[k], ColumnType::kNumeric});
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
      const Index line = i / picture_.width;
      block.columns[picture_.channels + 1].numbers.push_back(static_cast<double>(line));
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

class PictureWriter final : public TableWriter {
 public:
  PictureWriter(std::unique_ptr<OutputStream> out, std::string (*encode)(const Picture&))
      : out_(std::move(out)), encode_(encode) {}

  void write(const Table& block) override {
    if (colors_.empty()) begin(block);
    if (!block.extras || block.extras->keywords != extras_->keywords) {
      throw InvalidOption(fmt::format(
          "the pixels of {} do not fit into a picture of another size; name a folder with -o.",
          block.source));
    }
    for (Index i = 0; i < block.num_rows(); ++i) {
      for (const std::string& color : colors_) {
        picture_.pixels += pixel_of(block[color].numbers[i]);
      }
    }
  }

  void close() override {
    if (colors_.empty()) require_numeric({}, "a picture");
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
    for (const char* color : {"gray", "red", "green", "blue"}) {
      if (block.has(color)) colors_.push_back(color);
    }
    picture_.channels = static_cast<Index>(colors_.size());
    if (picture_.channels != 1 && picture_.channels != 3) require_numeric({}, "a picture");
    picture_.width = std::stol(extras_->keywords[0].second);
    picture_.height = std::stol(extras_->keywords[1].second);
  }

  std::unique_ptr<OutputStream> out_;
  std::string (*encode_)(const Picture&);
  std::shared_ptr<const FileExtras> extras_;
  std::vector<std::string> colors_;
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
