// Fitting. Work happens without the GIL; a fit takes it back after every layer to call the user's
// function and to see whether Ctrl-C was pressed.

#include "bindings.h"
#include "caller_groups.h"
#include "conflux/training/add_group.h"
#include "model_parts.h"
#include "option_dict.h"

namespace py = pybind11;

namespace conflux::python {

using namespace py::literals;

py::dict record_of(const LayerRecord& record) {
  return py::dict(
      "layer"_a = record.layer, "kind"_a = record.kind,
      "spread_at_start"_a = record.spread_at_start, "spread_before"_a = record.spread_before,
      "spread_after"_a = record.spread_after, "held_out"_a = record.held_out,
      "steps"_a = record.steps, "evaluations"_a = record.evaluations, "passes"_a = record.passes,
      "seconds"_a = record.seconds, "product_seconds"_a = record.product_seconds,
      "sort_seconds"_a = record.sort_seconds, "flops"_a = record.flops, "bytes"_a = record.bytes);
}

namespace {

// Raises KeyboardInterrupt if it is due, then asks the user's function whether to stop.
LayerCallback layer_callback(const py::object& on_layer) {
  return [&on_layer](const LayerRecord& record) {
    const py::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (on_layer.is_none()) return true;
    return !py::bool_(on_layer(record_of(record)));
  };
}

SharedModel fit(const py::array& x, const GroupNumbers& groups, const Names& group_names,
                const OptionalNumbers& masses, const GroupNumbers& labels, const Names& label_names,
                const py::dict& options, const Names& feature_names,
                const std::string& group_column, const std::string& label_column,
                const py::object& on_layer) {
  CallerGroups caller(x, {.groups = groups,
                          .group_names = group_names,
                          .masses = masses,
                          .labels = labels,
                          .label_names = label_names,
                          .feature_names = feature_names});
  const FitOptions chosen = options_from_dict(options);
  const LayerCallback callback = layer_callback(on_layer);

  const py::gil_scoped_release unlocked;
  validate(chosen);
  SelfCommunicator alone;
  Fit fitted = fit_flow(caller.group_set(Workers(chosen.threads)), chosen, alone, callback);
  return std::make_shared<Model>(Model{.flow = std::move(fitted.flow),
                                       .record = std::move(fitted.record),
                                       .feature_names = feature_names,
                                       .group_column = group_column,
                                       .label_column = label_column});
}

}  // namespace

SharedModel with_group(const Model& model, const std::string& name, const py::array& x,
                       const OptionalNumbers& masses, int threads) {
  check_columns(model, Samples(x));
  CallerGroups caller(
      x, {.group_names = {name}, .masses = masses, .feature_names = model.feature_names});
  const py::gil_scoped_release unlocked;
  const Workers workers(threads);
  const GroupSet set = caller.group_set(workers);
  return std::make_shared<Model>(add_group(model, name, set[0].rows, set[0].weights, workers));
}

void bind_fit(py::module_& module) {
  module.def("fit", &fit, py::arg("x"), py::arg("groups"), py::arg("group_names"),
             py::arg("masses"), py::arg("labels"), py::arg("label_names"), py::arg("options"),
             py::arg("feature_names"), py::arg("group_column"), py::arg("label_column"),
             py::arg("on_layer"));
}

}  // namespace conflux::python
