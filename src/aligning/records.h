// Whether a table holds records of people or cases, rather than measurements.

#pragma once

#include <string>

#include "conflux/dataset/dataset.h"

namespace conflux {

/// Why a dataset looks like records, as a clause: it has categories, or codes of few values.
/// Empty for measurements, which are all arrays and tables of many columns without text.
std::string why_records(const Dataset& data);

}  // namespace conflux
