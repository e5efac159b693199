// Matrix Market files of counts, .mtx, as 10x Genomics and most others write them: one line per
// number that is not zero, and the names of genes and cells in two files beside it.
//
// A row of the table is a cell. Which side of the matrix the cells are on follows from the numbers
// of barcodes and features; without these files the rows of the matrix are the rows. A folder
// stands for the matrix in it. Entries that come cell by cell are read in blocks; in another order
// they are kept in memory.
//
// Matrices are read, not written.

#pragma once

#include <filesystem>

#include "tables/table_format.h"

namespace conflux {

extern const TableFormat kMtxFormat;

/// The matrix of a folder: matrix.mtx, or the only .mtx in it or in its only folder, compressed or
/// not. Throws InvalidOption when there is none.
std::filesystem::path matrix_in_folder(const std::filesystem::path& folder);

}  // namespace conflux
