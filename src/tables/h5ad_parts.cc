#ifdef CONFLUX_HAS_HDF5

#include "tables/h5ad_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "conflux/core/error.h"
#include "tables/number_text.h"
#include "tables/table_format.h"

namespace conflux {

namespace {

constexpr std::string_view kWriteAgain = "write the file again with anndata.";

class DenseMatrix final : public StoredMatrix {
 public:
  DenseMatrix(hdf5::Node values, Index rows, Index cols)
      : StoredMatrix(rows, cols), values_(std::move(values)) {}

  void read(SparseBlock& rows, Index begin, Index count) const override {
    std::vector<double> numbers;
    values_.read(numbers, begin, count);
    for (Index i = 0; i < count; ++i) {
      for (Index j = 0; j < cols(); ++j) {
        const double number = numbers[i * cols() + j];
        if (number != 0) rows.add(j, number);
      }
      rows.end_row();
    }
  }

 private:
  hdf5::Node values_;
};

void check_span(std::int64_t begin, std::int64_t end, Index stored, const std::string& place) {
  if (begin >= 0 && begin <= end && end <= stored) return;
  throw InvalidData(fmt::format("{}: indptr goes from {} to {}, but {} numbers are stored; {}",
                                place, begin, end, stored, kWriteAgain));
}

void check_position(std::int64_t position, Index size, const std::string& place) {
  if (position >= 0 && position < size) return;
  throw InvalidData(
      fmt::format("{}: an index is {}, but there are {}; {}", place, position, size, kWriteAgain));
}

class SparseRows final : public StoredMatrix {
 public:
  SparseRows(const hdf5::Node& group, Index rows, Index cols)
      : StoredMatrix(rows, cols),
        data_(group.open("data")),
        indices_(group.open("indices")),
        starts_(group.open("indptr")),
        stored_(std::min(length_of(data_), length_of(indices_))) {}

  void read(SparseBlock& rows, Index begin, Index count) const override {
    std::vector<std::int64_t> starts, indices;
    std::vector<double> numbers;
    starts_.read(starts, begin, count + 1);
    check_span(starts.front(), starts.back(), stored_, starts_.place());
    const Index first = starts.front();
    data_.read(numbers, first, starts.back() - first);
    indices_.read(indices, first, starts.back() - first);
    for (Index i = 0; i < count; ++i) {
      check_span(starts[i], starts[i + 1], stored_, starts_.place());
      for (Index k = starts[i] - first; k < starts[i + 1] - first; ++k) {
        if (k >= static_cast<Index>(indices.size())) check_span(0, 1, 0, starts_.place());
        check_position(indices[k], cols(), indices_.place());
        rows.add(indices[k], numbers[k]);
      }
      rows.end_row();
    }
  }

 private:
  hdf5::Node data_;
  hdf5::Node indices_;
  hdf5::Node starts_;
  Index stored_;
};

/// A matrix that is stored column by column, turned over in memory.
class SparseColumns final : public StoredMatrix {
 public:
  SparseColumns(const hdf5::Node& group, Index rows, Index cols) : StoredMatrix(rows, cols) {
    const hdf5::Node data = group.open("data"), indices = group.open("indices"),
                     starts = group.open("indptr");
    const Index stored = std::min(length_of(data), length_of(indices));
    std::vector<double> numbers;
    std::vector<std::int64_t> positions, begins;
    starts.read(begins, 0, cols + 1);
    data.read(numbers, 0, stored);
    indices.read(positions, 0, stored);
    starts_.assign(static_cast<std::size_t>(rows) + 1, 0);
    for (const std::int64_t position : positions) {
      check_position(position, rows, indices.place());
      ++starts_[position + 1];
    }
    for (Index i = 0; i < rows; ++i) starts_[i + 1] += starts_[i];
    std::vector<Index> next(starts_.begin(), starts_.end() - 1);
    entries_.resize(numbers.size());
    for (Index j = 0; j < cols; ++j) {
      check_span(begins[j], begins[j + 1], stored, starts.place());
      for (Index k = begins[j]; k < begins[j + 1]; ++k) {
        const Index to = next[positions[k]]++;
        check_position(to, stored, indices.place());
        entries_[to] = {j, numbers[k]};
      }
    }
  }

  void read(SparseBlock& rows, Index begin, Index count) const override {
    for (Index i = begin; i < begin + count; ++i) {
      for (Index k = starts_[i]; k < starts_[i + 1]; ++k) {
        rows.add(entries_[k].column, entries_[k].number);
      }
      rows.end_row();
    }
  }

 private:
  struct Entry {
    Index column = 0;
    double number = 0;
  };
  std::vector<Index> starts_;
  std::vector<Entry> entries_;
};

void check_size(const std::string& place, Index rows, Index cols, Index expected) {
  if (rows == expected && cols >= 1 && cols <= kMostColumns) return;
  throw InvalidData(fmt::format("{} is a matrix of {} x {}, but obs has {} rows; {}", place, rows,
                                cols, expected, kWriteAgain));
}

}  // namespace

Index length_of(const hdf5::Node& node) {
  const std::vector<Index> shape = node.shape();
  if (shape.size() != 1) {
    throw InvalidData(fmt::format("{} has {} dimensions instead of one; {}", node.place(),
                                  shape.size(), kWriteAgain));
  }
  return shape.front();
}

std::unique_ptr<StoredMatrix> open_matrix(hdf5::Node node, Index expected) {
  if (!node.is_group()) {
    const std::vector<Index> shape = node.shape();
    if (shape.size() != 2 || !node.holds_numbers()) {
      throw InvalidData(
          fmt::format("{} is no matrix of numbers; choose another with --use-rep.", node.place()));
    }
    check_size(node.place(), shape[0], shape[1], expected);
    return std::make_unique<DenseMatrix>(std::move(node), shape[0], shape[1]);
  }
  // Files of the first versions call these otherwise.
  std::string type = node.text_attribute("encoding-type");
  if (type.empty()) type = node.text_attribute("h5sparse_format");
  std::vector<std::uint64_t> shape = node.sizes_attribute("shape");
  if (shape.empty()) shape = node.sizes_attribute("h5sparse_shape");
  const bool by_rows = type == "csr_matrix" || type == "csr";
  const bool by_columns = type == "csc_matrix" || type == "csc";
  if (shape.size() != 2 || !(by_rows || by_columns)) {
    throw InvalidData(
        fmt::format("{} is a {}, not a matrix of numbers; choose another with "
                    "--use-rep.",
                    node.place(), type.empty() ? "group" : type));
  }
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  const auto rows = static_cast<Index>(std::min(shape[0], kMost));
  const auto cols = static_cast<Index>(std::min(shape[1], kMost));
  check_size(node.place(), rows, cols, expected);
  const Index starts = length_of(node.open("indptr"));
  if (starts != (by_rows ? rows : cols) + 1) {
    throw InvalidData(fmt::format("{}: indptr has {} entries for a matrix of {} x {}; {}",
                                  node.place(), starts, rows, cols, kWriteAgain));
  }
  if (by_rows) return std::make_unique<SparseRows>(node, rows, cols);
  return std::make_unique<SparseColumns>(node, rows, cols);
}

FrameColumn::FrameColumn(const hdf5::Node& frame, std::string name) : name_(std::move(name)) {
  hdf5::Node node = frame.open(name_);
  const std::string old = "__categories/" + name_;
  if (node.is_group() && node.has("codes") && node.has("categories")) {
    set_categories(node.open("categories"));
    values_ = node.open("codes");
  } else if (node.is_group() && node.has("values") && node.has("mask")) {
    mask_ = std::make_unique<hdf5::Node>(node.open("mask"));
    values_ = node.open("values");
  } else {
    if (frame.has(old)) set_categories(frame.open(old));
    values_ = std::move(node);
  }
  if (!categorical_ && values_.holds_text()) type_ = ColumnType::kText;
  readable_ = !values_.is_group() && values_.shape().size() == 1 &&
              (values_.holds_numbers() || values_.holds_text());
}

void FrameColumn::set_categories(const hdf5::Node& categories) {
  categorical_ = true;
  type_ = ColumnType::kText;
  const Index count = length_of(categories);
  if (categories.holds_text()) {
    categories_ = categories.read_text(0, count);
    return;
  }
  std::vector<double> numbers;
  categories.read(numbers, 0, count);
  for (const double number : numbers) append_number(categories_.emplace_back(), number);
}

Index FrameColumn::rows() const { return length_of(values_); }

void FrameColumn::read(Column& column, Index begin, Index count) const {
  if (type_ == ColumnType::kText && !categorical_) {
    for (std::string& text : values_.read_text(begin, count))
      column.text.push_back(std::move(text));
    return;
  }
  if (categorical_) {
    std::vector<std::int64_t> codes;
    values_.read(codes, begin, count);
    for (const std::int64_t code : codes) {
      // -1 is missing.
      if (code >= 0) check_position(code, static_cast<Index>(categories_.size()), values_.place());
      column.text.push_back(code < 0 ? "" : categories_[static_cast<std::size_t>(code)]);
    }
    return;
  }
  std::vector<double> numbers, mask;
  values_.read(numbers, begin, count);
  if (mask_) mask_->read(mask, begin, count);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool missing = i < mask.size() && mask[i] != 0;
    column.numbers.push_back(missing ? std::numeric_limits<double>::quiet_NaN() : numbers[i]);
  }
}

std::string frame_index(const hdf5::Node& frame) {
  const std::string told = frame.text_attribute("_index");
  return told.empty() ? "_index" : told;
}

std::vector<std::string> frame_columns(const hdf5::Node& frame) {
  std::vector<std::string> out = frame.text_list_attribute("column-order");
  if (out.empty()) out = frame.names();
  const std::string index = frame_index(frame);
  std::erase_if(out, [&](const std::string& name) {
    return name == index || name == "__categories" || !frame.has(name);
  });
  return out;
}

}  // namespace conflux

#endif  // CONFLUX_HAS_HDF5
