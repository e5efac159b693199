// Fitting. Work happens without the GIL; a fit takes it back after every layer to call the user's
// function and to see whether Ctrl-C was pressed.

#include <algorithm>
#include <functional>
#include <memory>

#include "bindings.h"
#include "caller_data.h"
#include "conflux/judging/judged_fit.h"
#include "conflux/storage/checkpoint.h"
#include "conflux/training/add_group.h"
#include "core/stopwatch.h"
#include "model_parts.h"
#include "option_dict.h"
#include "training/pool_draw.h"

namespace py = pybind11;

namespace conflux::python {

using namespace py::literals;

py::dict record_of(const LayerRecord& record) {
  py::dict out;
  visit_layer_record(record, [&](const char* name, const auto& value) { out[name] = value; });
  return out;
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

// By the digest a report knows the rows of the fit. Those of which some were drawn are known by
// their numbers, as whoever drew them has not all.
SharedModel model_of(Fit fit, const Columns& columns, const Names& features,
                     const std::string& group_column, const std::string& label_column,
                     const std::string& digest) {
  Model model{.flow = std::move(fit.flow),
              .record = std::move(fit.record),
              .feature_names = features,
              .group_column = group_column,
              .label_column = label_column,
              .columns = columns};
  if (model.record.given_sizes.empty()) model.metadata["data_digest"] = digest;
  return std::make_shared<Model>(std::move(model));
}

// Gives the rows of the data away.
SharedModel fit(CallerData& data, const py::dict& options, const std::string& group_column,
                const std::string& label_column, const py::object& on_layer) {
  const FitOptions chosen = options_from_dict(options);
  const LayerCallback callback = layer_callback(on_layer);

  const py::gil_scoped_release unlocked;
  validate(chosen);
  const Names features = data.groups().feature_names();
  const std::string digest = data_digest(data.groups());
  SelfCommunicator alone;
  Fit fitted = fit_flow(data.take_groups(), chosen, alone, callback, {.gaps = data.columns().gaps});
  return model_of(std::move(fitted), data.columns(), features, group_column, label_column, digest);
}

// Rows of a group of this size that a fit with these options draws, in order; the labels may be
// None. All rows of a group that is small enough.
py::array_t<Index> draw_rows(const py::dict& options, Index size,
                             const std::optional<GroupNumbers>& labels) {
  const FitOptions chosen = options_from_dict(options);
  std::vector<Index> rows;
  {
    const std::span<const Index> shown = labels ? span_of(*labels, size) : std::span<const Index>();
    const py::gil_scoped_release unlocked;
    rows = draw_rows_of_group(rows_to_fit(chosen), chosen.seed, size, shown);
  }
  return py::array_t<Index>(static_cast<Index>(rows.size()), rows.data());
}

// Calls the user's function with the bytes of a checkpoint, not more often than asked for.
std::function<void(const Fit&)> checkpoint_callback(const py::object& on_checkpoint, double seconds,
                                                    const std::string& digest) {
  auto since = std::make_shared<Stopwatch>();
  return [&on_checkpoint, seconds, digest, since](const Fit& so_far) {
    if (since->seconds() < seconds) return;
    *since = Stopwatch();
    const std::vector<std::byte> bytes = checkpoint_bytes(so_far, digest);
    const py::gil_scoped_acquire locked;
    on_checkpoint(py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  };
}

// The same on rows that draw_rows() has drawn from groups of these sizes, empty if all are there.
// Goes on from a checkpoint unless that is empty, and tells new ones.
SharedModel fit_drawn(CallerData& data, const py::dict& options, const std::string& group_column,
                      const std::string& label_column, const std::vector<Index>& drawn_from,
                      const py::bytes& checkpoint, const py::object& on_checkpoint,
                      double seconds) {
  FitOptions chosen = options_from_dict(options);
  const std::string_view earlier_bytes = checkpoint;

  const py::gil_scoped_release unlocked;
  validate(chosen);
  if (!drawn_from.empty()) fix_size_weights(chosen, drawn_from);
  const Names features = data.groups().feature_names();
  const std::string digest = data_digest(data.groups());
  Fit earlier;
  FitControl control{.on_progress = checkpoint_callback(on_checkpoint, seconds, digest),
                     .drawn_from = &drawn_from,
                     .gaps = data.columns().gaps};
  if (!earlier_bytes.empty()) {
    earlier = parse_checkpoint(std::as_bytes(std::span(earlier_bytes)), digest);
    control.resume = &earlier;
  }
  SelfCommunicator alone;
  Fit fitted = fit_flow(data.take_groups(), chosen, alone, {}, control);
  return model_of(std::move(fitted), data.columns(), features, group_column, label_column, digest);
}

// The same on all rows but some, which judge it: as rows of the group `to`, or in the shared space.
// Also returns which rows these are.
py::tuple fit_and_judge(CallerData& data, const py::dict& options, double unseen,
                        const std::string& to, const std::string& group_column,
                        const std::string& label_column, const py::object& on_layer) {
  const FitOptions chosen = options_from_dict(options);
  const LayerCallback callback = layer_callback(on_layer);
  py::array_t<bool> kept(data.num_rows());
  bool* is_kept = kept.mutable_data();
  std::fill_n(is_kept, data.num_rows(), false);
  SharedModel model;
  {
    const py::gil_scoped_release unlocked;
    validate(chosen);
    const Names features = data.groups().feature_names();
    const std::string digest = data_digest(data.groups());
    RowsToJudge rows = choose_rows_to_judge(data.take_groups(), unseen, chosen);
    for (std::size_t m = 0; m < rows.set_aside.size(); ++m) {
      for (const Index i : rows.set_aside[m]) is_kept[data.row_of(m, i)] = true;
    }
    SelfCommunicator alone;
    FitControl control = rows.control();
    control.groups_differ = true;
    control.gaps = data.columns().gaps;
    Fit fitted = fit_flow(std::move(rows.fitted), rows.options, alone, callback, control);
    judge_fit(fitted, rows, to);
    fitted.record.check = data.checked;
    model =
        model_of(std::move(fitted), data.columns(), features, group_column, label_column, digest);
  }
  return py::make_tuple(model, kept);
}

SharedModel leave(const CallerData& data, const py::dict& options, const std::string& group_column,
                  const std::string& label_column) {
  Fit fitted = fit_that_leaves(data.groups(), options_from_dict(options));
  fitted.record.check = data.checked;
  return model_of(std::move(fitted), data.columns(), data.groups().feature_names(), group_column,
                  label_column, data_digest(data.groups()));
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
  return std::make_shared<Model>(add_group(model, name, set[0].rows, set[0].masses, workers));
}

SharedModel with_table_group(const Model& model, const std::string& name, const Table& table,
                             const OptionalNumbers& masses, int threads) {
  const auto weights = masses_of(masses, table.num_rows());
  const py::gil_scoped_release unlocked;
  return std::make_shared<Model>(add_group(model, name, table, Workers(threads), weights));
}

void bind_fit(py::module_& module) {
  module.def("fit", &fit, py::arg("data"), py::arg("options"), py::arg("group_column"),
             py::arg("label_column"), py::arg("on_layer"));
  module.def("draw_rows", &draw_rows, py::arg("options"), py::arg("size"), py::arg("labels"));
  module.def("fit_drawn", &fit_drawn, py::arg("data"), py::arg("options"), py::arg("group_column"),
             py::arg("label_column"), py::arg("drawn_from"), py::arg("checkpoint"),
             py::arg("on_checkpoint"), py::arg("seconds"));
  module.def("fit_and_judge", &fit_and_judge, py::arg("data"), py::arg("options"),
             py::arg("unseen"), py::arg("to"), py::arg("group_column"), py::arg("label_column"),
             py::arg("on_layer"));
  module.def("leave", &leave, py::arg("data"), py::arg("options"), py::arg("group_column"),
             py::arg("label_column"));
}

}  // namespace conflux::python
