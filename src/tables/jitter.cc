#include "conflux/tables/jitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conflux/core/error.h"
#include "core/nearest_name.h"
#include "core/rng.h"

namespace conflux {

double jitter_width(std::span<const double> values) {
  std::vector<double> sorted;
  for (const double value : values) {
    if (std::isfinite(value)) sorted.push_back(value);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> repeated;
  for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
    const bool is_new = repeated.empty() || repeated.back() != sorted[i];
    if (sorted[i] == sorted[i + 1] && is_new) repeated.push_back(sorted[i]);
  }
  double least = 0;
  for (std::size_t i = 0; i + 1 < repeated.size(); ++i) {
    const double gap = repeated[i + 1] - repeated[i];
    if (least == 0 || gap < least) least = gap;
  }
  return least;
}

std::vector<JitteredColumn> add_jitter(Table& table, std::span<const std::string> columns,
                                       std::uint64_t seed) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  std::vector<JitteredColumn> out;
  for (const std::string& name : columns) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw InvalidOption(unknown_name("column", name, names));
    const auto j = static_cast<std::size_t>(found - names.begin());
    Column& column = table.columns[j];
    if (!column.numeric()) {
      throw InvalidOption(fmt::format("column \"{}\" holds text; only numbers get jitter.", name));
    }
    const double width = jitter_width(column.numbers);
    Stream stream(seed, Purpose::kJitter, j);
    for (double& value : column.numbers) value += width * (stream.uniform() - 0.5);
    out.push_back({name, width});
  }
  return out;
}

}  // namespace conflux
