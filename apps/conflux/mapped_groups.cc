#include "mapped_groups.h"

#include <fmt/format.h>

#include <filesystem>
#include <numeric>
#include <set>

#include "conflux/core/error.h"
#include "training/pool_draw.h"

namespace conflux::app {

namespace {

// Rows of doubles are used where they are, those of floats are read as they are; of a large group
// only those that are drawn.
bool map_group(const std::string& path, const GroupedInputFlags& flags, GroupedInput& out) {
  if (std::filesystem::path(path).extension() != ".npy") return false;
  MappedNpy rows;
  try {
    rows = map_npy(path);
  } catch (const InvalidData&) {
    return false;
  }
  if (!rows.holds<float>() && !rows.holds<double>()) return false;
  const std::string name = renamed(stem_of(path), flags.rename);
  Pool& pool = *out.pool;
  pool.sizes.push_back(rows.rows());
  std::vector<Index> drawn(static_cast<std::size_t>(rows.rows()));
  std::iota(drawn.begin(), drawn.end(), Index{0});
  if (rows.rows() > flags.fit_rows.rows) {
    PoolDraw draw(flags.fit_rows, flags.seed);
    drawn = offer_all(draw, rows.rows(), {});
    const Pool own = draw.finish();
    pool.fitted.push_back(own.fitted.front());
    pool.next.push_back(own.next.front());
  } else {
    pool.fitted.push_back(drawn);
    pool.next.emplace_back();
  }
  if (rows.holds<float>()) {
    out.groups.add(name, rows.read_rows<float>(drawn));
  } else if (static_cast<Index>(drawn.size()) < rows.rows()) {
    out.groups.add(name, rows.read_rows<double>(drawn));
  } else {
    out.groups.add(name, rows.view<double>());
    out.mapped.push_back(std::move(rows));
  }
  return true;
}

}  // namespace

bool map_groups(const GroupedInputFlags& flags, GroupedInput& out) {
  const bool plain = flags.group.empty() && flags.features.empty() && flags.drop.empty() &&
                     flags.where.empty() && flags.label.empty() && flags.meta.empty();
  if (!plain) return false;
  out.pool.emplace();
  std::set<std::string> names;
  for (const std::string& path : flags.paths) {
    if (!names.insert(stem_of(path)).second || !map_group(path, flags, out)) return false;
    if (out.groups[out.groups.num_groups() - 1].rows.cols() != out.groups.dim()) return false;
  }
  std::vector<std::string> features;
  for (Index j = 0; j < out.groups.dim(); ++j) features.push_back(fmt::format("c{}", j));
  out.groups.set_feature_names(features);
  return true;
}

}  // namespace conflux::app
