#include "spooled_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "conflux/core/error.h"
#include "processes.h"
#include "training/memory.h"
#include "training/pool_draw.h"

namespace conflux::app {

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

std::vector<Index> sizes_of(const TaggedTable& pool, const NumberedGroups& groups) {
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
class Spool {
 public:
  Spool(const std::vector<Index>& sizes, Index dim, GroupedInput& out) : written_(sizes.size(), 0) {
    for (const Index size : sizes) {
      out.spooled.push_back(
          out.scratch->allocate(static_cast<std::size_t>(size * dim) * sizeof(double)));
      rows_.emplace_back(static_cast<double*>(out.spooled.back().get()), size, dim);
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

bool may_be_spooled(const GroupedInputFlags& flags) {
  if (!flags.stay_on_disk || !flags.fit_rows.all() || processes().size() > 1) return false;
  if (!flags.where.empty() || !flags.meta.empty() || !flags.label.empty()) return false;
  if (flags.components || flags.choice.missing == "drop" || !flags.choice.key.empty()) return false;
  const double limit = flags.max_memory > 0 ? flags.max_memory : bytes_from_text("");
  return std::find(flags.paths.begin(), flags.paths.end(), "-") == flags.paths.end() &&
         kBytesPerByteOfFile * bytes_of_files(flags.paths) > limit;
}

GroupedInputFlags flags_of_pool(GroupedInputFlags flags) {
  flags.fit_rows = rows_to_fit({});
  return flags;
}

bool spool_groups(const GroupedInputFlags& flags, const TaggedTable& pool,
                  const NumberedGroups& groups, RowSource source, Index dim,
                  const BlockCoordinates& coordinates, const Console& console, GroupedInput& out) {
  const DataShape shape{
      .dim = dim, .group_names = groups.names, .group_sizes = sizes_of(pool, groups)};
  if (!flags.stay_on_disk(shape, source)) return false;
  out.group_column = flags.group;
  out.on_disk = true;
  out.scratch = std::make_shared<DiskScratch>(scratch_folder(), kResidentRows);
  Spool spool(shape.group_sizes, dim, out);
  std::map<std::string, Index> places;
  for (Index m = 0; m < groups.count(); ++m) places[groups.names[static_cast<std::size_t>(m)]] = m;
  Table last;
  Index before = 0;
  read_blocks(flags, console, [&](TaggedTable block) {
    // As if all files were one table: the noise of repeated values follows the place of a row.
    block.table.first_row = before;
    before += block.table.num_rows();
    std::vector<Index> of_row;
    for (const std::string& name : block.groups) {
      const auto found = places.find(name);
      of_row.push_back(found == places.end() ? -1 : found->second);
    }
    spool.write(block.table, coordinates(block.table), of_row);
    last.source = block.table.source;
    DiskScratch::look();
  });
  for (std::size_t m = 0; m < groups.names.size(); ++m) {
    out.groups.add(groups.names[m], spool.finish(m, last));
  }
  return true;
}

}  // namespace conflux::app
