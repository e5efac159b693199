#include "dataset/feature_options.h"

#include <algorithm>

#include "dataset/name_patterns.h"

namespace conflux {

void add_to_dropped(ColumnOptions& options, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto known = std::find(options.drop.begin(), options.drop.end(), name);
    if (known == options.drop.end()) options.drop.push_back(name);
  }
}

ColumnOptions feature_options(const DatasetOptions& options, const Table& table,
                              const std::vector<std::string>& no_features) {
  ColumnOptions out = options.columns;
  const std::vector<std::string> names = table.names();
  out.seed = options.seed;
  out.features = expand_patterns(options.columns.features, names, table.source);
  out.drop = expand_patterns(options.columns.drop, names, table.source);
  add_to_dropped(out, no_features);
  return out;
}

}  // namespace conflux
