#include "dataset/disk_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

#include "conflux/core/error.h"
#include "core/disk_scratch.h"
#include "training/memory.h"
#include "training/pool_draw.h"

namespace conflux {

namespace {

// Tables take so many bytes for each of their files at most, compressed ones included; smaller
// files need not be read twice.
constexpr double kBytesPerByteOfFile = 16;

double bytes_of_files(const std::vector<std::string>& paths) {
  double out = 0;
  for (const std::string& path : paths) {
    std::error_code unknown;
    const std::uintmax_t size = std::filesystem::file_size(path, unknown);
    if (!unknown) out += static_cast<double>(size);
  }
  return out;
}

std::vector<Index> sizes_of(const TableRows& pool, const NumberedGroups& groups) {
  std::vector<Index> out;
  for (std::size_t m = 0; m < groups.names.size(); ++m) {
    if (!pool.drawn) {
      out.push_back(static_cast<Index>(groups.rows[m].size()));
      continue;
    }
    const std::vector<std::string>& known = pool.drawn->groups;
    const auto place = std::find(known.begin(), known.end(), groups.names[m]) - known.begin();
    out.push_back(pool.drawn->sizes[static_cast<std::size_t>(place)]);
  }
  return out;
}

// Rows of each group on disk, as far as they are written.
class DiskRows {
 public:
  DiskRows(const std::vector<Index>& sizes, Index dim, Dataset& out) : written_(sizes.size(), 0) {
    for (const Index size : sizes) {
      const std::shared_ptr<void> room =
          out.scratch->allocate(static_cast<std::size_t>(size * dim) * sizeof(double));
      out.borrowed.push_back(room);
      rows_.emplace_back(static_cast<double*>(room.get()), size, dim);
    }
  }

  void write(const Table& block, const Matrix& coordinates, const std::vector<Index>& groups) {
    for (Index i = 0; i < coordinates.rows(); ++i) {
      const Index m = groups[static_cast<std::size_t>(i)];
      if (m < 0 || written_[m] == rows_[m].rows()) refuse_changes(block);
      const auto row = coordinates.row(i);
      if (!row.allFinite()) {
        throw InvalidData(fmt::format(
            "{}: a cell is missing; rows that stay on disk must be complete. Fill it in, raise "
            "--max-memory, or fit fewer rows (--fit-rows).",
            block.place(i)));
      }
      std::copy(row.begin(), row.end(), rows_[m].row(written_[m]++));
    }
  }

  ConstRows finish(std::size_t m, const Table& last) const {
    if (written_[m] != rows_[m].rows()) refuse_changes(last);
    return ConstRows(rows_[m].data(), rows_[m].rows(), rows_[m].cols());
  }

 private:
  [[noreturn]] static void refuse_changes(const Table& block) {
    throw InvalidData(fmt::format(
        "{}: the rows have changed while they were read; start again when nobody writes to them.",
        block.source));
  }

  std::vector<MatrixView<double>> rows_;
  std::vector<Index> written_;
};

}  // namespace

bool may_go_to_disk(const TableFiles& files, const DatasetHooks& hooks) {
  const DatasetOptions& options = files.options;
  const bool several = hooks.processes != nullptr && hooks.processes->size() > 1;
  if (!options.fit_on_disk || !options.fit_rows.all() || several) return false;
  if (!options.where.empty() || !options.meta.empty() || !options.label.empty() ||
      !options.row_weights.empty()) {
    return false;
  }
  const ColumnOptions& columns = options.columns;
  if (files.components || columns.missing == MissingRule::kDrop || !columns.key.empty()) {
    return false;
  }
  return std::find(options.paths.begin(), options.paths.end(), "-") == options.paths.end() &&
         kBytesPerByteOfFile * bytes_of_files(options.paths) > memory_limit(options);
}

TableFiles files_of_pool(TableFiles files) {
  files.options.fit_rows = rows_to_fit({});
  return files;
}

TableFiles files_in_memory(TableFiles files) {
  files.options.fit_on_disk.reset();
  return files;
}

std::optional<Dataset> write_to_disk(const TableFiles& files, const TableRows& pool,
                                     const NumberedGroups& groups, RowSource source, Index dim,
                                     const BlockCoordinates& coordinates,
                                     const MessageCallback& on_message) {
  const DataShape shape{
      .dim = dim, .group_names = groups.names, .group_sizes = sizes_of(pool, groups)};
  if (!rows_stay_on_disk(shape, source, files.options, on_message)) return std::nullopt;
  Dataset out;
  out.storage = RowStorage::kDisk;
  out.scratch = std::make_shared<DiskScratch>(scratch_folder(), kResidentRows);
  DiskRows disk_rows(shape.group_sizes, dim, out);
  std::map<std::string, Index> places;
  for (Index m = 0; m < groups.count(); ++m) places[groups.names[static_cast<std::size_t>(m)]] = m;
  Table last;
  Index before = 0;
  read_blocks(files, on_message, [&](TableRows block) {
    // As if all files were one table: the noise of repeated values follows the place of a row.
    block.table.first_row = before;
    before += block.table.num_rows();
    std::vector<Index> of_row;
    for (const std::string& name : block.groups) {
      const auto found = places.find(name);
      of_row.push_back(found == places.end() ? -1 : found->second);
    }
    disk_rows.write(block.table, coordinates(block.table), of_row);
    last.source = block.table.source;
    DiskScratch::look();
  });
  for (std::size_t m = 0; m < groups.names.size(); ++m) {
    out.groups.add(groups.names[m], disk_rows.finish(m, last));
  }
  return out;
}

}  // namespace conflux
