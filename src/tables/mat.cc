#include "tables/mat.h"

#include <fmt/format.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "core/nearest_name.h"
#include "tables/mat_arrays.h"

namespace conflux {

namespace {

constexpr std::string_view kRows = "X";

std::vector<MatArray> arrays_of(const ByteSource& source) {
  const std::string bytes = read_rest(*source.stream());
  if (!is_mat_hdf5(bytes)) return read_mat_arrays(bytes, source.name());
  const std::string path = source.plain_path().string();
  if (path.empty()) {
    throw InvalidData(fmt::format(
        "{}: MATLAB files of version 7.3 are read by position, which compressed files and pipes do "
        "not allow; decompress it into a file.",
        source.name()));
  }
  return read_mat_hdf5(path, source.name());
}

class MatReader final : public TableReader {
 public:
  MatReader(const ByteSource& source, const TableOptions& options)
      : name_(source.name()), arrays_(arrays_of(source)) {
    rows_ = &choose(options);
    const auto runs_along = [&](Index size) {
      return std::any_of(arrays_.begin(), arrays_.end(), [&](const MatArray& each) {
        return &each != rows_ && each.is_list() && each.length() == size;
      });
    };
    turned_ = rows_->rows != rows_->cols && !runs_along(rows_->rows) && runs_along(rows_->cols);
    if (width() > kMostColumns) {
      throw InvalidData(fmt::format("{}: array \"{}\" has {} columns; at most {} can be read.",
                                    name_, rows_->name, width(), kMostColumns));
    }
    for (Index j = 0; j < width(); ++j) {
      schema_.push_back({unnamed_column(j), ColumnType::kNumeric});
    }
    FileKeywords carried;
    for (const MatArray& each : arrays_) {
      if (&each == rows_ || !each.is_list() || each.length() != height()) continue;
      schema_.push_back({each.name, each.is_text() ? ColumnType::kText : ColumnType::kNumeric});
      carried.emplace_back(each.name, "because it is an array of its own");
      lists_.push_back(&each);
    }
    extras_ = std::make_shared<const FileExtras>(FileExtras{"mat", {}, std::move(carried)});
  }

  const TableSchema& schema() override { return schema_; }

  std::vector<std::string> notes() override {
    if (!turned_) return {};
    return {fmt::format("{}: the columns of {} are samples, because \"{}\" has one value for each",
                        name_, rows_->name, lists_.front()->name)};
  }

  bool read(Table& block, Index max_rows) override {
    start_block(block, schema_, name_, done_, max_rows);
    block.extras = extras_;
    const Index end = done_ + std::min(max_rows, height() - done_);
    for (Index j = 0; j < width(); ++j) {
      std::vector<double>& column = block.columns[static_cast<std::size_t>(j)].numbers;
      for (Index i = done_; i < end; ++i) column.push_back(value(i, j));
    }
    for (std::size_t k = 0; k < lists_.size(); ++k) {
      Column& column = block.columns[static_cast<std::size_t>(width()) + k];
      const MatArray& list = *lists_[k];
      if (list.is_text()) column.text.assign(list.texts.begin() + done_, list.texts.begin() + end);
      if (!list.is_text()) {
        column.numbers.assign(list.numbers.begin() + done_, list.numbers.begin() + end);
      }
    }
    done_ = end;
    return block.num_rows() > 0;
  }

 private:
  Index height() const { return turned_ ? rows_->cols : rows_->rows; }
  Index width() const { return turned_ ? rows_->rows : rows_->cols; }
  double value(Index i, Index j) const {
    return rows_
        ->numbers[static_cast<std::size_t>(turned_ ? i * rows_->rows + j : j * rows_->rows + i)];
  }

  const MatArray& choose(const TableOptions& options) const {
    std::vector<std::string> names;
    std::vector<const MatArray*> matrices;
    for (const MatArray& each : arrays_) {
      if (each.is_text()) continue;
      names.push_back(each.name);
      if (!each.is_list()) matrices.push_back(&each);
      if (each.name == (options.array.empty() ? kRows : std::string_view(options.array)))
        return each;
    }
    if (!options.array.empty()) {
      throw InvalidOption(
          fmt::format("{}: {}", name_, unknown_name("array", options.array, names)));
    }
    if (matrices.size() == 1) return *matrices.front();
    std::string known;
    for (const MatArray* each : matrices) known += (known.empty() ? "" : ", ") + each->name;
    throw InvalidData(fmt::format(
        "{} has no array \"{}\" and {} of two dimensions{}; name the array that holds the rows "
        "(--array).",
        name_, kRows, matrices.empty() ? "none" : fmt::format("{}", matrices.size()),
        known.empty() ? "" : fmt::format(" ({})", known)));
  }

  std::string name_;
  std::vector<MatArray> arrays_;
  const MatArray* rows_ = nullptr;
  // Whether samples are columns.
  bool turned_ = false;
  std::vector<const MatArray*> lists_;
  std::shared_ptr<const FileExtras> extras_;
  TableSchema schema_;
  Index done_ = 0;
};

}  // namespace

const TableFormat kMatFormat = {
    "mat", [](std::string_view name) { return name.ends_with(".mat"); },
    [](const ByteSource& source, const TableOptions& options) -> std::unique_ptr<TableReader> {
      return std::make_unique<MatReader>(source, options);
    },
    [](std::unique_ptr<OutputStream>, std::string_view,
       const TableOptions&) -> std::unique_ptr<TableWriter> {
      throw InvalidOption(
          "MATLAB files are read, not written; choose .csv, which readtable opens, or .npz.");
    }};

}  // namespace conflux
