// Whether the group of a row can be guessed from the row.

#include "bindings.h"
#include "guess_dict.h"
#include "model_parts.h"

namespace py = pybind11;

namespace conflux::python {

namespace {

// A missing number is allowed: trees may use it.
SampleRows rows_of(const Samples& samples, Matrix& copy) {
  if (samples.in_place()) return samples.view(0, 1, samples.rows());
  copy.resize(samples.rows(), samples.cols());
  for (Index i = 0; i < samples.rows(); ++i) samples.copy_row(i, copy.row(i).data());
  return copy;
}

py::dict guess(const py::array& x, const GroupNumbers& groups,
               const std::optional<py::array>& unseen,
               const std::optional<GroupNumbers>& unseen_groups, Index folds, Index trees,
               Index max_rows, std::uint64_t seed, int threads) {
  const GuessingOptions options{.folds = folds, .trees = trees, .max_rows = max_rows, .seed = seed};
  const Samples known(x);
  const Samples judged(unseen ? *unseen : x);
  const auto group_of = span_of(groups, known.rows());
  const auto judged_group_of = span_of(unseen_groups ? *unseen_groups : groups, judged.rows());
  Guess found;
  {
    const py::gil_scoped_release unlocked;
    const Workers workers(threads);
    Matrix known_copy, judged_copy;
    const SampleRows rows = rows_of(known, known_copy);
    found = unseen ? guess_groups(rows, group_of, rows_of(judged, judged_copy), judged_group_of,
                                  options, workers)
                   : guess_groups(rows, group_of, options, workers);
  }
  return guess_to_dict(found);
}

}  // namespace

void bind_guess(py::module_& module) {
  module.def("guess", &guess, py::arg("x"), py::arg("groups"), py::arg("unseen"),
             py::arg("unseen_groups"), py::arg("folds"), py::arg("trees"), py::arg("max_rows"),
             py::arg("seed"), py::arg("threads"));
}

}  // namespace conflux::python
