// How much memory a fit needs and may have.

#pragma once

#include <string>

#include "conflux/core/error.h"
#include "conflux/core/index.h"
#include "conflux/dataset/dataset.h"
#include "conflux/options/options.h"

namespace conflux {

/// Sources of rows, by the memory they need: arrays that are mapped from files, such arrays with
/// mixed groups, other arrays, which are read, and tables, whose columns are inspected.
enum class RowSource { kSingles, kDoubles, kMixedSingles, kMixedDoubles, kArrays, kTables };

/// Whether all rows stay on disk for the fit of these options (DatasetOptions::fit_on_disk),
/// because the limit is too small for them but large enough for a fit that reads files in blocks;
/// with a message. Throws InvalidData, with a remedy, if it is too small for both.
bool rows_stay_on_disk(const DataShape& shape, RowSource source, const DatasetOptions& options,
                       const MessageCallback& on_message);
/// DatasetOptions::max_memory, or what the machine has.
double memory_limit(const DatasetOptions& options);

/// Bytes that a table of numbers takes until its columns are known and its rows are coordinates.
double memory_of_table(Index rows, Index columns);
/// Throws InvalidData with the bytes needed and a remedy, unless `limit` is 0.
void check_memory(double needed, double limit);
/// "1.5 GB"
std::string bytes_text(double bytes);
/// Reads "4G", "500M", "1e9"; throws InvalidOption. Empty: what the machine has.
double bytes_from_text(const std::string& text);

}  // namespace conflux
