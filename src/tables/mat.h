// MATLAB files, read only: a matrix of rows, and lists of one value per row beside it.
//
// Toolboxes keep samples as rows or as columns. Lists beside a matrix tell which side they run
// along.

#pragma once

#include "tables/table_format.h"

namespace conflux {

extern const TableFormat kMatFormat;

}  // namespace conflux
