// The result of a check as a Python dict.

#pragma once

#include <pybind11/pybind11.h>

#include "conflux/comparing/check.h"

namespace conflux::python {

pybind11::dict check_to_dict(const CheckReport& report);

}  // namespace conflux::python
