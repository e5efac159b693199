#include "dataset/numbered_rows.h"

#include <utility>

namespace conflux {

void set_label_codes(GroupSet& groups, const RowTags& tags,
                     const std::vector<std::vector<Index>>& positions) {
  if (tags.labels.empty()) return;
  std::vector<std::vector<Index>> labels;
  labels.reserve(positions.size());
  for (const std::vector<Index>& own : positions) labels.push_back(values_of(tags.labels, own));
  groups.set_labels(tags.label_names, std::move(labels));
}

void add_groups(GroupSet& groups, const RowTags& tags, std::vector<Matrix> rows,
                const std::vector<std::vector<Index>>& positions) {
  for (std::size_t m = 0; m < rows.size(); ++m) {
    groups.add(tags.group_names[m], std::move(rows[m]), values_of(tags.masses, positions[m]));
  }
  set_label_codes(groups, tags, positions);
}

}  // namespace conflux
