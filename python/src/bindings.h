// One function per topic, called by module.cc.

#pragma once

#include <pybind11/pybind11.h>

namespace conflux::python {

void bind_errors(pybind11::module_& module);
void bind_columns(pybind11::module_& module);
void bind_options(pybind11::module_& module);
void bind_fit(pybind11::module_& module);
void bind_prediction(pybind11::module_& module);
void bind_judging(pybind11::module_& module);
void bind_report(pybind11::module_& module);
void bind_layers(pybind11::module_& module);
void bind_model(pybind11::module_& module);
void bind_metrics(pybind11::module_& module);
void bind_datasets(pybind11::module_& module);

}  // namespace conflux::python
