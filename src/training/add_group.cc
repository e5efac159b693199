#include "conflux/training/add_group.h"

#include <fmt/format.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "fitting/gated_fit.h"
#include "fitting/gaussian_barycenter.h"
#include "fitting/line_maps.h"
#include "flow/coordinate_layer.h"
#include "flow/sliced_layer.h"
#include "flow/unit_cube_layer.h"
#include "training/density_destructor.h"

namespace conflux {

namespace {

// Files of the first version left the strength of sliced layers unset.
constexpr double kStrengthOfVersion1 = 0.5;

void check_group(const Model& model, const GroupSet& group) {
  const std::vector<std::string>& names = model.flow.group_names();
  if (std::find(names.begin(), names.end(), group[0].name) != names.end()) {
    throw InvalidOption(fmt::format(
        "the model has a group \"{}\" already; give the new group another name.", group[0].name));
  }
  if (group.dim() != model.flow.dim()) {
    throw InvalidData(fmt::format(
        "the rows of group \"{}\" have {} columns but the model was fitted on {}; give the same "
        "features.",
        group[0].name, group.dim(), model.flow.dim()));
  }
  group.validate();
}

// The new group on its way to the shared space, and the layers it has passed.
class Newcomer {
 public:
  Newcomer(const Model& model, const GroupSet& group, const Workers& workers)
      : options_(model.record.options),
        workers_(workers),
        number_(model.flow.num_groups()),
        chosen_(all_rows(group)),
        rows_(group[0].rows.to_matrix()) {
    latent_.add(group[0].name, ConstRows(rows_), group[0].weights);
    if (chosen_[0].empty()) {
      throw InvalidData(fmt::format("group \"{}\" has no rows{}; give it rows.", group[0].name,
                                    rows_.rows() > 0 ? " with positive weight" : ""));
    }
  }

  Index num_rows() const { return static_cast<Index>(chosen_[0].size()); }
  bool inside_unit_cube() const { return rows_.minCoeff() >= 0 && rows_.maxCoeff() <= 1; }

  /// The layer with a map of the new group, which is moved by it.
  std::shared_ptr<const Layer> join(const std::shared_ptr<const Layer>& layer) {
    std::shared_ptr<const Layer> wider = widened(layer);
    ++position_;
    forward_in_place(*wider, number_, Rows(rows_), workers_);
    return wider;
  }

 private:
  std::shared_ptr<const Layer> widened(const std::shared_ptr<const Layer>& layer) {
    if (layer->same_for_all_groups()) return layer;
    if (options_.method == Method::kDd) {
      return with_destructor(layer, position_, latent_, chosen_, options_, workers_);
    }
    if (const auto* sliced = dynamic_cast<const SlicedLayer*>(layer.get())) {
      LineMaps lines = with_new_maps(sliced->maps(), sliced->barycenters(), &sliced->frame(),
                                     options_.strength.value_or(kStrengthOfVersion1));
      return std::make_shared<SlicedLayer>(sliced->frame(), std::move(lines.maps),
                                           std::move(lines.barycenters));
    }
    if (const auto* coordinate = dynamic_cast<const CoordinateLayer*>(layer.get())) {
      LineMaps lines =
          with_new_maps(coordinate->maps(), coordinate->barycenters(), nullptr, opening_strength());
      return std::make_shared<CoordinateLayer>(std::move(lines.maps), std::move(lines.barycenters));
    }
    if (const auto* gated = dynamic_cast<const GatedLayer*>(layer.get())) {
      if (gated->barycenters().empty()) refuse();
      return std::make_shared<GatedLayer>(with_group(*gated, latent_, chosen_, *options_.strength,
                                                     gate_settings(options_, gated->dim()),
                                                     workers_));
    }
    const auto* affine = dynamic_cast<const AffineLayer*>(layer.get());
    if (affine == nullptr || affine->barycenter().mean.size() == 0) refuse();
    std::vector<AffineLayer::Map> maps = affine->maps();
    maps.push_back(
        fit_affine_map(latent_, chosen_, affine->barycenter(), opening_strength(), workers_));
    return std::make_shared<AffineLayer>(std::move(maps), affine->barycenter());
  }

  LineMaps with_new_maps(const std::vector<std::vector<MonotoneMap>>& maps,
                         const Matrix& barycenters, const Frame* frame, double strength) {
    LineMaps lines{maps, barycenters};
    const bool histograms = std::holds_alternative<HistogramMap>(maps.front().front());
    if (!histograms && barycenters.size() == 0) refuse();
    add_line_maps(lines, latent_, chosen_, frame, strength, options_, workers_);
    return lines;
  }

  /// Only a layer that is alone is weaker than 1.
  double opening_strength() const {
    const bool alone = options_.method == Method::kNb || options_.method == Method::kGb;
    return alone ? options_.strength.value_or(1) : 1;
  }

  [[noreturn]] static void refuse() {
    throw InvalidData(
        "a layer of the model does not know its barycenter (layers of trees never do); fit the "
        "model "
        "again with all groups.");
  }

  const FitOptions& options_;
  const Workers& workers_;
  Index number_;
  Index position_ = 0;  // of the next layer
  RowChoice chosen_;
  Matrix rows_;
  GroupSet latent_;
};

void add_warnings(const Newcomer& newcomer, const std::string& name, const FitOptions& options,
                  std::vector<std::string>& warnings) {
  if (options.estimator == Estimator::kQuantile &&
      newcomer.num_rows() < options.knots.value_or(0)) {
    warnings.push_back(
        fmt::format("group \"{}\" has {} rows for {} knots: its maps follow single rows closely.",
                    name, newcomer.num_rows(), *options.knots));
  }
  if (options.unit_cube == UnitCube::kOn && !newcomer.inside_unit_cube()) {
    warnings.push_back(fmt::format(
        "group \"{}\" has values outside [0, 1], where the other groups have none.", name));
  }
}

}  // namespace

Model add_group(const Model& model, const std::string& name, SampleRows rows,
                std::span<const double> weights, const Workers& workers) {
  GroupSet group;
  group.add(name, rows, weights);
  check_group(model, group);
  Newcomer newcomer(model, group, workers);
  Model out = model;
  add_warnings(newcomer, name, model.record.options, out.record.warnings);
  out.record.group_sizes.push_back(newcomer.num_rows());
  out.record.options.weights.list.push_back(0);
  std::vector<std::string> names = model.flow.group_names();
  names.push_back(name);
  out.flow = Flow(std::move(names), model.flow.dim());
  for (const auto& layer : model.flow.layers()) out.flow.append(newcomer.join(layer));
  return out;
}

}  // namespace conflux
