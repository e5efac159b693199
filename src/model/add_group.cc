#include <fmt/format.h>

#include <algorithm>

#include "conflux/columns/find_columns.h"
#include "conflux/core/error.h"
#include "conflux/model/model.h"
#include "fitting/layer_kinds.h"
#include "options/methods.h"

namespace conflux {

namespace {

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
    latent_.add(group[0].name, ConstRows(rows_), group[0].masses);
    latent_.set_covariates(group.covariates());
    if (chosen_[0].empty()) {
      throw InvalidData(fmt::format("group \"{}\" has no rows{}; give it rows.", group[0].name,
                                    rows_.rows() > 0 ? " with positive weight" : ""));
    }
  }

  Index num_rows() const { return static_cast<Index>(chosen_[0].size()); }
  bool inside_unit_cube() const { return rows_.minCoeff() >= 0 && rows_.maxCoeff() <= 1; }

  /// The layer with a map of the new group, which is moved by it.
  LayerPointer join(const LayerPointer& layer) {
    LayerPointer wider = widened(layer);
    ++place_;
    forward_in_place(*wider, number_, Rows(rows_), workers_);
    return wider;
  }

 private:
  LayerPointer widened(const LayerPointer& layer) const {
    if (layer->same_for_all_groups()) return layer;
    // Layers of a stage are widened as what they are in it.
    const LayerKind& main = layer_kind(method_info(options_.method).main_kind());
    const LayerKind& kind = main.stage_size != nullptr ? main : layer_kind(layer->kind());
    LayerPointer wider = kind.widen(layer, {.group = latent_,
                                            .chosen = chosen_,
                                            .place = place_,
                                            .strength = strength_of(kind.name, options_),
                                            .options = options_,
                                            .workers = workers_});
    if (wider != nullptr) return wider;
    throw InvalidData(
        "a layer of the model does not know its barycenter (those of trees of earlier "
        "versions do not); fit the model again with all groups.");
  }

  const FitOptions& options_;
  const Workers& workers_;
  Index number_;
  Index place_ = 0;  // of the next layer
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
  group.set_covariates(model.columns.num_covariates());
  Newcomer newcomer(model, group, workers);
  Model out = model;
  add_warnings(newcomer, name, model.record.options, out.record.warnings);
  out.record.group_sizes.push_back(newcomer.num_rows());
  out.record.options.weights.list.push_back(0);
  std::vector<std::string> names = model.flow.group_names();
  names.push_back(name);
  out.flow = Flow(std::move(names), model.flow.dim());
  for (const auto& layer : model.flow.layers()) out.flow.append(newcomer.join(layer));
  // Flows of labels do not know the new group, whose rows are moved by where they lie.
  for (const auto& each : model.flow.within()) out.flow.add_within(each->label, each->flow);
  for (WithinRecord& each : out.record.within) each.rows.push_back(0);
  out.flow.set_amount(model.flow.amount());
  return out;
}

Model add_group(const Model& model, const std::string& name, const Table& table,
                const Workers& workers, std::span<const double> weights) {
  Columns columns = model.columns;
  add_group(columns, table, workers);
  const Index group = model.flow.num_groups();
  const std::vector<Index> groups(static_cast<std::size_t>(table.num_rows()), group);
  const std::vector<Matrix> rows = coordinates_by_group(columns, table, groups, group + 1, workers);
  Model out = add_group(model, name, rows.back(), weights, workers);
  out.columns = std::move(columns);
  return out;
}

}  // namespace conflux
