#include "training/inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "conflux/core/error.h"

namespace conflux {

namespace {

// Deviations that differ by more are taken for different units. Principal components and pixels
// differ by less.
constexpr double kUnlikeUnits = 100;

// Whether every value of every process lies in [0, 1].
bool inside_unit_cube(const GroupSet& groups, Communicator& comm) {
  double inside = 1;
  for (Index m = 0; m < groups.num_groups() && inside == 1; ++m) {
    const SampleRows& rows = groups[m].rows;
    if (rows.rows() == 0) continue;
    rows.visit([&](const auto& view) {
      if (view.eigen().minCoeff() < 0 || view.eigen().maxCoeff() > 1) inside = 0;
    });
  }
  comm.min(std::span(&inside, 1));
  return inside == 1;
}

void warn_of_small_groups(const GroupSet& groups, const std::vector<Index>& sizes,
                          const FitOptions& options, std::vector<std::string>& warnings) {
  const bool gaussian = options.method == Method::kGb || options.method == Method::kGbInb;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (options.estimator == Estimator::kQuantile && sizes[m] < *options.knots) {
      warnings.push_back(fmt::format(
          "group \"{}\" has {} rows for {} knots: its maps follow single rows closely; fewer knots "
          "or a smaller strength would generalise better.",
          groups[m].name, sizes[m], *options.knots));
    }
    if (gaussian && sizes[m] <= groups.dim()) {
      warnings.push_back(fmt::format(
          "group \"{}\" has {} rows for {} features: its covariance is singular, and directions "
          "without spread are stretched far; use inb, or fewer features.",
          groups[m].name, sizes[m], groups.dim()));
    }
  }
}

// A feature that one group holds constant and another does not usually means that it was not
// measured there: it can be moved, but not given a spread.
void warn_of_constant_features(const GroupSet& groups, Communicator& comm,
                               std::vector<std::string>& warnings) {
  const Index dim = groups.dim();
  const auto entries = static_cast<std::size_t>(dim * groups.num_groups());
  std::vector<double> low(entries, std::numeric_limits<double>::infinity());
  std::vector<double> high(entries, -std::numeric_limits<double>::infinity());
  std::vector<double> buffer;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    for (Index i = 0; i < groups[m].rows.rows(); ++i) {
      const double* row = groups[m].rows.row(i, buffer);
      for (Index j = 0; j < dim; ++j) {
        low[m * dim + j] = std::min(low[m * dim + j], row[j]);
        high[m * dim + j] = std::max(high[m * dim + j], row[j]);
      }
    }
  }
  comm.min(low);
  comm.max(high);
  for (Index m = 0; m < groups.num_groups(); ++m) {
    std::vector<std::string> found;
    for (Index j = 0; j < dim; ++j) {
      bool varies_elsewhere = false;
      for (Index other = 0; other < groups.num_groups(); ++other) {
        varies_elsewhere |= high[other * dim + j] > low[other * dim + j];
      }
      if (!varies_elsewhere || high[m * dim + j] > low[m * dim + j]) continue;
      const auto& names = groups.feature_names();
      found.push_back(names.empty() ? fmt::format("{}", j) : names[j]);
    }
    if (found.empty()) continue;
    warnings.push_back(fmt::format(
        "group \"{}\" is constant in {} of {} features that vary in other groups (first: {}): they "
        "are moved but get no spread; drop them if they were not measured there.",
        groups[m].name, found.size(), dim, found.front()));
  }
}

// Layers look for what moves rows furthest: a feature in small units is all they see.
void warn_of_units(const GroupSet& groups, const RowChoice& chosen, const FitOptions& options,
                   Communicator& comm, std::vector<std::string>& warnings) {
  const bool by_feature = options.method == Method::kNb || options.method == Method::kDd;
  if (options.scale != Scaling::kNone || by_feature || options.unit_cube == UnitCube::kOn) return;
  const Index dim = groups.dim();
  std::vector<double> sums(static_cast<std::size_t>(2 * dim + 1), 0.0);
  std::vector<double> buffer;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    for (const Index i : chosen[m]) {
      const double* row = groups[m].rows.row(i, buffer);
      for (Index j = 0; j < dim; ++j) {
        const double value = row[j];
        sums[j] += value;
        sums[dim + j] += value * value;
      }
      sums[2 * dim] += 1;
    }
  }
  comm.sum(sums);
  Index widest = -1, narrowest = -1;
  std::vector<double> deviations;
  for (Index j = 0; j < dim; ++j) {
    const double mean = sums[j] / sums[2 * dim];
    const double variance = sums[dim + j] / sums[2 * dim] - mean * mean;
    // Less is rounding.
    deviations.push_back(variance > 1e-12 * mean * mean ? std::sqrt(variance) : 0);
    if (deviations[j] == 0) continue;
    if (widest < 0 || deviations[j] > deviations[widest]) widest = j;
    if (narrowest < 0 || deviations[j] < deviations[narrowest]) narrowest = j;
  }
  if (widest < 0 || deviations[widest] < kUnlikeUnits * deviations[narrowest]) return;
  const auto name = [&](Index j) {
    const auto& names = groups.feature_names();
    return names.empty() ? fmt::format("{}", j) : names[j];
  };
  warnings.push_back(fmt::format(
      "feature {} has a deviation of {:.3g} and {} of {:.3g}: the large one decides nearly alone "
      "what is aligned; if they have different units, choose scale normal.",
      name(widest), deviations[widest], name(narrowest), deviations[narrowest]));
}

void check_groups(const GroupSet& groups, const std::vector<Index>& sizes) {
  if (groups.num_groups() < 2) {
    throw InvalidData(fmt::format("there is {} group; alignment needs at least 2.",
                                  groups.num_groups() == 0 ? "no" : "only one"));
  }
  if (groups.dim() == 0) throw InvalidData("the data has no columns; give at least one feature.");
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (sizes[m] > 0) continue;
    throw InvalidData(
        fmt::format("group {} (\"{}\") has no rows{}; drop the group or give it rows.", m,
                    groups[m].name, groups[m].rows.rows() > 0 ? " with positive weight" : ""));
  }
}

// kOn or kOff.
UnitCube resolve_unit_cube(const GroupSet& groups, UnitCube requested, Communicator& comm) {
  if (requested == UnitCube::kOff) return UnitCube::kOff;
  const bool inside = inside_unit_cube(groups, comm);
  if (requested == UnitCube::kOn && !inside) {
    throw InvalidOption(
        "unit_cube is on but some values lie outside [0, 1]; rescale the data or turn it off.");
  }
  return inside ? UnitCube::kOn : UnitCube::kOff;
}

}  // namespace

std::vector<Index> count_rows(const RowChoice& chosen, Communicator& comm) {
  std::vector<double> counts;
  for (const auto& rows : chosen) counts.push_back(static_cast<double>(rows.size()));
  comm.sum(counts);
  return {counts.begin(), counts.end()};
}

void check_rows(const GroupSet& groups, const LayerRows& rows, Split split, Communicator& comm) {
  const std::vector<Index> search = count_rows(rows.search, comm);
  const std::vector<Index> maps = count_rows(rows.maps(), comm);
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (search[m] > 0 && maps[m] > 0) continue;
    throw InvalidOption(fmt::format(
        "split is {} but group {} (\"{}\") has too few rows to cut; choose none, or give it more "
        "rows.",
        name_of(split), m, groups[m].name));
  }
}

Fit begin_fit(const GroupSet& groups, const RowChoice& usable, const FitOptions& requested,
              Communicator& comm) {
  groups.validate();
  Fit out;
  FitRecord& record = out.record;
  record.group_sizes = count_rows(usable, comm);
  check_groups(groups, record.group_sizes);
  record.options = resolve(requested, {groups.dim(), groups.names(), record.group_sizes});
  record.options.unit_cube = resolve_unit_cube(groups, record.options.unit_cube, comm);
  out.flow = Flow(groups.names(), groups.dim());
  return out;
}

std::vector<std::string> find_warnings(const GroupSet& groups, const RowChoice& chosen,
                                       const std::vector<Index>& sizes, const FitOptions& options,
                                       Communicator& comm) {
  std::vector<std::string> warnings;
  warn_of_small_groups(groups, sizes, options, warnings);
  warn_of_constant_features(groups, comm, warnings);
  warn_of_units(groups, chosen, options, comm, warnings);
  return warnings;
}

}  // namespace conflux
