// Writes text tables.

#pragma once

#include <memory>

#include "conflux/tables/table.h"
#include "files/output_stream.h"

namespace conflux {

/// Stands for a delimiter that follows from the first line; tabs are written.
constexpr char kPrediction = 0;

/// Rows as cells with this delimiter between them.
std::unique_ptr<TableWriter> write_csv_rows(std::unique_ptr<OutputStream> out,
                                            const TableOptions& options, char delimiter);

}  // namespace conflux
