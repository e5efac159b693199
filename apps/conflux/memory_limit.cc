#include "memory_limit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "conflux/core/error.h"
#include "core/disk_scratch.h"
#include "training/memory.h"

namespace conflux::app {

double memory_of_fit(Index rows, Index features, bool single) {
  const double copies = single ? sizeof(float) : 2 * sizeof(double);
  return copies * static_cast<double>(rows) * static_cast<double>(features);
}

void check_memory(double needed, double limit) {
  if (limit <= 0 || needed <= limit) return;
  throw InvalidData(fmt::format(
      "this needs about {} of memory, and {} are allowed; fit fewer rows (--fit-rows) or features, "
      "or raise --max-memory.",
      bytes_text(needed), bytes_text(limit)));
}

bool rows_stay_on_disk(const DataShape& shape, bool single, const FitOptions& options, double limit,
                       const Console& console) {
  if (shape.group_sizes.size() < 2) return false;
  const double in_memory = memory_needed(shape, single, options);
  if (limit <= 0 || in_memory <= limit) return false;
  const double on_disk = memory_needed_on_disk(shape, options);
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
  console.info(fmt::format(
      "rows stay on disk: in memory the fit would need about {}, and {} are allowed; so it needs "
      "about {}, and {} of {}",
      bytes_text(in_memory), bytes_text(limit), bytes_text(on_disk),
      bytes_text(scratch_needed(shape, single, options)), scratch_folder()));
  return true;
}

std::string bytes_text(double bytes) {
  const char* units[] = {"bytes", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 || bytes >= 100 ? 0 : 1, units[unit]);
}

double bytes_from_text(const std::string& text) {
  if (text.empty()) {
    return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
           static_cast<double>(::sysconf(_SC_PAGESIZE));
  }
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

}  // namespace conflux::app
