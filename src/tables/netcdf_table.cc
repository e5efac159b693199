#ifdef CONFLUX_HAS_NETCDF

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conflux/core/error.h"
#include "files/private_copy.h"
#include "tables/binary_array.h"
#include "tables/netcdf.h"
#include "tables/netcdf_grid.h"
#include "tables/netcdf_header.h"

namespace conflux {

namespace {

// Numbers of one variable that are read at a time.
constexpr Index kNumbersPerSlab = Index{1} << 18;

std::string netcdf_path(const ByteSource& source) {
  std::string out = source.plain_path().string();
  if (!out.empty()) {
    netcdf::check_classic_head(*source.random_access(), source.name());
    return out;
  }
  throw InvalidData(fmt::format(
      "{}: .nc files are read by position, which compressed files and pipes do not allow; "
      "decompress it into a file.",
      source.name()));
}

class NetcdfReader final : public TableReader {
 public:
  explicit NetcdfReader(const ByteSource& source)
      : file_(netcdf_path(source), source.name()), grid_(netcdf::find_grid(file_)) {
    FileExtras extras{"nc", {{"path", source.plain_path().string()}}, {}};
    DifferentNames names;
    for (const netcdf::GridVariable& variable : grid_.variables) {
      schema_.push_back({names.take(variable.name, ""), ColumnType::kNumeric});
    }
    const auto carry = [&](const std::string& name) {
      schema_.push_back({names.take(name, "coordinate:"), ColumnType::kNumeric});
      extras.carried.emplace_back(schema_.back().name, "because it tells where a row is");
    };
    for (const auto& [place, coordinate] : grid_.coordinates) {
      carry(coordinate.name);
      if (!coordinate.calendar) continue;
      carry("year");
      carry("month");
    }
    extras_ = std::make_shared<const FileExtras>(std::move(extras));
  }

  const TableSchema& schema() override { return schema_; }
  std::vector<std::string> notes() override { return grid_.notes; }

  bool read(Table& block, Index max_rows) override {
    start_block(block, schema_, file_.name(), done_, max_rows);
    block.extras = extras_;
    const Index count = std::min(max_rows, grid_.rows() - done_);
    for (Index i = 0; i < count;) {
      if (done_ >= slab_end_) read_slab();
      const Index rows = std::min(count - i, slab_end_ - done_);
      add_rows(block, rows);
      i += rows;
    }
    return count > 0;
  }

 private:
  void read_slab() {
    const Index width = grid_.slab();
    const Index steps = std::max<Index>(1, kNumbersPerSlab / width);
    const Index begin = done_ / width;
    const Index count = std::min(steps, grid_.sizes.front() - begin);
    slab_.resize(grid_.variables.size());
    for (std::size_t v = 0; v < slab_.size(); ++v) {
      netcdf::read_steps(file_, grid_, grid_.variables[v], begin, count, slab_[v]);
    }
    slab_begin_ = begin * width;
    slab_end_ = (begin + count) * width;
  }

  void add_rows(Table& block, Index rows) {
    for (std::size_t v = 0; v < slab_.size(); ++v) {
      for (Index i = 0; i < rows; ++i) {
        const double stored = slab_[v][static_cast<std::size_t>(done_ - slab_begin_ + i)];
        block.columns[v].numbers.push_back(grid_.variables[v].unpacked(stored));
      }
    }
    std::size_t column = slab_.size();
    for (const auto& [place, coordinate] : grid_.coordinates) {
      Index below = 1;
      for (auto d = static_cast<std::size_t>(place) + 1; d < grid_.sizes.size(); ++d) {
        below *= grid_.sizes[d];
      }
      for (Index i = 0; i < rows; ++i) {
        const Index step = (done_ + i) / below % grid_.sizes[static_cast<std::size_t>(place)];
        const double value = coordinate.values[static_cast<std::size_t>(step)];
        block.columns[column].numbers.push_back(value);
        if (!coordinate.calendar) continue;
        const YearAndMonth date = coordinate.calendar->at(value);
        block.columns[column + 1].numbers.push_back(date.year);
        block.columns[column + 2].numbers.push_back(date.month);
      }
      column += coordinate.calendar ? 3 : 1;
    }
    done_ += rows;
  }

  netcdf::File file_;
  netcdf::Grid grid_;
  TableSchema schema_;
  std::shared_ptr<const FileExtras> extras_;
  // Stored numbers of each variable, of the rows slab_begin_ .. slab_end_ - 1.
  std::vector<std::vector<double>> slab_;
  Index slab_begin_ = 0;
  Index slab_end_ = 0;
  Index done_ = 0;
};

// Whether a number is the one that was written; variables may hold floats.
bool same_number(double stored, double written) {
  return stored == written || stored == static_cast<double>(static_cast<float>(written)) ||
         (std::isnan(stored) && std::isnan(written));
}

class NetcdfWriter final : public TableWriter {
 public:
  explicit NetcdfWriter(std::unique_ptr<OutputStream> out) : out_(std::move(out)) {}

  void write(const Table& block) override {
    if (source_.empty()) begin(block);
    if (block.extras != extras_ && (!block.extras || block.extras->keywords != extras_->keywords)) {
      throw InvalidOption(fmt::format(
          "the rows of {} and {} do not fit into one .nc file, which is a copy of one of them; "
          "name a folder with -o.",
          source_, block.source));
    }
    std::string bytes;
    for (Index i = 0; i < block.num_rows(); ++i) {
      for (const std::string& name : features_) append_float64(bytes, block[name].numbers[i]);
    }
    values_.write(bytes);
    rows_ += block.num_rows();
  }

  void close() override {
    if (source_.empty()) require_numeric({}, "netCDF");
    // The library asks where the name leads, which nameless files cannot answer.
    const PrivateCopy copy(source_, out_->path(), PrivateCopy::Name::kNeeded);
    {
      netcdf::File file(copy.path(), source_, true);
      const netcdf::Grid grid = netcdf::find_grid(file);
      if (grid.rows() != rows_) {
        throw InvalidData(fmt::format(
            "{} has {} points, but {} rows were moved; an .nc file needs all of them: write .csv "
            "for a part.",
            source_, grid.rows(), rows_));
      }
      replace(file, grid);
      file.close();
    }
    check_written(copy);
    copy.copy_to(*out_);
    out_->close();
  }

 private:
  void begin(const Table& block) {
    extras_ = block.extras;
    if (!extras_ || extras_->format != "nc") {
      throw InvalidOption(fmt::format(
          "an .nc file is written as a copy of the one that the rows come from, but these come "
          "from {}; write .csv or .npz, or read an .nc file.",
          block.source.empty() ? "elsewhere" : block.source));
    }
    source_ = extras_->keywords.front().second;
    const netcdf::File file(source_, source_);
    for (const netcdf::GridVariable& variable : netcdf::find_grid(file).variables) {
      if (block.has(variable.name)) features_.push_back(variable.name);
    }
    if (features_.empty()) require_numeric({}, "netCDF");
  }

  // Calls use(variable, first step, count, stored numbers) for all that was moved, in slabs.
  template <class Use>
  void for_each_slab(const netcdf::Grid& grid, Use use) {
    values_.rewind();
    const Index width = grid.slab();
    const Index steps = std::max<Index>(1, kNumbersPerSlab / width);
    std::vector<double> rows, one;
    for (Index begin = 0; begin < grid.sizes.front(); begin += steps) {
      const Index count = std::min(steps, grid.sizes.front() - begin);
      rows.resize(static_cast<std::size_t>(count * width) * features_.size());
      values_.read(reinterpret_cast<char*>(rows.data()), 8 * rows.size());
      for (std::size_t j = 0; j < features_.size(); ++j) {
        const auto variable = std::find_if(
            grid.variables.begin(), grid.variables.end(),
            [&](const netcdf::GridVariable& each) { return each.name == features_[j]; });
        one.resize(static_cast<std::size_t>(count * width));
        for (std::size_t i = 0; i < one.size(); ++i) {
          one[i] = variable->packed(rows[i * features_.size() + j]);
        }
        use(*variable, begin, count, one);
      }
    }
  }

  void replace(const netcdf::File& file, const netcdf::Grid& grid) {
    for_each_slab(grid, [&](const auto& variable, Index begin, Index count, const auto& values) {
      netcdf::write_steps(file, grid, variable, begin, count, values);
    });
  }

  // The library has closed the file without an error; it is read again all the same.
  void check_written(const PrivateCopy& copy) {
    netcdf::File file(copy.path(), "the copy of " + source_ + " that was written");
    const netcdf::Grid grid = netcdf::find_grid(file);
    std::vector<double> stored;
    for_each_slab(grid, [&](const auto& variable, Index begin, Index count, const auto& values) {
      netcdf::read_steps(file, grid, variable, begin, count, stored);
      if (std::equal(stored.begin(), stored.end(), values.begin(), values.end(), same_number)) {
        return;
      }
      throw Error(
          fmt::format("{}: variable \"{}\" does not read back as it was written; check the disk.",
                      file.name(), variable.name));
    });
    file.close();
  }

  std::unique_ptr<OutputStream> out_;
  std::shared_ptr<const FileExtras> extras_;
  std::string source_;
  std::vector<std::string> features_;
  Spool values_;
  Index rows_ = 0;
};

}  // namespace

std::unique_ptr<TableReader> read_netcdf(const ByteSource& source, const TableOptions&) {
  return std::make_unique<NetcdfReader>(source);
}

std::map<std::string, std::string> netcdf_units(const std::string& path) {
  const netcdf::File file(path, path);
  std::map<std::string, std::string> out;
  for (const netcdf::GridVariable& variable : netcdf::find_grid(file).variables) {
    const std::string unit = file.text_attribute(variable.id, "units");
    if (!unit.empty()) out.emplace(variable.name, unit);
  }
  return out;
}

std::unique_ptr<TableWriter> write_netcdf(std::unique_ptr<OutputStream> out) {
  return std::make_unique<NetcdfWriter>(std::move(out));
}

}  // namespace conflux

#endif  // CONFLUX_HAS_NETCDF
