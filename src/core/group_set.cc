#include "conflux/core/group_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "conflux/core/error.h"
#include "core/disk_scratch.h"

namespace conflux {

namespace {

// Squares of larger values, summed over rows, would leave the range of double.
constexpr double kLargestValue = 1e140;

void validate_rows(Index m, const Group& group, const std::vector<std::string>& features) {
  std::vector<double> buffer;
  for (Index i = 0; i < group.rows.rows(); ++i) {
    if (i % kRowsPerLook == 0) DiskScratch::look();
    const double* row = group.rows.row(i, buffer);
    for (Index j = 0; j < group.rows.cols(); ++j) {
      const double value = row[j];
      if (std::abs(value) <= kLargestValue) continue;
      const std::string column =
          features.empty() ? fmt::format("{}", j) : fmt::format("{} (\"{}\")", j, features[j]);
      throw InvalidData(fmt::format(
          "group {} (\"{}\"): row {}, column {} is {}; {}.", m, group.name, i, column, value,
          std::isfinite(value) ? "rescale the column" : "drop the row or impute before fitting"));
    }
  }
}

void validate_masses(Index m, const Group& group) {
  for (std::size_t i = 0; i < group.masses.size(); ++i) {
    const double mass = group.masses[i];
    if (mass >= 0 && std::isfinite(mass)) continue;
    throw InvalidData(fmt::format(
        "group {} (\"{}\"): the weight of row {} is {}; weights must be finite and at least 0.", m,
        group.name, i, mass));
  }
}

SampleRows view_of(const std::variant<Matrix, SingleMatrix>& store) {
  if (const auto* doubles = std::get_if<Matrix>(&store)) return ConstRows(*doubles);
  return ConstSingleRows(std::get<SingleMatrix>(store));
}

}  // namespace

void SampleRows::refuse() {
  throw Error("the rows are in single precision and are needed in double precision; convert them.");
}

void GroupSet::add(std::string name, SampleRows rows, std::span<const double> masses) {
  for (const Group& group : groups_) {
    if (group.name == name) {
      throw InvalidData(fmt::format("group \"{}\" was added twice; join its rows first.", name));
    }
  }
  if (!groups_.empty() && rows.cols() != dim()) {
    throw InvalidData(fmt::format(
        "group \"{}\" has {} columns but group \"{}\" has {}; all groups need the same features.",
        name, rows.cols(), groups_.front().name, dim()));
  }
  if (!masses.empty() && static_cast<Index>(masses.size()) != rows.rows()) {
    throw InvalidData(fmt::format("group \"{}\" has {} rows but {} weights; give one per row.",
                                  name, rows.rows(), masses.size()));
  }
  groups_.push_back({.name = std::move(name), .rows = rows, .masses = masses});
  stores_.emplace_back();
}

void GroupSet::add(std::string name, Matrix&& rows, std::vector<double>&& masses) {
  keep(std::move(name), std::move(rows), std::move(masses));
}

void GroupSet::keep(std::string name, Store&& rows, std::vector<double>&& masses) {
  const auto store = std::make_shared<Store>(std::move(rows));
  const auto kept_masses = std::make_shared<const std::vector<double>>(std::move(masses));
  add(std::move(name), view_of(*store), *kept_masses);
  stores_.back() = store;
  kept_.push_back(kept_masses);
}

void GroupSet::own_rows() {
  const bool single = std::all_of(groups_.begin(), groups_.end(),
                                  [](const Group& group) { return group.rows.single(); });
  for (std::size_t m = 0; m < groups_.size(); ++m) {
    SampleRows& rows = groups_[m].rows;
    if (stores_[m] != nullptr && stores_[m].use_count() == 1 && rows.single() == single) continue;
    stores_[m] = single ? std::make_shared<Store>(SingleMatrix(rows.singles().eigen()))
                        : std::make_shared<Store>(rows.to_matrix());
    rows = view_of(*stores_[m]);
  }
}

MatrixView<double> GroupSet::own_doubles(Index m) { return std::get<Matrix>(*stores_[m]); }
MatrixView<float> GroupSet::own_singles(Index m) { return std::get<SingleMatrix>(*stores_[m]); }

void GroupSet::set_feature_names(std::vector<std::string> names) {
  if (static_cast<Index>(names.size()) != dim()) {
    throw InvalidData(
        fmt::format("{} feature names for {} columns; give one per column.", names.size(), dim()));
  }
  feature_names_ = std::move(names);
}

double MeasuredScale::value(double coordinate) const {
  if (coordinates.size() < 2) return coordinate;
  const auto inner = std::upper_bound(coordinates.begin() + 1, coordinates.end() - 1, coordinate);
  const auto k = static_cast<std::size_t>(inner - coordinates.begin());
  const double slope = (values[k] - values[k - 1]) / (coordinates[k] - coordinates[k - 1]);
  return values[k - 1] + slope * (coordinate - coordinates[k - 1]);
}

void GroupSet::set_measured(std::vector<MeasuredScale> scales) {
  if (!scales.empty() && static_cast<Index>(scales.size()) != dim()) {
    throw InvalidData(
        fmt::format("{} scales for {} columns; give one per column.", scales.size(), dim()));
  }
  measured_ = std::move(scales);
}

void GroupSet::set_labels(std::vector<std::string> names, std::vector<std::vector<Index>> labels) {
  if (static_cast<Index>(labels.size()) != num_groups()) {
    throw InvalidData(fmt::format("labels of {} groups for {} groups; give those of each.",
                                  labels.size(), num_groups()));
  }
  const auto known = static_cast<Index>(names.size());
  for (Index m = 0; m < num_groups(); ++m) {
    Group& group = groups_[m];
    if (static_cast<Index>(labels[m].size()) != group.rows.rows()) {
      throw InvalidData(fmt::format("group \"{}\" has {} rows but {} labels; give one per row.",
                                    group.name, group.rows.rows(), labels[m].size()));
    }
    for (const Index label : labels[m]) {
      if (label >= -1 && label < known) continue;
      throw InvalidData(fmt::format("group \"{}\" has label {} but there are {} names.", group.name,
                                    label, known));
    }
    const auto kept = std::make_shared<const std::vector<Index>>(std::move(labels[m]));
    group.labels = *kept;
    kept_.push_back(kept);
  }
  label_names_ = std::move(names);
}

void GroupSet::set_labels_of(const GroupSet& other) {
  for (Index m = 0; m < num_groups(); ++m) groups_[m].labels = other[m].labels;
  label_names_ = other.label_names_;
}

void GroupSet::set_covariates(Index count) {
  if (count < 0 || (count > 0 && count >= dim())) {
    throw InvalidData(fmt::format(
        "{} of {} columns are covariates; leave at least one feature to align.", count, dim()));
  }
  covariates_ = count;
}

Index GroupSet::num_samples() const {
  Index total = 0;
  for (const Group& group : groups_) total += group.rows.rows();
  return total;
}

std::vector<std::string> GroupSet::names() const {
  std::vector<std::string> out;
  for (const Group& group : groups_) out.push_back(group.name);
  return out;
}

Index GroupSet::index_of(const std::string& name) const { return find_group(names(), name); }

void GroupSet::validate() const {
  for (Index m = 0; m < num_groups(); ++m) {
    validate_rows(m, groups_[m], feature_names_);
    validate_masses(m, groups_[m]);
  }
}

Index find_group(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return found - names.begin();
  throw InvalidOption(fmt::format("there is no group \"{}\"; the groups are \"{}\".", name,
                                  fmt::join(names, "\", \"")));
}

}  // namespace conflux
