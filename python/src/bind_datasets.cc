#include <pybind11/stl.h>

#include "bindings.h"
#include "conflux/toys/toy.h"
#include "samples.h"

namespace py = pybind11;

namespace conflux::python {

namespace {

// All rows, group after group, and the number of each row's group.
py::tuple arrays_of(const GroupSet& groups) {
  py::array_t<double> rows({groups.num_samples(), groups.dim()});
  py::array_t<std::int64_t> numbers(groups.num_samples());
  double* value = rows.mutable_data();
  std::int64_t* number = numbers.mutable_data();
  for (Index m = 0; m < groups.num_groups(); ++m) {
    for (Index i = 0; i < groups[m].rows.rows(); ++i) {
      groups[m].rows.copy_row(i, value);
      value += groups.dim();
      *number++ = m;
    }
  }
  return py::make_tuple(rows, numbers);
}

}  // namespace

void bind_datasets(py::module_& module) {
  module.def(
      "make_moons",
      [](Index samples, double noise, std::uint64_t seed) {
        return arrays_of(make_moons({.samples = samples, .noise = noise, .seed = seed}));
      },
      py::arg("samples"), py::arg("noise"), py::arg("seed"));
  module.def(
      "make_circles",
      [](Index samples, double noise, double factor, std::uint64_t seed) {
        return arrays_of(
            make_circles({.samples = samples, .noise = noise, .factor = factor, .seed = seed}));
      },
      py::arg("samples"), py::arg("noise"), py::arg("factor"), py::arg("seed"));
  module.def(
      "make_random_pattern",
      [](Index samples, Index num_groups, double class_sep, double flip, std::uint64_t seed) {
        return arrays_of(make_random_pattern({.samples = samples,
                                              .num_groups = num_groups,
                                              .class_sep = class_sep,
                                              .flip = flip,
                                              .seed = seed}));
      },
      py::arg("samples"), py::arg("num_groups"), py::arg("class_sep"), py::arg("flip"),
      py::arg("seed"));
  module.def(
      "make_gaussians",
      [](Index samples, std::uint64_t seed) {
        return arrays_of(make_gaussians({.samples = samples, .seed = seed}));
      },
      py::arg("samples"), py::arg("seed"));
  module.def(
      "make_gaussian_groups",
      [](Index num_groups, Index dim, Index samples, std::uint64_t seed) {
        return arrays_of(make_gaussian_groups(num_groups, dim, samples, seed));
      },
      py::arg("num_groups"), py::arg("dim"), py::arg("samples"), py::arg("seed"));
}

}  // namespace conflux::python
