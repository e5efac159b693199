#include "training/inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "comm/agreement.h"
#include "conflux/core/error.h"
#include "core/disk_scratch.h"
#include "core/take_rows.h"
#include "fitting/layer_kinds.h"
#include "options/methods.h"
#include "options/option_table.h"

namespace conflux {

namespace {

// Deviations that differ by more are taken for different units. Principal components and pixels
// differ by less.
constexpr double kUnlikeUnits = 100;
// A row so much further out than most leaves others half of their 16 digits.
constexpr double kFarOut = 1e8;
// Rows of a group that tell where most values lie.
constexpr Index kSampleOfGroup = 500;
// Rows of a label, on average, below which labels are no clusters.
constexpr Index kFewestOfLabel = 5;

// Whether every value of every process lies in [0, 1].
bool inside_unit_cube(const GroupSet& groups, Communicator& comm) {
  double inside = 1;
  for (Index m = 0; m < groups.num_groups() && inside == 1; ++m) {
    const SampleRows& rows = groups[m].rows;
    for (Index begin = 0; begin < rows.rows() && inside == 1; begin += kRowsPerLook) {
      DiskScratch::look();
      rows.visit([&](const auto& all) {
        const auto view = all.middle_rows(begin, std::min(kRowsPerLook, rows.rows() - begin));
        if (view.eigen().minCoeff() < 0 || view.eigen().maxCoeff() > 1) inside = 0;
      });
    }
  }
  comm.min(std::span(&inside, 1));
  return inside == 1;
}

void warn_of_small_groups(const GroupSet& groups, const std::vector<Index>& sizes,
                          const FitOptions& options, std::vector<std::string>& warnings) {
  const MethodInfo& method = method_info(options.method);
  const bool has_knots = method.has("sliced") || method.has("coordinate");
  for (Index m = 0; m < groups.num_groups() && has_knots; ++m) {
    if (options.estimator != Estimator::kQuantile || sizes[m] >= *options.knots) continue;
    warnings.push_back(
        fmt::format("group \"{}\" has {} rows for {} knots: its maps follow single rows closely; "
                    "fewer knots or "
                    "a smaller strength would generalize better.",
                    groups[m].name, sizes[m], *options.knots));
  }
  for (const LayerKind& kind : layer_kinds()) {
    if (method.has(kind.name) && kind.warn != nullptr) kind.warn(groups, sizes, options, warnings);
  }
}

// A number with nearly as many values as rows, such as a regression target, defines no classes.
void warn_of_many_labels(const GroupSet& groups, const std::vector<Index>& sizes,
                         const FitOptions& options, std::vector<std::string>& warnings) {
  if (options.gate != Gating::kLabel) return;
  const auto labels = static_cast<Index>(groups.label_names().size());
  Index rows = 0;
  for (const Index size : sizes) rows += size;
  if (rows >= kFewestOfLabel * labels) return;
  warnings.push_back(fmt::format(
      "the label has {} values for {} rows: too few rows have the same value to be aligned with "
      "each other. Choose a label with fewer values, or gate none to align whole groups.",
      labels, rows));
}

// Smallest and largest values of features in groups, over all processes; entry m * dim + j.
struct Ranges {
  std::vector<double> low;
  std::vector<double> high;
};

Ranges ranges_of(const GroupSet& groups, Communicator& comm) {
  const Index dim = groups.dim();
  const auto entries = static_cast<std::size_t>(dim * groups.num_groups());
  Ranges out{std::vector<double>(entries, std::numeric_limits<double>::infinity()),
             std::vector<double>(entries, -std::numeric_limits<double>::infinity())};
  std::vector<double> buffer;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    for (Index i = 0; i < groups[m].rows.rows(); ++i) {
      if (i % kRowsPerLook == 0) DiskScratch::look();
      const double* row = groups[m].rows.row(i, buffer);
      for (Index j = 0; j < dim; ++j) {
        out.low[m * dim + j] = std::min(out.low[m * dim + j], row[j]);
        out.high[m * dim + j] = std::max(out.high[m * dim + j], row[j]);
      }
    }
  }
  comm.min(out.low);
  comm.max(out.high);
  return out;
}

std::string feature_name(const GroupSet& groups, Index j) {
  const auto& names = groups.feature_names();
  return names.empty() ? fmt::format("{}", j) : fmt::format("\"{}\"", names[j]);
}

// A feature that one group holds constant and another does not usually means that it was not
// measured there: it can be moved, but not given a spread.
void warn_of_constant_features(const GroupSet& groups, const Ranges& ranges,
                               std::vector<std::string>& warnings) {
  const Index dim = groups.dim();
  const auto& [low, high] = ranges;
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
        "are shifted but stay constant; drop them if they were not measured there.",
        groups[m].name, found.size(), dim, found.front()));
  }
}

// Some rows of all groups and processes, feature by feature; entry j * rows + i.
std::vector<double> sample_of(const GroupSet& groups, const RowChoice& chosen,
                              const RowPlaces& places, Communicator& comm) {
  const Index dim = groups.dim();
  std::vector<double> rows, buffer;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const auto count = static_cast<Index>(chosen[m].size());
    const Index step = std::max<Index>(1, places.sizes[m] / kSampleOfGroup);
    for (Index i = (step - places.before[m] % step) % step; i < count; i += step) {
      DiskScratch::look_at(i);
      const double* row = groups[m].rows.row(chosen[m][i], buffer);
      rows.insert(rows.end(), row, row + dim);
    }
  }
  return comm.gather(rows);
}

// Columns of tables are copied then; arrays have nobody to say so. A spread is about a sixth of the
// whole range.
void refuse_lost_digits(const GroupSet& groups, const Ranges& ranges) {
  constexpr double kLargestOffset = 1e6 / 6;
  const Index dim = groups.dim();
  for (Index j = 0; j < dim; ++j) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (Index m = 0; m < groups.num_groups(); ++m) {
      low = std::min(low, ranges.low[m * dim + j]);
      high = std::max(high, ranges.high[m * dim + j]);
    }
    const double offset = std::max({low, -high, 0.0});
    if (!(high > low && offset > kLargestOffset * (high - low))) continue;
    throw InvalidData(
        fmt::format("feature {} lies between {:.17g} and {:.17g}: a number has too few digits for "
                    "its spread to "
                    "come back to the tenth one; subtract {:.0g} from it.",
                    feature_name(groups, j), low, high, low));
  }
}

// Half of the values of a feature lie within `half` of its median.
struct Middle {
  double median;
  double half;
};

Middle middle_of(std::vector<double> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), at, values.end());
  const double median = *at;
  for (double& value : values) value = std::abs(value - median);
  std::nth_element(values.begin(), at, values.end());
  return {median, *at};
}

// The first row with that value; rows are numbered through all processes.
double place_of(double value, const Group& group, Index feature, Communicator& comm) {
  constexpr double kNowhere = 1e300;
  const std::vector<double> sizes =
      comm.gather(std::vector<double>{static_cast<double>(group.rows.rows())});
  double before = 0;
  for (Index rank = 0; rank < comm.rank(); ++rank) before += sizes[rank];
  double row = kNowhere;
  for (Index i = 0; i < group.rows.rows() && row == kNowhere; ++i) {
    if (i % kRowsPerLook == 0) DiskScratch::look();
    if (group.rows(i, feature) == value) row = before + static_cast<double>(i);
  }
  comm.min(std::span(&row, 1));
  return row;
}

// A direction mixes features, and sums with a number of 1e12 keep four digits of those near 1: rows
// do not come back from the shared space as they were. Such numbers often stand for missing ones.
void warn_of_far_rows(const GroupSet& groups, const RowChoice& chosen, const Ranges& ranges,
                      const RowPlaces& places, const FitOptions& options, Communicator& comm,
                      std::vector<std::string>& warnings) {
  if (method_info(options.method).main_kind() == "coordinate") return;
  const Index dim = groups.dim();
  const std::vector<double> sample = sample_of(groups, chosen, places, comm);
  const Index count = static_cast<Index>(sample.size()) / dim;
  if (count == 0) return;
  std::vector<Middle> middles;
  double widest = 0;
  for (Index j = 0; j < dim; ++j) {
    std::vector<double> values;
    for (Index i = 0; i < count; ++i) values.push_back(sample[i * dim + j]);
    middles.push_back(middle_of(std::move(values)));
    widest = std::max(widest, middles.back().half);
  }
  for (Index m = 0; m < groups.num_groups(); ++m) {
    for (Index j = 0; j < dim; ++j) {
      const Middle& middle = middles[j];
      const double low = ranges.low[m * dim + j], high = ranges.high[m * dim + j];
      const bool above = high - middle.median >= middle.median - low;
      const double worst = above ? high : low;
      // A feature that hardly varies is compared with the others.
      const double unit = middle.half > 0 ? middle.half : widest;
      if (!(unit > 0 && std::abs(worst - middle.median) > kFarOut * unit)) continue;
      const double row = place_of(worst, groups[m], j, comm);
      warnings.push_back(fmt::format(
          "group \"{}\", row {}: feature {} is {:g}, {:.0e} times as far out as most values: rows "
          "may not come back from the shared space with all their digits; drop the row, or impute "
          "the value if it stands for a missing one.",
          groups[m].name, row, feature_name(groups, j), worst,
          std::abs(worst - middle.median) / unit));
      return;
    }
  }
}

// A search for directions prefers what moves rows furthest: features in small units. Maps of single
// features do not.
void warn_of_units(const GroupSet& groups, const RowChoice& chosen, const FitOptions& options,
                   Communicator& comm, std::vector<std::string>& warnings) {
  const std::string_view kind = method_info(options.method).main_kind();
  const bool by_feature = kind == "coordinate" || kind == "location-scale";
  if (by_feature || options.unit_cube == UnitCube::kOn) return;
  const Index dim = groups.dim();
  std::vector<double> sums(static_cast<std::size_t>(2 * dim + 1), 0.0);
  std::vector<double> buffer;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    for (const Index i : chosen[m]) {
      if (i % kRowsPerLook == 0) DiskScratch::look();
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
      "feature {} has a standard deviation of {:.3g} and {} of {:.3g}: the larger one dominates "
      "the alignment; if they have different units, scale them (--scale standard).",
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

// Other layers would move the covariates, which no row may lose.
void check_covariates(const GroupSet& groups, const FitOptions& requested) {
  const bool gated = requested.gate == Gating::kKept;
  if (groups.covariates() == 0) {
    if (requested.interaction) {
      throw InvalidOption(
          "interaction is on, but no columns are kept whose effects could differ; name some with "
          "keep, or leave interaction off.");
    }
    if (!gated) return;
    throw InvalidOption(
        "gate is kept, but no columns are; name some with keep, or choose another "
        "gate.");
  }
  const Method method = requested.method;
  const bool affine = method == Method::kMeans || method == Method::kLocationScale;
  const bool conditional = method == Method::kConditional;
  if (!affine && !conditional && method != Method::kAuto &&
      !(gated && gates_by_covariates(method))) {
    throw InvalidOption(fmt::format(
        "method {} with gate {} cannot keep columns; choose location-scale, means, conditional or "
        "auto, or inb with gate kept, or name no columns that are kept.",
        name_of(method), name_of(requested.gate)));
  }
  if (gated && requested.directions.value_or(1) > groups.features()) {
    throw InvalidOption(
        fmt::format("directions is {} but there are {} features beside those that "
                    "are kept; choose at most {}, or leave it unset.",
                    *requested.directions, groups.features(), groups.features()));
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

Fit begin_fit(const GroupSet& groups, const RowChoice& usable, const FitOptions& requested,
              Communicator& comm) {
  do_together(comm, [&] { groups.validate(); });
  Fit out;
  FitRecord& record = out.record;
  record.group_sizes = count_rows(usable, comm);
  check_groups(groups, record.group_sizes);
  check_covariates(groups, requested);
  record.options = resolve(requested, {groups.dim(), groups.names(), record.group_sizes});
  record.options.unit_cube = resolve_unit_cube(groups, record.options.unit_cube, comm);
  out.flow = Flow(groups.names(), groups.dim());
  return out;
}

std::vector<std::string> find_warnings(const GroupSet& all, const RowChoice& chosen,
                                       const RowPlaces& places, const FitOptions& options,
                                       Communicator& comm) {
  const GroupSet groups = without_covariates(all);
  std::vector<std::string> warnings;
  const std::vector<Index>& sizes = places.sizes;
  warn_of_many_labels(groups, sizes, options, warnings);
  warn_of_small_groups(groups, sizes, options, warnings);
  // Groups that know nothing of each other cannot differ.
  if (method_info(options.method).to_uniform) return warnings;
  const Ranges ranges = ranges_of(groups, comm);
  refuse_lost_digits(groups, ranges);
  warn_of_constant_features(groups, ranges, warnings);
  warn_of_far_rows(groups, chosen, ranges, places, options, comm, warnings);
  warn_of_units(groups, chosen, options, comm, warnings);
  return warnings;
}

}  // namespace conflux
