#include "conflux/models/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "conflux/core/error.h"
#include "conflux/core/stopwatch.h"
#include "conflux/flow/coordinate_layer.h"
#include "conflux/flow/sliced_layer.h"
#include "conflux/flow/unit_cube_layer.h"
#include "conflux/models/gaussian_barycenter.h"
#include "conflux/models/line_maps.h"
#include "conflux/slicing/direction_search.h"
#include "models/row_choice.h"

namespace conflux {

namespace {

// The groups on their way to the shared space: a copy that layers move.
class Latent {
 public:
  explicit Latent(const GroupSet& groups) {
    for (Index m = 0; m < groups.num_groups(); ++m) rows_.emplace_back(groups[m].rows.eigen());
    for (Index m = 0; m < groups.num_groups(); ++m) {
      view_.add(groups[m].name, ConstRows(rows_[m]), groups[m].weights);
    }
  }

  const GroupSet& groups() const { return view_; }

  void move(const Layer& layer, const Workers& workers) {
    for (Index m = 0; m < view_.num_groups(); ++m) {
      forward_in_place(layer, m, Rows(rows_[m]), workers);
    }
  }

 private:
  std::vector<Matrix> rows_;
  GroupSet view_;
};

std::vector<Index> count_rows(const RowChoice& chosen, Communicator& comm) {
  std::vector<double> counts;
  for (const auto& rows : chosen) counts.push_back(static_cast<double>(rows.size()));
  comm.sum(counts);
  return {counts.begin(), counts.end()};
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

// Both halves of a split need rows of every group.
void check_rows(const GroupSet& groups, const LayerRows& rows, Split split, Communicator& comm) {
  const std::vector<Index> search = count_rows(rows.search, comm);
  const std::vector<Index> maps = count_rows(rows.maps, comm);
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (search[m] > 0 && maps[m] > 0) continue;
    throw InvalidOption(fmt::format(
        "split is {} but group {} (\"{}\") has too few rows to cut; choose none, or give it more "
        "rows.",
        name_of(split), m, groups[m].name));
  }
}

// Whether every value of every process lies in [0, 1].
bool inside_unit_cube(const GroupSet& groups, Communicator& comm) {
  double inside = 1;
  for (Index m = 0; m < groups.num_groups() && inside == 1; ++m) {
    const auto rows = groups[m].rows.eigen();
    if (rows.size() > 0 && (rows.minCoeff() < 0 || rows.maxCoeff() > 1)) inside = 0;
  }
  comm.min(std::span(&inside, 1));
  return inside == 1;
}

UnitCube resolve_unit_cube(const GroupSet& groups, UnitCube requested, Communicator& comm) {
  if (requested == UnitCube::kOff) return UnitCube::kOff;
  const bool inside = inside_unit_cube(groups, comm);
  if (requested == UnitCube::kOn && !inside) {
    throw InvalidOption(
        "unit_cube is on but some values lie outside [0, 1]; rescale the data or turn it off.");
  }
  return inside ? UnitCube::kOn : UnitCube::kOff;
}

std::vector<std::string> warnings_for(const GroupSet& groups, const std::vector<Index>& sizes,
                                      const FitOptions& options) {
  std::vector<std::string> out;
  const bool gaussian = options.method == Method::kGb || options.method == Method::kGbInb;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (options.estimator == Estimator::kQuantile && sizes[m] < *options.knots) {
      out.push_back(fmt::format(
          "group \"{}\" has {} rows for {} knots: its maps follow single rows closely; fewer knots "
          "or a smaller strength would generalise better.",
          groups[m].name, sizes[m], *options.knots));
    }
    if (gaussian && sizes[m] <= groups.dim()) {
      out.push_back(fmt::format(
          "group \"{}\" has {} rows for {} features: its covariance is singular, and directions "
          "without spread are stretched far; use inb, or fewer features.",
          groups[m].name, sizes[m], groups.dim()));
    }
  }
  return out;
}

// A feature that one group holds constant and another does not usually means that it was not
// measured there: it can be moved, but not given a spread.
void warn_of_constant_features(const GroupSet& groups, Communicator& comm,
                               std::vector<std::string>& warnings) {
  const Index dim = groups.dim();
  const auto entries = static_cast<std::size_t>(dim * groups.num_groups());
  std::vector<double> low(entries, std::numeric_limits<double>::infinity());
  std::vector<double> high(entries, -std::numeric_limits<double>::infinity());
  for (Index m = 0; m < groups.num_groups(); ++m) {
    for (Index i = 0; i < groups[m].rows.rows(); ++i) {
      for (Index j = 0; j < dim; ++j) {
        low[m * dim + j] = std::min(low[m * dim + j], groups[m].rows(i, j));
        high[m * dim + j] = std::max(high[m * dim + j], groups[m].rows(i, j));
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

// Every option as text, by name.
struct OptionTexts {
  std::vector<std::pair<std::string_view, std::string>> texts = {};

  template <class T>
  void operator()(const OptionInfo& info, const T& value) {
    texts.emplace_back(info.name, text(value));
  }

  template <class T>
  static std::string text(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      return std::string(name_of(value));
    } else {
      return fmt::format("{}", value);
    }
  }
  template <class T>
  static std::string text(const std::optional<T>& value) {
    return value ? text(*value) : "unset";
  }
  static std::string text(const std::vector<double>& values) {
    return fmt::format("{}", fmt::join(values, ", "));
  }
};

// Threads do not change the bits of a fit.
void check_same_options(const FitOptions& earlier, const FitOptions& now) {
  OptionTexts before;
  OptionTexts after;
  visit_options(earlier, before);
  visit_options(now, after);
  for (std::size_t i = 0; i < before.texts.size(); ++i) {
    const auto& [name, text] = before.texts[i];
    if (name == "threads" || text == after.texts[i].second) continue;
    throw InvalidOption(fmt::format(
        "{} is {} but the fit to resume from had {}; give it the same options, or start anew.",
        name, after.texts[i].second, text));
  }
}

void check_same_groups(const Fit& earlier, const Fit& now) {
  if (earlier.flow.group_names() == now.flow.group_names() &&
      earlier.flow.dim() == now.flow.dim() &&
      earlier.record.group_sizes == now.record.group_sizes) {
    return;
  }
  throw InvalidData(
      "the fit to resume from had other groups, features or numbers of rows; give it the same "
      "data, or start anew.");
}

// One fit: the loop of the paper in run(), its steps below.
class Fitter {
 public:
  Fitter(const GroupSet& groups, const FitOptions& requested, Communicator& comm,
         const LayerCallback& on_layer, const FitControl& control)
      : comm_(comm),
        on_layer_(on_layer),
        control_(control),
        workers_(requested.threads),
        latent_(groups) {
    groups.validate();
    usable_ = all_rows(groups);
    FitRecord& record = fit_.record;
    record.group_sizes = count_rows(usable_, comm);
    check_groups(groups, record.group_sizes);
    const Index smallest = *std::min_element(record.group_sizes.begin(), record.group_sizes.end());
    record.options = resolve(requested, groups.dim(), groups.num_groups(), smallest);
    record.options.unit_cube = resolve_unit_cube(groups, record.options.unit_cube, comm);
    record.warnings = warnings_for(groups, record.group_sizes, record.options);
    warn_of_constant_features(groups, comm, record.warnings);
    fit_.flow = Flow(groups.names(), groups.dim());
  }

  Fit run() {
    const FitOptions& options = fit_.record.options;
    if (control_.resume != nullptr) take_up(*control_.resume);
    if (fit_.record.layers.empty()) {
      enter_unit_cube();
      open(options.method);
    }
    while (go_on_ && static_cast<Index>(fit_.record.layers.size()) < *options.layers) {
      add_sliced_layer();
    }
    leave_unit_cube();
    fit_.record.seconds = seconds_before_ + total_.seconds();
    return std::move(fit_);
  }

 private:
  /// Moves the groups through the layers of an earlier fit. A finished one has left the unit cube
  /// already, and goes back in.
  void take_up(const Fit& earlier) {
    check_same_options(earlier.record.options, fit_.record.options);
    check_same_groups(earlier, fit_);
    fit_.record.layers = earlier.record.layers;
    for (const auto& layer : earlier.flow.layers()) {
      if (layer->kind() != "normal-to-cube") append(layer);
    }
    seconds_before_ = earlier.record.seconds;
  }

  void open(Method method) {
    if (method == Method::kNb || method == Method::kNbInb || method == Method::kNbRandNb) {
      add_coordinate_layer();
    }
    if (method == Method::kGb || method == Method::kGbInb) add_affine_layer();
  }

  void add_sliced_layer() {
    const Stopwatch watch;
    const FitOptions& options = fit_.record.options;
    const auto layer = static_cast<Index>(fit_.record.layers.size());
    const LayerRows rows = choose_rows(usable_, fit_.record.group_sizes, layer, options, comm_);
    check_rows(latent_.groups(), rows, options.split, comm_);
    Stream stream(options.seed, Purpose::kDirections, static_cast<std::uint64_t>(layer));
    const Frame start = Frame::random(latent_.groups().dim(), *options.directions, stream);
    const SearchResult found =
        find_directions(sample(rows.search), options.weights, start, ascent_options(), workers_);
    LineMaps lines = fit_line_maps(latent_.groups(), rows.maps, &found.frame, strength(0.5),
                                   options, comm_, workers_);
    const auto fitted = std::make_shared<SlicedLayer>(found.frame, std::move(lines.maps),
                                                      std::move(lines.barycenters));
    append(fitted);
    finish(
        {.layer = layer,
         .kind = std::string(fitted->kind()),
         .spread_at_start = found.start_value,
         .spread_before = found.value,
         .spread_after = mean_spread(sample(rows.search), options.weights, found.frame, workers_),
         .steps = found.steps,
         .evaluations = found.evaluations,
         .passes = found.passes,
         .seconds = watch.seconds()});
  }

  void add_coordinate_layer() {
    const Stopwatch watch;
    LineMaps lines = fit_line_maps(latent_.groups(), usable_, nullptr, strength(1),
                                   fit_.record.options, comm_, workers_);
    append(std::make_shared<CoordinateLayer>(std::move(lines.maps), std::move(lines.barycenters)));
    finish({.kind = "coordinate", .seconds = watch.seconds()});
  }

  void add_affine_layer() {
    const Stopwatch watch;
    append(std::make_shared<AffineLayer>(fit_affine_layer(
        latent_.groups(), usable_, fit_.record.options.weights, strength(1), comm_, workers_)));
    finish({.kind = "affine", .seconds = watch.seconds()});
  }

  void enter_unit_cube() { cross_unit_cube(UnitCubeLayer::Way::kToNormal); }
  void leave_unit_cube() { cross_unit_cube(UnitCubeLayer::Way::kToCube); }

  void cross_unit_cube(UnitCubeLayer::Way way) {
    const FitOptions& options = fit_.record.options;
    if (options.unit_cube != UnitCube::kOn) return;
    append(std::make_shared<UnitCubeLayer>(latent_.groups().dim(), options.unit_cube_margin, way));
  }

  /// Processes search alone on the same sample; processors of different kinds may round
  /// differently.
  void share(Frame& frame) {
    Matrix columns = frame.columns();
    comm_.broadcast(std::span(columns.data(), static_cast<std::size_t>(columns.size())), 0);
    frame = Frame(std::move(columns));
  }

  SearchSample<float> sample(const RowChoice& rows) {
    return gather_search_sample<float>(latent_.groups(), rows, fit_.record.options.weights, comm_);
  }

  AscentOptions ascent_options() const {
    AscentOptions out;
    out.max_steps = fit_.record.options.search_steps;
    out.polar = fit_.record.options.polar_steps;
    return out;
  }

  double strength(double unset) const { return fit_.record.options.strength.value_or(unset); }

  void append(std::shared_ptr<const Layer> layer) {
    latent_.move(*layer, workers_);
    fit_.flow.append(std::move(layer));
  }

  void finish(LayerRecord record) {
    fit_.record.layers.push_back(std::move(record));
    fit_.record.seconds = seconds_before_ + total_.seconds();
    if (control_.on_progress) control_.on_progress(fit_);
    if (on_layer_) go_on_ = on_layer_(fit_.record.layers.back());
  }

  Communicator& comm_;
  const LayerCallback& on_layer_;
  const FitControl& control_;
  Stopwatch total_;
  double seconds_before_ = 0;
  Workers workers_;
  Latent latent_;
  RowChoice usable_;
  Fit fit_;
  bool go_on_ = true;
};

}  // namespace

Fit fit_flow(const GroupSet& groups, const FitOptions& options, Communicator& comm,
             const LayerCallback& on_layer, const FitControl& control) {
  return Fitter(groups, options, comm, on_layer, control).run();
}

Fit fit_flow(const GroupSet& groups, const FitOptions& options) {
  SelfCommunicator comm;
  return fit_flow(groups, options, comm, {});
}

}  // namespace conflux
