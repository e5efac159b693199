// NPZ archives of numpy: the array X (or the only one of two dimensions) and, if it is there, an
// array that tells the group of each row.

#pragma once

#include "tables/table_format.h"

namespace conflux {

extern const TableFormat kNpzFormat;

}  // namespace conflux
