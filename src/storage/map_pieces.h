// Shared parts of the writers of maps.

#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conflux/core/error.h"
#include "fitting/line_maps.h"
#include "storage/tensor_file.h"
#include "univariate/monotone_map.h"

namespace conflux {

using Maps = std::vector<std::vector<MonotoneMap>>;

[[noreturn]] inline void cannot_save(std::string_view what) {
  throw Error(fmt::format("a layer cannot be saved: {}.", what));
}

// Pieces of one array, one after the other.
class Pieces {
 public:
  template <class Values>
  void add(const Values& values) {
    numbers.insert(numbers.end(), values.begin(), values.end());
    close();
  }
  void close() { offsets.push_back(static_cast<std::int64_t>(numbers.size())); }
  Index count() const { return static_cast<Index>(offsets.size()) - 1; }
  Index size() const { return static_cast<Index>(numbers.size()); }

  std::vector<double> numbers;
  std::vector<std::int64_t> offsets{0};
};

/// Calls visit for every map, all of which must be of one kind.
template <class Kind, class Visit>
void for_each_map(const Maps& maps, Visit visit) {
  for (const auto& of_group : maps) {
    if (of_group.size() != maps.front().size()) cannot_save("groups have maps on other lines");
    for (const MonotoneMap& map : of_group) {
      const auto* kind = std::get_if<Kind>(&map);
      if (kind == nullptr) cannot_save("it mixes maps of several kinds");
      visit(*kind);
    }
  }
}

/// Maps of histograms, whose arrays are many.
void write_histogram_maps(const Maps& maps, const std::string& prefix, TensorWriter& out);
LineMaps read_histogram_maps(const std::string& prefix, Index groups, Index lines,
                             TensorFile& file);

}  // namespace conflux
