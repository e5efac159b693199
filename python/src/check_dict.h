// What a check has found, as Python sees it.

#pragma once

#include <pybind11/pybind11.h>

#include "conflux/comparing/check.h"

namespace conflux::python {

pybind11::dict check_to_dict(const CheckReport& report);

}  // namespace conflux::python
