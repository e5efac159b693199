// How much each group counts in the barycenter.
//
// As text: `uniform` (all alike), `size` (as many as its rows), or one number per group, `1,2,0.5`.

#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conflux/core/index.h"

namespace conflux {

struct GroupWeights {
  enum class Kind { kUniform, kSize, kList };

  GroupWeights() = default;
  explicit GroupWeights(Kind which) : kind(which) {}
  GroupWeights(std::vector<double> each) : kind(Kind::kList), list(std::move(each)) {}
  GroupWeights(std::initializer_list<double> each) : kind(Kind::kList), list(each) {}

  bool operator==(const GroupWeights&) const = default;

  Kind kind = Kind::kUniform;
  /// Empty unless `kind` is kList.
  std::vector<double> list = {};
};

/// Numbers so exact that reading them back gives the same bits.
std::string to_text(const GroupWeights& weights);

/// Throws InvalidOption when the text is none of the three forms.
GroupWeights parse_group_weights(std::string_view text);

/// One weight per group, with sum 1. Throws InvalidOption when the list does not suit the groups.
std::vector<double> normalized_weights(const GroupWeights& weights,
                                       const std::vector<Index>& group_sizes);

}  // namespace conflux
