// AnnData files of single-cell analysis, .h5ad, through the HDF5 library; old and new encodings.
//
// A row is a cell. Features are the columns of X, of a layer, or of an entry of obsm
// (TableOptions::use_rep), dense or sparse; if X is wide and there are principal components, X_pca
// is used, with a message. The columns of obs follow: groups, labels and others, never features by
// themselves. Rows are read in slices; only matrices that are stored column by column (CSC) are
// kept in memory.
//
// Written is a copy of the file that the rows came from, with their features in obsm["X_conflux"],
// or in layers["conflux"] if they are all columns of X, and a line about them in uns["conflux"].
//
// Needs the library when conflux is built; otherwise an error says so.

#pragma once

#include "tables/sparse_rows.h"
#include "tables/table_format.h"

namespace conflux {

extern const TableFormat kH5adFormat;

std::unique_ptr<SparseReader> read_h5ad(const ByteSource& source, const TableOptions& options);
std::unique_ptr<TableWriter> write_h5ad(std::unique_ptr<OutputStream> out, bool single_precision);

}  // namespace conflux
