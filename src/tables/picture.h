// Pictures, .png and .ppm or .pgm: pixels as rows, colours as columns.
//
// Columns are red, green and blue, or gray, from 0 to 255; x and y tell where a pixel is and are
// never features by themselves. Transparency is left out, and sixteen bits become eight, which is
// noted.
//
// Written is a picture of the size of the one that the rows came from. It holds whole numbers from
// 0 to 255: others are rounded, and cut at the ends.

#pragma once

#include "tables/table_format.h"

namespace conflux {

extern const TableFormat kPngFormat;
extern const TableFormat kPpmFormat;

}  // namespace conflux
