#include "conflux/training/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "conflux/core/error.h"
#include "core/stopwatch.h"
#include "fitting/gated_fit.h"
#include "fitting/gaussian_barycenter.h"
#include "fitting/line_maps.h"
#include "fitting/patches.h"
#include "fitting/row_choice.h"
#include "fitting/scores.h"
#include "fitting/tree_fit.h"
#include "flow/coordinate_layer.h"
#include "flow/score_layer.h"
#include "flow/sliced_layer.h"
#include "flow/unit_cube_layer.h"
#include "slicing/direction_search.h"
#include "training/density_destructor.h"
#include "training/held_out.h"
#include "training/inspection.h"
#include "training/latent.h"
#include "training/resumption.h"

namespace conflux {

namespace {

// Directions that gates are mixed from.
constexpr Index kGatingBasis = 30;
// Part of the groups that must lie in kinds which they share.
constexpr double kLeastShared = 0.9;

bool opens_with_nb(Method method) {
  return method == Method::kNb || method == Method::kNbInb || method == Method::kNbRandNb;
}

void check_labels(const GroupSet& groups, Gating gate) {
  if (gate != Gating::kLabel || groups.label_names().size() > 1) return;
  throw InvalidOption(fmt::format(
      "gate is label but the rows have {}; name a column of labels, or choose gate auto.",
      groups.label_names().empty() ? "no labels" : "one label only"));
}

// One fit: the loop of the paper in run(), its steps below.
class Fitter {
 public:
  Fitter(GroupSet given, const FitOptions& requested, Communicator& comm,
         const LayerCallback& on_layer, const FitControl& control)
      : comm_(comm),
        on_layer_(on_layer),
        control_(control),
        workers_(requested.threads),
        latent_(std::move(given)) {
    const GroupSet& groups = latent_.groups();
    usable_ = all_rows(groups);
    fit_ = begin_fit(groups, usable_, requested, comm);
    FitRecord& record = fit_.record;
    image_ = parse_image_shape(record.options.image, groups.dim());
    check_labels(groups, record.options.gate);
    held_out_.emplace(usable_, groups, *record.options.validation_fraction, record.options.seed,
                      comm);
    fitted_sizes_ = count_rows(usable_, comm);
    record.warnings = find_warnings(groups, usable_, fitted_sizes_, record.options, comm);
  }

  Fit run() {
    const FitOptions& options = fit_.record.options;
    enter_latent_units();
    centre_ = common_centre_and_scale(latent_.groups(), usable_, search_weights(), comm_);
    judge_the_start();
    look_for_gates();
    if (control_.resume != nullptr) take_up(*control_.resume);
    if (fit_.record.layers.empty()) open(options.method);
    while (go_on_ && !out_of_patience() && num_layers() < *options.layers) add_layer();
    keep_what_helps();
    leave_latent_units();
    fit_.record.seconds = seconds_before_ + total_.seconds();
    return std::move(fit_);
  }

 private:
  Index num_layers() const { return static_cast<Index>(fit_.record.layers.size()); }

  /// Moves the groups through the layers of an earlier fit. One that held-out rows have replaced by
  /// an NB layer has none to go on from.
  void take_up(const Fit& earlier) {
    check_same_options(earlier.record.options, fit_.record.options);
    check_same_groups(earlier, fit_);
    seconds_before_ = earlier.record.seconds;
    const std::vector<LayerRecord>& records = earlier.record.layers;
    if (!records.empty() && records.front().kind == "coordinate" &&
        !opens_with_nb(fit_.record.options.method)) {
      return;
    }
    fit_.record.layers = records;
    for (const auto& layer : earlier.flow.layers()) {
      if (layer->same_for_all_groups()) continue;  // entered and left by this fit itself
      append(layer);
      judge();
    }
  }

  /// What held-out rows say before the first layer, and after NB alone.
  void judge_the_start() {
    if (!held_out_->exists()) return;
    const GroupSet& latent = latent_.groups();
    fit_.record.held_out_at_start = judge();
    if (opens_with_nb(fit_.record.options.method)) return;
    LineMaps lines =
        fit_line_maps(latent, usable_, nullptr, 1, fit_.record.options, comm_, workers_);
    nb_ = std::make_shared<CoordinateLayer>(std::move(lines.maps), std::move(lines.barycenters));
    judged_nb_ = held_out_->judge_after(*nb_, latent, comm_, workers_);
    fit_.record.held_out_nb = judged_nb_.divergence;
  }

  /// Adds what held-out rows say of the layers so far; nothing when none are held out.
  std::optional<double> judge() {
    if (!held_out_->exists()) return std::nullopt;
    judged_.push_back(held_out_->judge(latent_.groups(), comm_, workers_));
    return judged_.back().divergence;
  }

  bool out_of_patience() const {
    return held_out_->exists() &&
           num_layers() - layers_worth_keeping(judged_) >= fit_.record.options.patience;
  }

  /// Drops the layers from which held-out rows gained nothing.
  void keep_what_helps() {
    if (!held_out_->exists()) return;
    FitRecord& record = fit_.record;
    Index kept = layers_worth_keeping(judged_);
    const Judgement& end = judged_[static_cast<std::size_t>(kept)];
    const bool nb_is_better = nb_ != nullptr && clearly_better(judged_nb_, end);
    if (nb_is_better) kept = 0;
    drop_last_layers(num_layers() - kept);
    record.dropped_layers.assign(record.layers.begin() + kept, record.layers.end());
    record.layers.resize(static_cast<std::size_t>(kept));
    if (nb_is_better) {
      fit_.flow.append(nb_);
      record.layers = {{.kind = "coordinate", .held_out = record.held_out_nb}};
      record.warnings.push_back(
          "held-out rows came nearest to each other by one map per feature (nb), which replaces "
          "the "
          "fitted layers; more rows may allow more.");
    } else if (kept == 0) {
      record.warnings.push_back(
          "no layer brought held-out rows of the groups clearly nearer to each other: the rows "
          "stay "
          "where they are; the groups are alike already, or more rows are needed.");
    }
  }

  void drop_last_layers(Index count) {
    const Flow whole = std::move(fit_.flow);
    fit_.flow = Flow(whole.group_names(), whole.dim());
    for (Index l = 0; l < whole.num_layers() - count; ++l) fit_.flow.append(whole.layers()[l]);
  }

  void open(Method method) {
    if (opens_with_nb(method)) add_coordinate_layer();
    if (method == Method::kGb || method == Method::kGbInb) add_affine_layer();
  }

  /// Gates look at the directions in which rows differ within their groups, as the data have them:
  /// shifts between groups do not count, and a resumed fit finds the same.
  void look_for_gates() {
    const FitOptions& options = fit_.record.options;
    if (options.gate == Gating::kNone) return;
    gating_basis_ = gating_basis(latent_.groups(), usable_, options.weights.list, kGatingBasis,
                                 comm_, workers_);
  }

  /// False when the kinds that were found are single groups, which have nothing to be aligned with:
  /// whole groups must come closer first.
  bool add_gated_layer() {
    const FitOptions& options = fit_.record.options;
    if (options.gate == Gating::kNone) return false;
    const Stopwatch watch;
    const GroupSet& latent = latent_.groups();
    const Index layer = num_layers();
    GateSettings settings = gate_settings(options, latent.dim());
    settings.gating = std::min(settings.gating, gating_basis_.cols());
    const LayerRows rows = choose_rows(usable_, fitted_sizes_, layer, options, comm_);
    Stream stream(options.seed, Purpose::kGate, static_cast<std::uint64_t>(layer));
    const bool by_label = options.gate == Gating::kLabel;
    // Rare labels need every row that shows them.
    const Gate gate = fit_gate(latent, by_label ? rows.maps() : rows.search, gating_basis_,
                               settings, stream, comm_, workers_);
    const std::vector<Matrix> shares = shares_of(gate, latent, rows.search, settings, workers_);
    if (!by_label && shared_mass(shares, options.weights.list, settings, comm_) < kLeastShared) {
      return false;
    }
    SearchResult found =
        find_gated_directions(latent, rows.search, gate, shares, search_weights(),
                              *options.directions, gated_ascent(), stream, comm_, workers_);
    share(found.frame);
    append(std::make_shared<GatedLayer>(fit_gated_layer(latent, rows.maps(), found.frame, gate,
                                                        *options.strength, settings, options, comm_,
                                                        workers_)));
    const double spread_after = spread_within_kinds(latent, rows.search, gate, shares,
                                                    search_weights(), found.frame, comm_, workers_);
    finish(record_of(found, "gated", spread_after, watch));
    return true;
  }

  LayerRecord record_of(const SearchResult& found, std::string_view kind, double spread_after,
                        const Stopwatch& watch) const {
    return {.layer = num_layers(),
            .kind = std::string(kind),
            .spread_at_start = found.start_value,
            .spread_before = found.value,
            .spread_after = spread_after,
            .steps = found.steps,
            .evaluations = found.evaluations,
            .passes = found.passes,
            .seconds = watch.seconds(),
            .product_seconds = found.work.product_seconds,
            .sort_seconds = found.work.sort_seconds,
            .flops = found.work.flops,
            .bytes = found.work.bytes};
  }

  void add_layer() {
    const Method method = fit_.record.options.method;
    const bool even = num_layers() % 2 == 0;
    if (method == Method::kTree || (method == Method::kTreeInb && even)) {
      add_tree_layer();
    } else if (!add_gated_layer()) {
      add_sliced_layer();
    }
  }

  void add_tree_layer() {
    const Stopwatch watch;
    const FitOptions& options = fit_.record.options;
    const Index layer = num_layers();
    const LayerRows rows = choose_rows(usable_, fitted_sizes_, layer, options, comm_);
    check_rows(latent_.groups(), rows, options.split, comm_);
    append(std::make_shared<TreeLayer>(fit_tree_layer(latent_.groups(), rows.search, rows.maps(),
                                                      tree_strength(), options, comm_, workers_)));
    finish({.layer = layer, .kind = "tree", .seconds = watch.seconds()});
  }

  void add_sliced_layer() {
    const Stopwatch watch;
    const FitOptions& options = fit_.record.options;
    const Index layer = num_layers();
    const LayerRows rows = choose_rows(usable_, fitted_sizes_, layer, options, comm_);
    check_rows(latent_.groups(), rows, options.split, comm_);
    SearchResult found = search(layer, rows.search);
    share(found.frame);
    Work& work = found.work;
    const auto num_rows = static_cast<double>(latent_.groups().num_samples());
    const auto dim = static_cast<double>(latent_.groups().dim());
    const auto k = static_cast<double>(found.frame.directions());
    const Stopwatch project_watch;
    Projections projections = latent_.project(found.frame, workers_);
    work.add_product(num_rows, dim, k, latent_.bytes_per_value(), 1, project_watch.seconds());
    const Stopwatch map_watch;
    const auto read_line = [&](Index m, Index line, std::span<double> values) {
      projections.copy(m, line, rows.maps()[m], values);
    };
    LineMaps lines = fit_line_maps(found.frame.directions(), read_line, latent_.groups(),
                                   rows.maps(), *options.strength, options, comm_, workers_);
    work.sort_seconds += map_watch.seconds();
    const auto fitted = std::make_shared<SlicedLayer>(found.frame, std::move(lines.maps),
                                                      std::move(lines.barycenters));
    const Stopwatch move_watch;
    latent_.move_along(*fitted, projections, workers_);
    work.add_product(num_rows, dim, k, latent_.bytes_per_value(), 2, move_watch.seconds());
    fit_.flow.append(fitted);
    const double spread_after = mean_spread_of(projections, rows.search);
    finish(record_of(found, fitted->kind(), spread_after, watch));
  }

  /// Directions for a layer: in all features, or for every second layer on images in those of a
  /// patch, with zeros elsewhere.
  SearchResult search(Index layer, const RowChoice& rows) {
    const FitOptions& options = fit_.record.options;
    const std::vector<Index> features = image_ && layer % 2 == 1
                                            ? random_patch(*image_, options.seed, layer)
                                            : std::vector<Index>();
    const SearchSample<float> sample = gather_search_sample<float>(
        latent_.groups(), rows, search_weights(), comm_, workers_, &*centre_, features);
    Stream stream(options.seed, Purpose::kDirections, static_cast<std::uint64_t>(layer));
    const Frame start =
        Frame::random(sample.dim(), std::min(*options.directions, sample.dim()), stream);
    SearchResult found =
        find_directions(sample, search_weights(), start, search_options(), workers_);
    if (features.empty()) return found;
    Matrix columns = Matrix::Zero(latent_.groups().dim(), found.frame.directions());
    for (std::size_t f = 0; f < features.size(); ++f) {
      columns.row(features[f]) = found.frame.columns().row(static_cast<Index>(f));
    }
    found.frame = Frame(std::move(columns));
    return found;
  }

  /// Mean spread along lines, from the values of some rows on them.
  double mean_spread_of(const Projections& projections, const RowChoice& chosen) {
    GroupSet values;
    RowChoice all;
    for (Index m = 0; m < latent_.groups().num_groups(); ++m) {
      const Group& group = latent_.groups()[m];
      std::vector<double> masses;
      for (const Index i : chosen[m]) {
        if (!group.weights.empty()) masses.push_back(group.weights[i]);
      }
      Matrix lines(projections.num_lines(), static_cast<Index>(chosen[m].size()));
      for (Index line = 0; line < lines.rows(); ++line) {
        projections.copy(m, line, chosen[m], std::span(lines.row(line).data(), chosen[m].size()));
      }
      values.add(group.name, Matrix(lines.transpose()), std::move(masses));
      all.emplace_back(chosen[m].size());
      std::iota(all.back().begin(), all.back().end(), Index{0});
    }
    const Index k = values.dim();
    return mean_spread(gather_search_sample<float>(values, all, search_weights(), comm_, workers_),
                       search_weights(), Frame(Matrix::Identity(k, k)), workers_);
  }

  void add_coordinate_layer() {
    const Stopwatch watch;
    LineMaps lines = fit_line_maps(latent_.groups(), usable_, nullptr, opening_strength(),
                                   fit_.record.options, comm_, workers_);
    append(std::make_shared<CoordinateLayer>(std::move(lines.maps), std::move(lines.barycenters)));
    finish({.kind = "coordinate", .seconds = watch.seconds()});
  }

  void add_affine_layer() {
    const Stopwatch watch;
    append(std::make_shared<AffineLayer>(fit_affine_layer(latent_.groups(), usable_,
                                                          fit_.record.options.weights.list,
                                                          opening_strength(), comm_, workers_)));
    finish({.kind = "affine", .seconds = watch.seconds()});
  }

  /// Layers see normal scores: of the unit cube, or of features over all groups. Whoever uses the
  /// flow sees the units of the data.
  void enter_latent_units() {
    const FitOptions& options = fit_.record.options;
    if (options.unit_cube == UnitCube::kOn) append(unit_cube_layer(UnitCubeLayer::Way::kToNormal));
    if (options.scale == Scaling::kNormal) {
      scores_ = score_maps(latent_.groups(), usable_, comm_);
      append(std::make_shared<ScoreLayer>(scores_, ScoreLayer::Way::kToScores));
    }
  }
  void leave_latent_units() {
    const FitOptions& options = fit_.record.options;
    if (options.unit_cube == UnitCube::kOn) {
      fit_.flow.append(unit_cube_layer(UnitCubeLayer::Way::kToCube));
    }
    if (options.scale == Scaling::kNormal) {
      fit_.flow.append(std::make_shared<ScoreLayer>(scores_, ScoreLayer::Way::kFromScores));
    }
  }

  std::shared_ptr<const Layer> unit_cube_layer(UnitCubeLayer::Way way) const {
    return std::make_shared<UnitCubeLayer>(fit_.flow.dim(), fit_.record.options.unit_cube_margin,
                                           way);
  }

  /// Processes search alone on the same sample; processors of different kinds may round
  /// differently.
  void share(Frame& frame) {
    Matrix columns = frame.columns();
    comm_.broadcast(std::span(columns.data(), static_cast<std::size_t>(columns.size())), 0);
    frame = Frame(std::move(columns));
  }

  /// Half of the weights in the barycenter, half even: groups without weight are moved too, and
  /// must be seen.
  std::vector<double> search_weights() const {
    std::vector<double> out = fit_.record.options.weights.list;
    for (double& weight : out) weight = 0.5 * (weight + 1 / static_cast<double>(out.size()));
    return out;
  }

  /// The climb within kinds has no inner steps, and makes half as many in their place.
  AscentOptions gated_ascent() const {
    AscentOptions out = search_options().ascent;
    out.max_steps *= std::max<Index>(1, fit_.record.options.inner_steps / 2);
    return out;
  }

  SearchOptions search_options() const {
    const FitOptions& options = fit_.record.options;
    SearchOptions out;
    out.ascent.max_steps = options.search_steps;
    out.ascent.polar = options.polar_steps;
    out.inner_steps = options.inner_steps;
    return out;
  }

  // Trees by themselves have the strength of the options; in turn with sliced layers they have full
  // strength, as opening layers do.
  double tree_strength() const {
    return fit_.record.options.method == Method::kTree ? *fit_.record.options.strength : 1;
  }

  double opening_strength() const {
    const FitOptions& options = fit_.record.options;
    const bool alone = options.method == Method::kNb || options.method == Method::kGb;
    return alone ? *options.strength : 1;
  }

  void append(std::shared_ptr<const Layer> layer) {
    latent_.move(*layer, workers_);
    fit_.flow.append(std::move(layer));
  }

  void finish(LayerRecord record) {
    record.held_out = judge();
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
  std::optional<CentreAndScale> centre_;
  std::optional<ImageShape> image_;
  RowChoice usable_;
  Matrix gating_basis_;
  std::vector<PiecewiseLinearMap> scores_;
  std::optional<HeldOut> held_out_;
  std::vector<Index> fitted_sizes_;
  std::vector<Judgement> judged_;  // before the first layer, and after each
  std::shared_ptr<const Layer> nb_;
  Judgement judged_nb_;
  Fit fit_;
  bool go_on_ = true;
};

}  // namespace

Fit fit_flow(GroupSet groups, const FitOptions& options, Communicator& comm,
             const LayerCallback& on_layer, const FitControl& control) {
  if (options.method == Method::kDd) {
    return fit_density_destructors(std::move(groups), options, comm, on_layer, control);
  }
  return Fitter(std::move(groups), options, comm, on_layer, control).run();
}

Fit fit_flow(GroupSet groups, const FitOptions& options) {
  SelfCommunicator comm;
  return fit_flow(std::move(groups), options, comm, {});
}

}  // namespace conflux
