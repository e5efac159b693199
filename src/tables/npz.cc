#include "tables/npz.h"

#include <fmt/format.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "core/nearest_name.h"
#include "files/piece.h"
#include "tables/archive.h"
#include "tables/npy_format.h"

namespace conflux {

namespace {

constexpr std::string_view kArray = "X";
constexpr std::string_view kGroup = "group";
constexpr std::string_view kEnding = ".npy";

class NpzReader : public TableReader {
 public:
  NpzReader(const ByteSource& source, const TableOptions& options)
      : name_(source.name()), archive_(source.random_access(), name_) {
    const auto& members = archive_.members();
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (members[k].name.ends_with(kEnding)) arrays_.push_back(k);
    }
    const std::string array = choose_array(options);
    values_ = open(array);
    for (Index j = 0; j < values_->layout().cols; ++j) {
      schema_.push_back({unnamed_column(j), values_->column_type()});
    }
    const std::string group = choose_group(options, array);
    if (!group.empty()) add_group(group, array);
    for (const std::string& name : names()) {
      if (name != array && name != group) add_other(name);
    }
    extras_ = std::make_shared<const FileExtras>(FileExtras{"npz", {}, std::move(carried_)});
  }

  const TableSchema& schema() override { return schema_; }

  bool read(Table& block, Index max_rows) override {
    start_block(block, schema_, name_, values_->layout().rows - values_->rows_left(), max_rows);
    block.extras = extras_;
    values_->read(block, 0, max_rows);
    for (std::size_t k = 0; k < others_.size(); ++k) {
      others_[k]->read(block, values_->layout().cols + static_cast<Index>(k), max_rows);
    }
    return block.num_rows() > 0;
  }

 private:
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const std::size_t k : arrays_) {
      const std::string& name = archive_.members()[k].name;
      out.push_back(name.substr(0, name.size() - kEnding.size()));
    }
    return out;
  }

  bool has(std::string_view array) const {
    const auto all = names();
    return std::find(all.begin(), all.end(), array) != all.end();
  }

  // Position of an array in the archive.
  std::size_t find(const std::string& array) const {
    const auto all = names();
    const auto found = std::find(all.begin(), all.end(), array);
    if (found == all.end()) {
      throw InvalidOption(fmt::format("{}: {}", name_, unknown_name("array", array, all)));
    }
    return arrays_[static_cast<std::size_t>(found - all.begin())];
  }

  std::string label(const std::string& array) const {
    return fmt::format("{}, array \"{}\"", name_, array);
  }

  std::string choose_array(const TableOptions& options) const {
    if (!options.array.empty()) return options.array;
    if (has(kArray)) return std::string(kArray);
    std::string found;
    Index count = 0;
    for (const std::string& array : names()) {
      const auto stream = archive_.open(find(array), label(array));
      if (read_npy_header(*stream, label(array)).shape.size() != 2) continue;
      found = array;
      ++count;
    }
    if (count == 1) return found;
    throw InvalidData(
        fmt::format("{} has no array \"{}\" and {} of two dimensions; name the array "
                    "that holds the rows.",
                    name_, kArray, count == 0 ? "none" : fmt::format("{}", count)));
  }

  std::string choose_group(const TableOptions& options, const std::string& array) const {
    if (!options.group.empty()) return options.group;
    return has(kGroup) && array != kGroup ? std::string(kGroup) : std::string();
  }

  std::unique_ptr<ArrayReader> open(const std::string& array) const {
    const std::size_t member = find(array);
    const std::string called = label(array);
    auto stream = archive_.open(member, called);
    const NpyHeader header = read_npy_header(*stream, called);
    const ArrayLayout layout = npy_layout(header, called, archive_.members()[member].size);
    return std::make_unique<ArrayReader>(called, layout, std::move(stream), nullptr);
  }

  void add_group(const std::string& group, const std::string& array) {
    auto groups = open(group);
    const ArrayLayout& layout = groups->layout();
    if (layout.cols != 1 || layout.rows != values_->layout().rows) {
      throw InvalidData(
          fmt::format("{} is {} x {} but array \"{}\" has {} rows; give one group per "
                      "row.",
                      label(group), layout.rows, layout.cols, array, values_->layout().rows));
    }
    schema_.push_back({group, groups->column_type()});
    others_.push_back(std::move(groups));
  }

  // Every other list of one value per row is a column as well, say labels; never a feature by
  // itself.
  void add_other(const std::string& name) {
    std::unique_ptr<ArrayReader> values;
    try {
      const auto stream = archive_.open(find(name), label(name));
      if (read_npy_header(*stream, label(name)).shape.size() != 1) return;
      values = open(name);
    } catch (const InvalidData&) {
      return;  // Nothing that a table can hold, say objects of Python.
    }
    if (values->layout().rows != values_->layout().rows) return;
    schema_.push_back({name, values->column_type()});
    carried_.emplace_back(name, "because it is an array of its own");
    others_.push_back(std::move(values));
  }

  std::string name_;
  ArchiveReader archive_;
  // Members that are arrays.
  std::vector<std::size_t> arrays_;
  std::unique_ptr<ArrayReader> values_;
  // The groups, if there are any, then all other lists.
  std::vector<std::unique_ptr<ArrayReader>> others_;
  FileKeywords carried_;
  std::shared_ptr<const FileExtras> extras_;
  TableSchema schema_;
};

class NpzWriter : public TableWriter {
 public:
  NpzWriter(std::unique_ptr<OutputStream> out, const TableOptions& options)
      : archive_(std::move(out)),
        group_name_(options.group.empty() ? std::string(kGroup) : options.group),
        array_name_(options.array.empty() ? std::string(kArray) : options.array),
        single_(options.single_precision) {}

  void write(const Table& block) override {
    if (schema_.empty()) begin(block.schema());
    require_schema(schema_, block);
    write_values(block);
    if (group_ >= 0) write_groups(block.columns[group_]);
    rows_ += block.num_rows();
  }

  void close() override {
    const Index cols = static_cast<Index>(schema_.size()) - (group_ >= 0 ? 1 : 0);
    add(array_name_, npy_head(single_ ? "<f4" : "<f8", rows_, cols), values_);
    if (group_ >= 0 && schema_[group_].type == ColumnType::kNumeric) {
      add(group_name_, npy_head("<f8", rows_, std::nullopt), groups_);
    } else if (group_ >= 0) {
      widen();
      add(group_name_, npy_head(fmt::format("<U{}", longest_), rows_, std::nullopt), wide_groups_);
    }
    archive_.close();
  }

 private:
  void begin(const TableSchema& schema) {
    TableSchema features = schema;
    const auto found = std::find_if(features.begin(), features.end(),
                                    [&](const auto& column) { return column.name == group_name_; });
    if (found != features.end()) {
      group_ = found - features.begin();
      features.erase(found);
    }
    require_numeric(features, "NPZ");
    schema_ = schema;
  }

  void write_values(const Table& block) {
    std::string bytes;
    for (Index i = 0; i < block.num_rows(); ++i) {
      for (Index j = 0; j < block.num_columns(); ++j) {
        if (j == group_) continue;
        if (single_) {
          append_float32(bytes, block.columns[j].numbers[i]);
        } else {
          append_float64(bytes, block.columns[j].numbers[i]);
        }
      }
      if (bytes.size() >= kPiece) flush(bytes, values_);
    }
    flush(bytes, values_);
  }

  // Text waits as code points behind their number until the longest is known.
  void write_groups(const Column& column) {
    std::string bytes;
    for (const double value : column.numbers) append_float64(bytes, value);
    for (const std::string& text : column.text) {
      const auto points = code_points(text);
      if (!points || points->find(U'\0') != points->npos) {
        throw InvalidData(
            fmt::format("group \"{}\" is not UTF-8 text, which NPZ needs; convert it, "
                        "or write a text table.",
                        text));
      }
      longest_ = std::max(longest_, points->size());
      append_uint32(bytes, static_cast<std::uint32_t>(points->size()));
      for (const char32_t point : *points) append_uint32(bytes, point);
    }
    groups_.write(bytes);
  }

  void widen() {
    groups_.rewind();
    std::string number(4, '\0');
    std::string bytes;
    for (Index i = 0; i < rows_; ++i) {
      groups_.read(number.data(), 4);
      std::string text(4 * std::size_t{load_uint32(number.data())}, '\0');
      groups_.read(text.data(), text.size());
      text.resize(4 * longest_, '\0');
      bytes += text;
      if (bytes.size() >= kPiece) flush(bytes, wide_groups_);
    }
    flush(bytes, wide_groups_);
  }

  static void flush(std::string& bytes, Spool& to) {
    to.write(bytes);
    bytes.clear();
  }

  void add(const std::string& name, std::string head, Spool& body) {
    archive_.add(name + std::string(kEnding), std::move(head), body);
  }

  ArchiveWriter archive_;
  std::string group_name_;
  std::string array_name_;
  bool single_;
  TableSchema schema_;
  Index group_ = -1;
  // Elements wait here until their number is known.
  Spool values_;
  Spool groups_;
  Spool wide_groups_;
  std::size_t longest_ = 1;
  Index rows_ = 0;
};

}  // namespace

const TableFormat kNpzFormat = {
    "npz", [](std::string_view name) { return name.ends_with(".npz"); },
    [](const ByteSource& source, const TableOptions& options) -> std::unique_ptr<TableReader> {
      return std::make_unique<NpzReader>(source, options);
    },
    [](std::unique_ptr<OutputStream> out, std::string_view,
       const TableOptions& options) -> std::unique_ptr<TableWriter> {
      return std::make_unique<NpzWriter>(std::move(out), options);
    }};

}  // namespace conflux
