// Pictures, .png and .ppm or .pgm: pixels as rows, colors as columns.
//
// Columns are red, green and blue, or gray, from 0 to 255; x and y tell where a pixel is and are
// never features by themselves. Transparency is left out, and sixteen bits become eight, which is
// noted.
//
// A folder of pictures is a table of pictures: each is a row, its pixels are the columns p0, p1,
// ..., those of a color picture red, green, blue by turns, and the column "file" has its name. It
// is written as a folder of pictures with the same names.
//
// Written is a picture of the size of the one that the rows came from. It holds whole numbers from
// 0 to 255: others are rounded, and cut at the ends.

#pragma once

#include <filesystem>

#include "tables/table_format.h"

namespace conflux {

extern const TableFormat kPngFormat;
extern const TableFormat kPpmFormat;
/// A table of pictures; it has no names of its own, folders are recognized by what is in them.
extern const TableFormat kPicturesFormat;

/// Whether a folder holds pictures that are read.
bool holds_pictures(const std::filesystem::path& folder);
/// Writes a picture per row into a folder, which is made if need be.
std::unique_ptr<TableWriter> write_pictures(const std::filesystem::path& folder);

}  // namespace conflux
