// Rows through a flow, from arrays with any strides and without the GIL.

#include <fmt/format.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "model_parts.h"

namespace py = pybind11;

namespace conflux::python {

void check_columns(const Model& model, const Samples& samples) {
  if (samples.cols() == model.flow.dim()) return;
  throw InvalidData(
      fmt::format("the rows have {} columns but the flow was fitted on {}; give the same features.",
                  samples.cols(), model.flow.dim()));
}

py::tuple move_rows(const Model& model, const py::array& x, const std::optional<GroupNumbers>& from,
                    const std::optional<GroupNumbers>& to,
                    const std::optional<GroupNumbers>& labels, bool want_rows, bool want_log_det,
                    int threads) {
  const Samples samples(x);
  check_columns(model, samples);
  Route route;
  if (from) route.from = span_of(*from, samples.rows());
  if (to) route.to = span_of(*to, samples.rows());
  if (labels) route.labels = span_of(*labels, samples.rows());
  py::object rows = py::none();
  py::object log_det = py::none();
  double* log_dets = nullptr;
  RowStore store{.rows = samples.rows(),
                 .cols = samples.cols(),
                 .read = [&](Index row, double* out) { samples.copy_row(row, out); }};
  if (want_rows) {
    py::array_t<double> array({samples.rows(), samples.cols()});
    store.write = [out = array.mutable_data(), dim = samples.cols()](
                      Index row, const double* moved) { std::copy_n(moved, dim, out + row * dim); };
    rows = std::move(array);
  }
  if (want_log_det) {
    py::array_t<double> array(samples.rows());
    log_dets = array.mutable_data();
    log_det = std::move(array);
  }
  {
    const py::gil_scoped_release unlocked;
    try {
      model.flow.move(store, route, log_dets, Workers(threads));
    } catch (const NotFinite& error) {
      samples.refuse(error.row(), model.feature_names);
    }
  }
  return py::make_tuple(rows, log_det);
}

}  // namespace conflux::python
