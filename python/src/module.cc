// conflux._core, the base of the Python package. The package checks arguments and names things as
// Python users expect; here are only numbers, names and the engine's own messages.

#include "bindings.h"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The engine of conflux.";
  module.attr("__version__") = CONFLUX_VERSION;
  conflux::python::bind_errors(module);
  conflux::python::bind_options(module);
  conflux::python::bind_columns(module);
  conflux::python::bind_layers(module);
  conflux::python::bind_model(module);
  conflux::python::bind_fit(module);
  conflux::python::bind_metrics(module);
  conflux::python::bind_prediction(module);
  conflux::python::bind_judging(module);
  conflux::python::bind_report(module);
  conflux::python::bind_datasets(module);
}
