// Options of a fit as a Python dict, field by field in the order of visit_options().

#pragma once

#include <pybind11/pybind11.h>

#include "conflux/options/options.h"

namespace conflux::python {

/// Defaults for what `values` does not name. Throws InvalidOption for names and choices that do not
/// exist, TypeError for values of another type.
FitOptions options_from_dict(const pybind11::dict& values);

pybind11::dict options_to_dict(const FitOptions& options);

}  // namespace conflux::python
