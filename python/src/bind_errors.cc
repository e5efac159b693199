// The engine's exceptions under classes that Python users catch already.

#include "bindings.h"
#include "conflux/core/error.h"

namespace py = pybind11;

namespace conflux::python {

void bind_errors(py::module_& module) {
  // The last one registered is tried first, so the base comes first.
  py::register_exception<Error>(module, "Error", PyExc_RuntimeError);
  py::register_exception<InvalidData>(module, "InvalidData", PyExc_ValueError);
  py::register_exception<InvalidOption>(module, "InvalidOption", PyExc_ValueError);
}

}  // namespace conflux::python
