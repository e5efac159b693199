// Fitting. Work happens without the GIL; a fit takes it back after every layer to call the user's
// function and to see whether Ctrl-C was pressed.

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>

#include "bindings.h"
#include "caller_data.h"
#include "check_dict.h"
#include "conflux/aligning/align.h"
#include "conflux/model/model.h"
#include "conflux/storage/checkpoint.h"
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

// Raises KeyboardInterrupt if it is pending, then calls the user's function, which may stop the
// fit.
LayerCallback layer_callback(const py::object& on_layer) {
  return [&on_layer](const LayerRecord& record) {
    const py::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (on_layer.is_none()) return true;
    return !py::bool_(on_layer(record_of(record)));
  };
}

// Moves the rows out of the data. The result is not scored: estimators call the evaluation.
SharedModel fit(CallerData& data, const py::dict& options, const std::string& group_column,
                const std::string& label_column, const py::object& on_layer) {
  const AlignOptions chosen{
      .fit = options_from_dict(options), .unseen = 0, .gate_by_labels = false, .judge = false};
  const LayerCallback callback = layer_callback(on_layer);

  const py::gil_scoped_release unlocked;
  validate(chosen.fit);
  return std::make_shared<Model>(
      fit_model(data.take(group_column, label_column), chosen, {.on_layer = callback}).model);
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

// Calls the user's function with the bytes of a checkpoint, at most as often as requested.
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

// Drawn rows, all of which are fitted.
Pool all_of(const GroupSet& groups, std::vector<Index> drawn_from) {
  Pool out{.sizes = std::move(drawn_from)};
  for (Index m = 0; m < groups.num_groups(); ++m) {
    std::vector<Index>& rows =
        out.fitted.emplace_back(static_cast<std::size_t>(groups[m].rows.rows()));
    std::iota(rows.begin(), rows.end(), Index{0});
    out.next.emplace_back();
  }
  return out;
}

// The same on rows that draw_rows() has sampled from groups of these sizes, empty if all are there.
// Continues from a checkpoint unless that is empty, and calls back with new ones.
SharedModel fit_drawn(CallerData& data, const py::dict& options, const std::string& group_column,
                      const std::string& label_column, const std::vector<Index>& drawn_from,
                      const py::bytes& checkpoint, const py::object& on_checkpoint,
                      double seconds) {
  const AlignOptions chosen{
      .fit = options_from_dict(options), .unseen = 0, .gate_by_labels = false, .judge = false};
  const std::string_view earlier_bytes = checkpoint;

  const py::gil_scoped_release unlocked;
  validate(chosen.fit);
  Dataset rows = data.take(group_column, label_column);
  AlignHooks hooks{.digest = digest_of(rows)};
  const std::string unfinished = checkpoint_digest(rows.groups, hooks.digest);
  hooks.on_progress = checkpoint_callback(on_checkpoint, seconds, unfinished);
  if (!drawn_from.empty()) rows.pool = all_of(rows.groups, drawn_from);
  Fit earlier;
  if (!earlier_bytes.empty()) {
    earlier = parse_checkpoint(std::as_bytes(std::span(earlier_bytes)), unfinished);
    hooks.resume = &earlier;
  }
  return std::make_shared<Model>(fit_model(std::move(rows), chosen, hooks).model);
}

// The whole way: check, fit on all rows but some, which judge it as rows of the group `to`, or in
// the shared space. Also returns which rows these are, and what the check has found.
py::tuple align_rows(CallerData& data, const py::dict& options, double unseen,
                     const std::string& to, const std::string& group_column,
                     const std::string& label_column, const py::object& on_layer) {
  const AlignOptions chosen{
      .fit = options_from_dict(options), .unseen = unseen, .to = to, .gate_by_labels = false};
  const LayerCallback callback = layer_callback(on_layer);
  py::array_t<bool> kept(data.num_rows());
  bool* is_kept = kept.mutable_data();
  std::fill_n(is_kept, data.num_rows(), false);
  Aligned done;
  {
    const py::gil_scoped_release unlocked;
    validate(chosen.fit);
    done = align(data.take(group_column, label_column), chosen, {.on_layer = callback});
    for (std::size_t m = 0; m < done.unseen_rows.size(); ++m) {
      for (const Index i : done.unseen_rows[m]) is_kept[data.row_of(m, i)] = true;
    }
  }
  return py::make_tuple(std::make_shared<Model>(std::move(done.model)), kept,
                        check_to_dict(done.check));
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
  module.def("align", &align_rows, py::arg("data"), py::arg("options"), py::arg("unseen"),
             py::arg("to"), py::arg("group_column"), py::arg("label_column"), py::arg("on_layer"));
}

}  // namespace conflux::python
