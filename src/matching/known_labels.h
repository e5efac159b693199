// Summary of labels that only some rows have.

#pragma once

#include <string>
#include <vector>

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"

namespace conflux {

struct KnownLabels {
  /// Part of the rows that have a label.
  double part = 0;
  /// Whether some do, but fewer than half of the rows of some group: too few to be the clusters.
  bool in_part = false;
};

/// Counts the rows of all processes.
KnownLabels known_labels(const GroupSet& groups, Communicator& comm);
KnownLabels known_labels(const GroupSet& groups);

/// Whether labels are known, but none in two groups.
bool no_label_is_shared(const GroupSet& groups);

/// Labels that steer a matching: those of three rows or more, the most frequent ones if there are
/// very many.
struct SteeringLabels {
  std::vector<std::string> names = {};
  /// For each label of the set its position in `names`, or -1.
  std::vector<Index> places = {};

  Index of(const Group& group, Index row) const {
    const Index label = group.label(row);
    return label < 0 || places.empty() ? -1 : places[static_cast<std::size_t>(label)];
  }
  Index count() const { return static_cast<Index>(names.size()); }
};

SteeringLabels steering_labels(const GroupSet& groups, Communicator& comm);

}  // namespace conflux
