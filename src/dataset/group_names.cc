#include "dataset/group_names.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <set>
#include <unordered_map>

#include "conflux/core/error.h"
#include "conflux/tables/table_groups.h"
#include "dataset/name_patterns.h"

namespace conflux {

namespace {

// The new name if the old one fits. A star stands for any text, and in the new name for the same.
std::optional<std::string> matched(const std::string& from, std::string to,
                                   const std::string& name) {
  const std::size_t star = from.find('*');
  if (star == from.npos) return from == name ? std::optional(to) : std::nullopt;
  const std::string before = from.substr(0, star), behind = from.substr(star + 1);
  const bool fits = name.size() >= before.size() + behind.size() && name.starts_with(before) &&
                    name.ends_with(behind);
  if (!fits) return std::nullopt;
  const std::size_t place = to.find('*');
  if (place == to.npos) return to;
  return to.replace(place, 1, name.substr(star, name.size() - before.size() - behind.size()));
}

}  // namespace

NumberedGroups::NumberedGroups(const std::vector<std::string>& groups,
                               const std::vector<std::string>& order) {
  std::unordered_map<std::string, Index> known;
  const std::set<std::string> there(groups.begin(), groups.end());
  for (const std::string& name : order) {
    if (!there.contains(name)) continue;
    known.emplace(name, count());
    names.push_back(name);
    rows.emplace_back();
  }
  for (const std::string& name : groups) {
    const auto [found, is_new] = known.try_emplace(name, count());
    if (is_new) {
      names.push_back(name);
      rows.emplace_back();
    }
    rows[static_cast<std::size_t>(found->second)].push_back(static_cast<Index>(of_row.size()));
    of_row.push_back(found->second);
  }
}

std::vector<std::string> groups_from_columns(const Table& table, const std::string& columns) {
  const std::vector<std::string> names = listed_names(columns);
  std::vector<std::string> out = groups_of_rows(table, names.front());
  for (std::size_t k = 1; k < names.size(); ++k) {
    const std::vector<std::string> more = groups_of_rows(table, names[k]);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += "+" + more[i];
  }
  return out;
}

void refuse_single_rows(std::size_t groups, std::size_t rows, const std::string& source,
                        const std::string& column) {
  if (rows < 8 || 2 * groups <= rows) return;
  throw InvalidData(fmt::format(
      "{}: column \"{}\" has {} different values in {} rows, so most groups would be a single row; "
      "name a column that tells groups with --group.",
      source, column, groups, rows));
}

std::string stem_of(const std::string& path) {
  namespace fs = std::filesystem;
  fs::path whole = fs::path(path).lexically_normal();
  if (whole.filename().empty()) whole = whole.parent_path();
  // File names such as matrix.mtx.gz, which all 10x Genomics samples share, identify nothing; the
  // folder above does.
  const auto tells_nothing = [](const std::string& name) {
    return name.starts_with("matrix.mtx") || name.ends_with("_feature_bc_matrix") ||
           name.ends_with("_gene_bc_matrices") || name == "outs" || name == "GRCh38" ||
           name == "hg19" || name == "mm10";
  };
  while (tells_nothing(whole.filename().string()) && whole.has_parent_path() &&
         !whole.parent_path().filename().empty()) {
    whole = whole.parent_path();
  }
  fs::path name = whole.filename();
  std::error_code ignored;
  if (fs::is_directory(whole, ignored)) return name.string();
  if (name.extension() == ".gz" || name.extension() == ".zst") name = name.stem();
  return name.stem().string();
}

std::string renamed(const std::string& group, const std::vector<std::string>& rename) {
  for (const std::string& pair : rename) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InvalidOption(fmt::format("--rename is \"{}\"; write OLD=NEW, say gcm_p=gcm.", pair));
    }
    if (const auto name = matched(pair.substr(0, equals), pair.substr(equals + 1), group)) {
      return *name;
    }
  }
  return group;
}

}  // namespace conflux
