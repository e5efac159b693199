// Groups of a table that may be longer than memory: read once, in blocks, keeping some rows.
//
// Every row has a random number of its own, named by seed and place. Of a group that has too many
// rows those with the smallest numbers are kept: a sample without favor, the same on every run and
// for any size of blocks. Small groups stay whole.

#pragma once

#include <cstdint>
#include <vector>

#include "conflux/dataset/dataset.h"
#include "conflux/model/model.h"

namespace conflux {

struct SampledGroups {
  /// Coordinates, in the order of the table.
  GroupSet groups;
  /// Rows of each group in the table.
  std::vector<Index> sizes;
};

/// Whether tables can be sampled: groups are given by a column or by the names of files, and no
/// table is joined.
bool can_be_sampled(const Model& model, const DatasetOptions& options);

/// The options are those that options_for() has completed. Keeps about `most` rows of all groups
/// together.
SampledGroups sample_groups(const Model& model, const DatasetOptions& options, Index most,
                            std::uint64_t seed, const MessageCallback& on_message);

}  // namespace conflux
