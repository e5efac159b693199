#include "conflux/data/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>

#include "conflux/core/error.h"

namespace conflux {

namespace {

std::vector<std::string_view> cells_of(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::vector<std::string_view> cells;
  for (auto comma = line.find(','); comma != line.npos; comma = line.find(',')) {
    cells.push_back(line.substr(0, comma));
    line.remove_prefix(comma + 1);
  }
  cells.push_back(line);
  return cells;
}

struct Builder {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;

  std::vector<double>& values_of(std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return values[found - names.begin()];
    names.emplace_back(name);
    return values.emplace_back();
  }
};

void require_plain(std::string_view name) {
  if (!name.empty() && name.find_first_of(",\"\r\n") == name.npos) return;
  throw InvalidData(fmt::format(
      "the name \"{}\" does not fit a table; it must not be empty or hold commas, quotes or line "
      "breaks.",
      name));
}

}  // namespace

GroupSet read_csv(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  if (!file) throw InvalidData(fmt::format("{} cannot be opened.", path.string()));
  std::getline(file, line);
  const std::vector<std::string_view> header = cells_of(line);
  if (header.size() < 2 || header.back() != "group") {
    throw InvalidData(
        fmt::format("{}, line 1, column {}: found \"{}\" but the last of two or more columns must "
                    "be \"group\".",
                    path.string(), header.size(), header.back()));
  }
  const std::vector<std::string> features(header.begin(), header.end() - 1);

  Builder builder;
  for (Index number = 2; std::getline(file, line); ++number) {
    const auto fail = [&](std::size_t column, std::string_view what) {
      throw InvalidData(
          fmt::format("{}, line {}, column {}: {}.", path.string(), number, column, what));
    };
    const std::vector<std::string_view> cells = cells_of(line);
    if (cells.size() != features.size() + 1) {
      fail(std::min(cells.size(), features.size() + 1),
           fmt::format("the line has {} cells but the header {}", cells.size(),
                       features.size() + 1));
    }
    if (cells.back().empty()) fail(cells.size(), "the group has no name");
    std::vector<double>& values = builder.values_of(cells.back());
    for (std::size_t j = 0; j < features.size(); ++j) {
      double value = 0;
      const char* end = cells[j].data() + cells[j].size();
      const auto [stop, error] = std::from_chars(cells[j].data(), end, value);
      if (error != std::errc() || stop != end) {
        fail(j + 1, fmt::format("\"{}\" of \"{}\" is not a number", cells[j], features[j]));
      }
      values.push_back(value);
    }
  }
  if (builder.names.empty()) throw InvalidData(fmt::format("{} has no rows.", path.string()));

  GroupSet groups;
  const Index dim = static_cast<Index>(features.size());
  for (std::size_t m = 0; m < builder.names.size(); ++m) {
    const std::vector<double>& values = builder.values[m];
    Matrix rows = ConstRows(values.data(), static_cast<Index>(values.size()) / dim, dim).eigen();
    groups.add(builder.names[m], std::move(rows));
  }
  groups.set_feature_names(features);
  return groups;
}

void write_csv(const std::filesystem::path& path, const GroupSet& groups) {
  std::string text;
  for (Index j = 0; j < groups.dim(); ++j) {
    const auto& names = groups.feature_names();
    const std::string name = names.empty() ? fmt::format("x{}", j) : names[j];
    require_plain(name);
    text += name + ',';
  }
  text += "group\n";
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Group& group = groups[m];
    require_plain(group.name);
    if (group.rows.rows() == 0 || !group.weights.empty()) {
      throw InvalidData(fmt::format(
          "group {} (\"{}\") has weights or no rows; a table holds neither.", m, group.name));
    }
    for (Index i = 0; i < group.rows.rows(); ++i) {
      for (const double value : group.rows.row_span(i)) {
        fmt::format_to(std::back_inserter(text), "{},", value);
      }
      text += group.name + '\n';
    }
  }
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) throw Error(fmt::format("{} cannot be written.", path.string()));
}

}  // namespace conflux
