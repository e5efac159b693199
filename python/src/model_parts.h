// Parts that the bindings of models share.

#pragma once

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conflux/model/model.h"
#include "samples.h"

namespace conflux::python {

using Names = std::vector<std::string>;
using OptionalNumbers = std::optional<Numbers>;

/// Models never change, so Python may share them; pybind11 has no holder of const.
using SharedModel = std::shared_ptr<Model>;

/// A layer together with the model that has its number of groups.
struct LayerOf {
  std::shared_ptr<const Model> model;
  Index number;

  const Layer& layer() const { return model->flow.layer(number); }
};

pybind11::dict record_of(const LayerRecord& record);

/// One group number per row; throws InvalidData for another number of them.
std::span<const std::int64_t> span_of(const GroupNumbers& groups, Index rows);

void check_columns(const Model& model, const Samples& samples);

/// Rows through the maps of their groups. `from` is None for rows of the shared space, `to` for
/// rows that stay there; `labels` are positions among Model.label_names, -1 or None for unknown.
/// Returns rows and log-dets, None for what is not wanted.
pybind11::tuple move_rows(const Model& model, const pybind11::array& x,
                          const std::optional<GroupNumbers>& from,
                          const std::optional<GroupNumbers>& to,
                          const std::optional<GroupNumbers>& labels, bool want_rows,
                          bool want_log_det, int threads);

SharedModel with_group(const Model& model, const std::string& name, const pybind11::array& x,
                       const OptionalNumbers& masses, int threads);

/// The same from a table, for a model with columns.
SharedModel with_table_group(const Model& model, const std::string& name, const Table& table,
                             const OptionalNumbers& masses, int threads);

/// The columns of a model, or None.
pybind11::object columns_of(const Model& model);

}  // namespace conflux::python
