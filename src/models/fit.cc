#include "conflux/models/fit.h"

#include <algorithm>

#include "conflux/core/stopwatch.h"
#include "conflux/flow/coordinate_layer.h"
#include "conflux/flow/sliced_layer.h"
#include "conflux/flow/unit_cube_layer.h"
#include "conflux/models/gaussian_barycenter.h"
#include "conflux/models/line_maps.h"
#include "conflux/slicing/direction_search.h"
#include "models/inspection.h"
#include "models/resumption.h"
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
    record.warnings = find_warnings(groups, record.group_sizes, record.options, comm);
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
    SearchResult found =
        find_directions(sample(rows.search), options.weights, start, ascent_options(), workers_);
    share(found.frame);
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
