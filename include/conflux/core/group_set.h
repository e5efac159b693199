// M named groups of samples with the same features.
//
// A GroupSet borrows the rows of its caller, or owns those that are moved in; copies of a set share
// what it owns. Rows are in double or in single precision. Groups may have different numbers of
// rows. In a distributed fit every process holds some rows of each group, possibly none.

#pragma once

#include <algorithm>
#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "conflux/core/matrix.h"

namespace conflux {

// Borrowed rows of samples as a caller stores them: in double or in single precision.
//
// Code that needs single rows reads them through row(), which converts to double if necessary; code
// that needs doubles in place calls doubles().

using SingleMatrix = MatrixOf<float>;
using ConstSingleRows = MatrixView<const float>;

class SampleRows {
 public:
  SampleRows() = default;
  SampleRows(ConstRows rows) : view_(rows) {}
  SampleRows(ConstSingleRows rows) : view_(rows) {}
  SampleRows(const Matrix& rows) : view_(ConstRows(rows)) {}

  /// Calls f with the view of doubles or of floats.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(std::forward<F>(f), view_);
  }

  Index rows() const {
    return visit([](const auto& view) { return view.rows(); });
  }
  Index cols() const {
    return visit([](const auto& view) { return view.cols(); });
  }
  bool single() const { return std::holds_alternative<ConstSingleRows>(view_); }

  double operator()(Index i, Index j) const {
    return single() ? static_cast<double>(singles()(i, j)) : std::get<ConstRows>(view_)(i, j);
  }

  /// Row i: where it is if it holds doubles, otherwise a copy in `buffer`.
  const double* row(Index i, std::vector<double>& buffer) const {
    if (!single()) return std::get<ConstRows>(view_).row(i);
    buffer.resize(static_cast<std::size_t>(cols()));
    copy_row(i, buffer.data());
    return buffer.data();
  }
  void copy_row(Index i, double* out) const {
    visit([&](const auto& view) { std::copy_n(view.row(i), view.cols(), out); });
  }

  SampleRows middle_rows(Index begin, Index count) const {
    return visit([&](const auto& view) { return SampleRows(view.middle_rows(begin, count)); });
  }

  ConstSingleRows singles() const { return std::get<ConstSingleRows>(view_); }
  /// The rows in place; throws Error when they are in single precision.
  ConstRows doubles() const {
    if (single()) refuse();
    return std::get<ConstRows>(view_);
  }
  ConstRows::EigenMap eigen() const { return doubles().eigen(); }
  std::span<const double> row_span(Index i) const { return doubles().row_span(i); }
  const double* data() const { return doubles().data(); }

  /// A copy in double precision.
  Matrix to_matrix() const {
    return visit([](const auto& view) { return Matrix(view.eigen().template cast<double>()); });
  }

 private:
  [[noreturn]] static void refuse();

  std::variant<ConstRows, ConstSingleRows> view_;
};

struct Group {
  std::string name;
  SampleRows rows;
  /// Mass of each row; empty: all rows have the same.
  std::span<const double> masses;
  /// Label of each row, as a position among the set's label names, or -1 if unknown; empty if no
  /// row has one.
  std::span<const Index> labels = {};

  Index label(Index row) const { return labels.empty() ? -1 : labels[row]; }
};

/// Mass of a row.
inline double mass_of(const Group& group, Index row) {
  return group.masses.empty() ? 1.0 : group.masses[static_cast<std::size_t>(row)];
}

/// How coordinates of a feature go back to what was measured, where they are scores that close the
/// gaps between values: increasing knots, between which it is a line. Without knots a coordinate is
/// what was measured.
struct MeasuredScale {
  std::vector<double> coordinates = {};
  std::vector<double> values = {};

  /// The outer slopes go on beyond the knots.
  double value(double coordinate) const;
};

class GroupSet {
 public:
  GroupSet() = default;

  /// Borrows `rows` (and `masses`), which must outlive this set.
  void add(std::string name, SampleRows rows, std::span<const double> masses = {});
  /// Keeps the rows (and masses) itself.
  void add(std::string name, Matrix&& rows, std::vector<double>&& masses = {});
  template <std::same_as<SingleMatrix> M>  // and nothing that Eigen would convert to it
  void add(const std::string& name, M&& rows, std::vector<double>&& masses = {}) {
    keep(name, std::forward<M>(rows), std::move(masses));
  }

  /// Makes the set the only owner of its rows, which must not be borrowed by others: copies those
  /// that are not its own. All have the same precision then, single if all had it.
  void own_rows();
  /// The rows of a group to write on, after own_rows().
  MatrixView<double> own_doubles(Index m);
  MatrixView<float> own_singles(Index m);

  void set_feature_names(std::vector<std::string> names);
  /// labels[m][i] is the position in `names` of what row i of group m shows, or -1.
  void set_labels(std::vector<std::string> names, std::vector<std::vector<Index>> labels);
  /// One for each feature, or none if all coordinates are what was measured.
  void set_measured(std::vector<MeasuredScale> scales);
  /// Borrows the labels of a set with the same rows.
  void set_labels_of(const GroupSet& other);
  /// The last `count` coordinates are covariates: layers may read them and never move them.
  void set_covariates(Index count);

  Index num_groups() const { return static_cast<Index>(groups_.size()); }
  /// Coordinates of a row: features, then covariates.
  Index dim() const { return groups_.empty() ? 0 : groups_.front().rows.cols(); }
  Index covariates() const { return covariates_; }
  Index features() const { return dim() - covariates_; }
  Index num_samples() const;
  const Group& operator[](Index m) const { return groups_[static_cast<std::size_t>(m)]; }
  std::vector<std::string> names() const;
  /// Empty when the features were not named.
  const std::vector<std::string>& feature_names() const { return feature_names_; }
  /// Empty when rows have no labels.
  const std::vector<std::string>& label_names() const { return label_names_; }

  /// Empty when all coordinates are what was measured.
  const std::vector<MeasuredScale>& measured() const { return measured_; }

  /// Throws InvalidOption with the known names when there is no such group.
  Index index_of(const std::string& name) const;

  /// Throws InvalidData that names group, row and column of the first value that is not finite (or
  /// too large to square), or the first mass that is negative or not finite.
  void validate() const;

 private:
  using Store = std::variant<Matrix, SingleMatrix>;

  void keep(std::string name, Store&& rows, std::vector<double>&& masses);

  std::vector<Group> groups_;
  std::vector<std::shared_ptr<Store>> stores_;  // of each group; null when its rows are borrowed
  std::vector<std::shared_ptr<const void>> kept_;
  std::vector<std::string> feature_names_;
  std::vector<std::string> label_names_;
  std::vector<MeasuredScale> measured_;
  Index covariates_ = 0;
};

/// Subjects (say, patients) of the rows, if a table has several rows for a subject.
struct RowsOfSubjects {
  /// The column that identifies the subject.
  std::string column = {};
  /// For each group, the subject of each row.
  std::vector<std::vector<Index>> subject_of = {};
};

/// Position of `name` in `names`; throws InvalidOption that lists them when it is missing.
Index find_group(const std::vector<std::string>& names, const std::string& name);

}  // namespace conflux
