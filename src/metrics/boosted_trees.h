// Trees, boosted by gradients, that learn to tell members of a group from all other rows.
//
// XGBoost grows them (histogram method) on the calling thread only: its sums depend on its number
// of threads, ours must not. This is the one file pair that knows of XGBoost.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "conflux/core/group_set.h"

namespace conflux {

struct BoostingSettings {
  Index trees = 100;
  std::uint64_t seed = 0;
};

class BoostedTrees {
 public:
  /// Members and others have the same total weight, however many there are of each; both must be
  /// there.
  BoostedTrees(const SingleMatrix& rows, const std::vector<char>& is_member,
               const BoostingSettings& settings);
  ~BoostedTrees();
  BoostedTrees(const BoostedTrees&) = delete;
  BoostedTrees& operator=(const BoostedTrees&) = delete;

  /// By the first `trees` trees: the larger, the more a row looks like a member.
  std::vector<double> scores(const SingleMatrix& rows, Index trees) const;

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

}  // namespace conflux
