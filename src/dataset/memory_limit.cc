#include "dataset/memory_limit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

#include "conflux/core/error.h"
#include "core/disk_scratch.h"
#include "dataset/messages.h"
#include "training/memory.h"

namespace conflux {

namespace {

// As measured (docs/results/scale.md): the program, and numbers of a table as they were read, as
// values of columns, and as coordinates of all and of each group.
constexpr double kProgramThatReads = 35e6;
constexpr double kCopiesOfTable = 4;
// Read as a table, as features, and group by group; with the name of each row's group.
constexpr double kCopiesOfArray = 3;
constexpr double kNamesOfRow = 80;
// Facts about columns come from at most so many values of a group, in two more copies.
constexpr Index kValuesOfFacts = 50'000;
// Where a run of rows of one group begins, if each row is one.
constexpr double kBytesPerPlace = 16;
// Rows of a group that tell what its columns mean if rows stay on disk, and rows in a block.
constexpr Index kRowsOfPool = 30'000;
constexpr double kRowsInBlock = 65536;

double bytes_of(double rows, Index columns) {
  return sizeof(double) * rows * static_cast<double>(columns);
}

double count_rows(const DataShape& shape, Index most) {
  double out = 0;
  for (const Index rows : shape.group_sizes) out += static_cast<double>(std::min(rows, most));
  return out;
}

// Bytes at the peak of reading at most so many rows of each group.
double memory_to_read(const DataShape& shape, RowSource source, Index most) {
  const double count = count_rows(shape, most);
  const double rows = bytes_of(count, shape.dim);
  if (source == RowSource::kArrays) {
    return kProgramThatReads + kCopiesOfArray * rows + kNamesOfRow * count;
  }
  return kProgramThatReads + kCopiesOfTable * rows +
         2 * bytes_of(count_rows(shape, std::min(most, kValuesOfFacts)), shape.dim);
}

double machine_memory() {
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<double>(::sysconf(_SC_PAGESIZE));
}

struct Needs {
  double in_memory = 0;
  double on_disk = 0;
  double scratch = 0;
};

Needs needs_of(const DataShape& shape, RowSource source, const FitOptions& options) {
  const bool mixed = source == RowSource::kMixedSingles || source == RowSource::kMixedDoubles;
  const bool single = source == RowSource::kSingles || source == RowSource::kMixedSingles;
  Needs out{.in_memory = memory_needed(shape, single, options),
            .on_disk = memory_needed_on_disk(shape, single, options),
            .scratch = scratch_needed(shape, single, options)};
  const double all = count_rows(shape, std::numeric_limits<Index>::max());
  if (mixed) {
    // Rows are put in order on disk, by lists of where they are, which are gone when a fit begins.
    const double lists = kBytesPerPlace * all;
    out.in_memory += lists;
    out.on_disk = std::max(out.on_disk, kProgramThatReads + lists + kResidentRows);
    out.scratch += bytes_of(all, shape.dim) / (single ? 2 : 1);
  }
  if (single || mixed || source == RowSource::kDoubles) return out;
  out.in_memory =
      std::max(out.in_memory, memory_to_read(shape, source, std::numeric_limits<Index>::max()));
  // Blocks are read and written beside the rows by which the types of columns were found.
  out.on_disk = std::max(out.on_disk, memory_to_read(shape, source, kRowsOfPool) + kResidentRows +
                                          bytes_of(kRowsInBlock, shape.dim));
  out.scratch += bytes_of(all, shape.dim);
  return out;
}

}  // namespace

double memory_of_table(Index rows, Index columns) {
  return kCopiesOfTable * bytes_of(static_cast<double>(rows), columns);
}

void check_memory(double needed, double limit) {
  if (limit <= 0 || needed <= limit) return;
  throw InvalidData(fmt::format(
      "this needs about {} of memory, and {} are allowed; fit fewer rows (--fit-rows) or features, "
      "or raise --max-memory.",
      bytes_text(needed), bytes_text(limit)));
}

double memory_limit(const DatasetOptions& options) {
  return options.max_memory > 0 ? options.max_memory : machine_memory();
}

bool rows_stay_on_disk(const DataShape& shape, RowSource source, const DatasetOptions& given,
                       const MessageCallback& on_message) {
  if (!given.fit_on_disk || shape.group_sizes.size() < 2) return false;
  const FitOptions& options = *given.fit_on_disk;
  const double limit = memory_limit(given);
  const auto [in_memory, on_disk, scratch] = needs_of(shape, source, options);
  if (in_memory <= limit) return false;
  if (!can_use_scratch(options)) {
    try {
      check_memory(in_memory, limit);
    } catch (const InvalidData& error) {
      throw InvalidData(fmt::format(
          "{} Rows can stay on disk with --gate none and one of the methods {}, which needs about "
          "{} of memory.",
          error.what(), methods_with_scratch(), bytes_text(on_disk)));
    }
  }
  check_memory(on_disk, limit);
  inform(on_message, fmt::format("rows stay on disk: in memory the fit would need about {}, and {} "
                                 "are allowed; so it needs "
                                 "about {}, and {} of {}",
                                 bytes_text(in_memory), bytes_text(limit), bytes_text(on_disk),
                                 bytes_text(scratch), scratch_folder()));
  return true;
}

std::string bytes_text(double bytes) {
  const char* units[] = {"bytes", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 || bytes >= 100 ? 0 : 1, units[unit]);
}

double bytes_from_text(const std::string& text) {
  if (text.empty()) return machine_memory();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  const std::vector<std::string> units = {"", "k", "M", "G", "T"};
  const auto found = std::find(units.begin(), units.end(), unit);
  if (error != std::errc() || !(value > 0) || found == units.end()) {
    throw InvalidOption(fmt::format(
        "--max-memory is \"{}\"; give a number of bytes, or one like 500M or 4G.", text));
  }
  for (auto each = units.begin(); each != found; ++each) value *= 1000;
  return value;
}

}  // namespace conflux
