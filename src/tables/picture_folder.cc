#include <fmt/format.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "tables/picture.h"
#include "tables/picture_codec.h"

namespace conflux {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "file";

std::vector<fs::path> pictures_in(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".png" || ending == ".ppm" || ending == ".pgm") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string size_text(const Picture& picture) {
  return fmt::format("{} x {} x {}", picture.width, picture.height, picture.channels);
}

class FolderReader final : public TableReader {
 public:
  explicit FolderReader(const fs::path& folder)
      : name_(folder.string()), files_(pictures_in(folder)) {
    if (files_.empty()) {
      throw InvalidData(fmt::format("{}: there is no .png, .ppm or .pgm in it; add some.", name_));
    }
    first_ = decode(files_.front());
    const Index pixels = first_.width * first_.height * first_.channels;
    if (pixels > kMostColumns) {
      throw InvalidData(
          fmt::format("{}: pictures of {} have {} numbers, more than {}; make them smaller.", name_,
                      size_text(first_), pixels, kMostColumns));
    }
    for (Index j = 0; j < pixels; ++j) {
      schema_.push_back({fmt::format("p{}", j), ColumnType::kNumeric});
    }
    schema_.push_back({kFile, ColumnType::kText});
    extras_ = std::make_shared<const FileExtras>(
        FileExtras{"pictures",
                   {{"width", fmt::format("{}", first_.width)},
                    {"height", fmt::format("{}", first_.height)},
                    {"channels", fmt::format("{}", first_.channels)}},
                   {{kFile, "because it names the picture"}}});
  }

  const TableSchema& schema() override { return schema_; }
  std::vector<std::string> notes() override {
    return {
        fmt::format("{}: {} pictures of {}, each a row", name_, files_.size(), size_text(first_))};
  }

  bool read(Table& block, Index max_rows) override {
    start_block(block, schema_, name_, done_, max_rows);
    block.extras = extras_;
    const Index count = std::min(max_rows, static_cast<Index>(files_.size()) - done_);
    for (Index i = 0; i < count; ++i, ++done_) {
      const fs::path& file = files_[static_cast<std::size_t>(done_)];
      const Picture picture = decode(file);
      if (size_text(picture) != size_text(first_)) {
        throw InvalidData(fmt::format(
            "{} has {} pixels, but {} has {}; all pictures need the same size.", file.string(),
            size_text(picture), files_.front().string(), size_text(first_)));
      }
      for (std::size_t j = 0; j + 1 < schema_.size(); ++j) {
        block.columns[j].numbers.push_back(static_cast<unsigned char>(picture.pixels[j]));
      }
      block.columns.back().text.push_back(file.filename().string());
    }
    return count > 0;
  }

 private:
  static Picture decode(const fs::path& file) {
    const auto stream = ByteSource::file(file).stream();
    return read_picture(conflux::read_rest(*stream), file.string());
  }

  std::string name_;
  std::vector<fs::path> files_;
  Picture first_;
  TableSchema schema_;
  std::shared_ptr<const FileExtras> extras_;
  Index done_ = 0;
};

class FolderWriter final : public TableWriter {
 public:
  explicit FolderWriter(fs::path folder) : folder_(std::move(folder)) {}

  void write(const Table& block) override {
    if (!block.extras || block.extras->format != "pictures") {
      throw InvalidOption(
          fmt::format("a folder of pictures is written from one, but these rows come from {}; "
                      "write .csv or .npy.",
                      block.source.empty() ? "elsewhere" : block.source));
    }
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error)
      throw Error(fmt::format("{} cannot be made: {}.", folder_.string(), error.message()));
    const FileKeywords& size = block.extras->keywords;
    Picture picture{.width = std::stol(size[0].second),
                    .height = std::stol(size[1].second),
                    .channels = std::stol(size[2].second),
                    .pixels = {}};
    const Index pixels = picture.width * picture.height * picture.channels;
    std::vector<const Column*> columns;
    for (Index j = 0; j < pixels; ++j) columns.push_back(&block[fmt::format("p{}", j)]);
    for (Index i = 0; i < block.num_rows(); ++i) {
      picture.pixels.clear();
      for (const Column* column : columns) picture.pixels += pixel_of(column->numbers[i]);
      const fs::path file = folder_ / fs::path(block[kFile].text[i]).filename();
      const auto out = create_output(file, Compression::kNone);
      out->write(file.extension() == ".png" ? png_bytes(picture) : ppm_bytes(picture));
      out->close();
    }
  }

  void close() override {}

 private:
  fs::path folder_;
};

}  // namespace

bool holds_pictures(const std::filesystem::path& folder) { return !pictures_in(folder).empty(); }

std::unique_ptr<TableWriter> write_pictures(const std::filesystem::path& folder) {
  return std::make_unique<FolderWriter>(folder);
}

const TableFormat kPicturesFormat = {
    "pictures", [](std::string_view) { return false; },
    [](const ByteSource& source, const TableOptions&) -> std::unique_ptr<TableReader> {
      return std::make_unique<FolderReader>(source.path());
    },
    // Folders are no streams: create_table() calls write_pictures().
    [](std::unique_ptr<OutputStream>, std::string_view,
       const TableOptions&) -> std::unique_ptr<TableWriter> {
      throw InvalidOption("pictures are written into a folder; name one with -o.");
    }};

}  // namespace conflux
