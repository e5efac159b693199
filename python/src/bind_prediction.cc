// Whether the group of a row can be predicted from the row.

#include "bindings.h"
#include "caller_data.h"
#include "columns/measured_scales.h"
#include "prediction_dict.h"

namespace py = pybind11;

namespace conflux::python {

namespace {

// All rows of the data, one group after the other, by their values: see CheckOptions::value_of.
struct Listed {
  Matrix rows;
  std::vector<Index> group_of;
};

Listed listed(const CallerData& data) {
  const GroupSet& groups = data.groups();
  Listed out{Matrix(groups.num_samples(), groups.dim()), {}};
  for (Index m = 0; m < groups.num_groups(); ++m) {
    for (Index i = 0; i < groups[m].rows.rows(); ++i) {
      groups[m].rows.copy_row(i, out.rows.row(static_cast<Index>(out.group_of.size())).data());
      out.group_of.push_back(m);
    }
  }
  if (const auto value = value_of(data.columns())) {
    for (Index j = 0; j < groups.dim(); ++j) {
      for (double& each : out.rows.col(j)) each = value(j, each);
    }
  }
  return out;
}

// The groups of `unseen` are numbered like those of the data, if there is such.
py::dict predict(const CallerData& data, const CallerData* unseen, Index folds, Index trees,
                 Index max_rows, std::uint64_t seed, int threads) {
  const PredictionOptions options{
      .folds = folds, .trees = trees, .max_rows = max_rows, .seed = seed, .importance = true};
  GroupPrediction found;
  {
    const py::gil_scoped_release unlocked;
    const Workers workers(threads);
    if (unseen == nullptr) {
      const Listed rows = listed(data);
      found = predict_groups(SampleRows(rows.rows), rows.group_of, options, workers);
    } else {
      const Listed known = listed(data);
      const Listed judged = listed(*unseen);
      found = predict_groups(SampleRows(known.rows), known.group_of, SampleRows(judged.rows),
                             judged.group_of, options, workers);
    }
  }
  return prediction_to_dict(found);
}

}  // namespace

void bind_prediction(py::module_& module) {
  module.def("predict_groups", &predict, py::arg("data"), py::arg("unseen"), py::arg("folds"),
             py::arg("trees"), py::arg("max_rows"), py::arg("seed"), py::arg("threads"));
}

}  // namespace conflux::python
