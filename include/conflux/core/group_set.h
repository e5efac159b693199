// M named groups of samples with the same features.
//
// A GroupSet borrows the rows of its caller, or owns those that are moved in. Groups may have
// different numbers of rows. In a distributed fit every process holds some rows of each group,
// possibly none.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conflux/core/matrix.h"

namespace conflux {

struct Group {
  std::string name;
  ConstRows rows;
  /// Mass of each row; empty means that all rows count alike.
  std::span<const double> weights;
  /// What each row shows, as a position among the set's label names, or -1; empty: unknown.
  std::span<const Index> labels = {};

  Index label(Index row) const { return labels.empty() ? -1 : labels[row]; }
};

class GroupSet {
 public:
  GroupSet() = default;

  /// Borrows `rows` (and `weights`), which must outlive this set.
  void add(std::string name, ConstRows rows, std::span<const double> weights = {});
  /// Keeps the rows (and weights) itself.
  void add(std::string name, Matrix&& rows, std::vector<double>&& weights = {});

  void set_feature_names(std::vector<std::string> names);
  /// labels[m][i] is the position in `names` of what row i of group m shows, or -1.
  void set_labels(std::vector<std::string> names, std::vector<std::vector<Index>> labels);
  /// Borrows the labels of a set with the same rows.
  void set_labels_of(const GroupSet& other);

  Index num_groups() const { return static_cast<Index>(groups_.size()); }
  Index dim() const { return groups_.empty() ? 0 : groups_.front().rows.cols(); }
  Index num_samples() const;
  const Group& operator[](Index m) const { return groups_[static_cast<std::size_t>(m)]; }
  std::vector<std::string> names() const;
  /// Empty when the features were not named.
  const std::vector<std::string>& feature_names() const { return feature_names_; }
  /// Empty when rows have no labels.
  const std::vector<std::string>& label_names() const { return label_names_; }

  /// Throws InvalidOption with the known names when there is no such group.
  Index index_of(const std::string& name) const;

  /// Throws InvalidData that names group, row and column of the first value that is not finite (or
  /// too large to square), or the first weight that is negative or not finite.
  void validate() const;

 private:
  std::vector<Group> groups_;
  std::vector<std::shared_ptr<const void>> kept_;
  std::vector<std::string> feature_names_;
  std::vector<std::string> label_names_;
};

/// Position of `name` in `names`; throws InvalidOption that lists them when it is missing.
Index find_group(const std::vector<std::string>& names, const std::string& name);

}  // namespace conflux
