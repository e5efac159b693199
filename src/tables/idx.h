// IDX files, as MNIST comes in: a short header and numbers, largest byte first.
//
// Images are rows of pixels, whatever their number of dimensions. Names that end in "ubyte" are
// written as bytes, which refuses anything but whole numbers from 0 to 255; others as float64.

#pragma once

#include "tables/table_format.h"

namespace conflux {

extern const TableFormat kIdxFormat;

}  // namespace conflux
