// Rows of a Python caller as groups of samples.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model_parts.h"

namespace conflux::python {

/// Facts about the rows of a caller, by their numbers.
struct RowFacts {
  /// The number of each row's group; unset: all rows are of the only group.
  std::optional<GroupNumbers> groups = {};
  Names group_names = {};
  OptionalNumbers masses = {};
  /// Positions in label_names, -1 for none; ignored when there are no names.
  std::optional<GroupNumbers> labels = {};
  Names label_names = {};
  Names feature_names = {};
};

/// One mass per row, or none; throws InvalidData for another number of them.
std::span<const double> masses_of(const OptionalNumbers& masses, Index rows);

/// Borrows the array and the facts, and must outlive the sets that it makes.
class CallerGroups {
 public:
  /// Throws InvalidData when there is not one fact per row.
  CallerGroups(const pybind11::array& x, RowFacts facts);

  /// The groups, without labels, borrowed where rows lie at equal distances and gathered elsewhere.
  /// Does not need the GIL. Throws InvalidData that names the first value that is not finite.
  GroupSet group_set(const Workers& workers);

 private:
  void add(GroupSet& set, const std::string& name, const RowPositions& where,
           const std::vector<double>& masses, const Workers& workers) const;

  RowFacts facts_;
  Samples samples_;
  std::vector<std::int64_t> one_group_;
  std::span<const std::int64_t> group_of_;
  std::span<const double> mass_of_;
  std::vector<std::vector<double>> kept_masses_;
};

}  // namespace conflux::python
