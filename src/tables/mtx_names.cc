#include "tables/mtx_names.h"

#include <algorithm>

#include "files/piece.h"

namespace conflux {

namespace {

namespace fs = std::filesystem;

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0;;) {
    const std::size_t tab = line.find('\t', begin);
    out.push_back(line.substr(begin, tab - begin));
    if (tab == line.npos) return out;
    begin = tab + 1;
  }
}

std::optional<fs::path> first_that_exists(const fs::path& folder, const std::string& before,
                                          const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    for (const char* ending : {".tsv", ".tsv.gz", ".tsv.zst"}) {
      std::error_code ignored;
      fs::path path = folder / (before + name + ending);
      if (fs::is_regular_file(path, ignored)) return path;
    }
  }
  return std::nullopt;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// The text before "matrix" in the name, as in GSM1_matrix.mtx.gz.
std::string text_before(const std::string& name) {
  const std::size_t at = name.rfind("matrix");
  return at == name.npos ? "" : name.substr(0, at);
}

}  // namespace

LineReader::LineReader(std::unique_ptr<InputStream> stream) : stream_(std::move(stream)) {}

bool LineReader::fill() {
  if (ended_) return false;
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kPiece);
  const std::size_t got = stream_->read(buffer_.data() + before, kPiece);
  buffer_.resize(before + got);
  ended_ = got < kPiece;
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t end = buffer_.find('\n', begin_);
  while (end == buffer_.npos && !ended_) {
    fill();
    end = buffer_.find('\n', begin_);
  }
  if (begin_ >= buffer_.size()) return false;
  const std::size_t stop = std::min(end, buffer_.size());
  line = std::string_view(buffer_).substr(begin_, stop - begin_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  begin_ = end == buffer_.npos ? buffer_.size() : end + 1;
  ++number_;
  return true;
}

std::vector<fs::path> files_beside(const fs::path& table) {
  std::vector<fs::path> out;
  const std::string name = table.filename().string();
  if (!name.ends_with(".mtx") && !name.ends_with(".mtx.gz") && !name.ends_with(".mtx.zst")) {
    return out;
  }
  for (const auto& stems : {std::vector<std::string>{"barcodes"}, {"features", "genes"}}) {
    const auto path = first_that_exists(folder_of(table), text_before(name), stems);
    if (path) out.push_back(*path);
  }
  return out;
}

MtxNames names_beside(const fs::path& matrix) {
  MtxNames out;
  const fs::path folder = folder_of(matrix);
  const std::string before = text_before(matrix.filename().string());
  std::string_view line;
  if (const auto path = first_that_exists(folder, before, {"barcodes"})) {
    LineReader lines(ByteSource::file(*path).stream());
    out.barcodes.emplace();
    while (lines.next(line)) out.barcodes->emplace_back(fields_of(line).front());
  }
  if (const auto path = first_that_exists(folder, before, {"features", "genes"})) {
    LineReader lines(ByteSource::file(*path).stream());
    out.features.emplace();
    bool typed = true;
    while (lines.next(line)) {
      const std::vector<std::string_view> fields = fields_of(line);
      out.features->emplace_back(fields.size() > 1 ? fields[1] : fields[0]);
      out.types.emplace_back(fields.size() > 2 ? fields[2] : "");
      typed = typed && fields.size() > 2;
    }
    if (!typed) out.types.clear();
  }
  return out;
}

}  // namespace conflux
