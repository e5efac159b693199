// Datasets of arrays: rows are read where they lie, and of large groups only those that are drawn.

#pragma once

#include <optional>

#include "conflux/comm/communicator.h"
#include "conflux/dataset/dataset.h"

namespace conflux {

/// The processes that read together: this one alone if rows are only examined, or if there is no
/// other.
Communicator& readers(const DatasetOptions& options, const DatasetHooks& hooks);

/// Unset if the files are no arrays, or the options need more than arrays.
std::optional<Dataset> map_arrays(const DatasetOptions& options, const DatasetHooks& hooks);

/// Throws InvalidOption when several processes are to read something else together.
void refuse_several_readers(const DatasetOptions& options, const DatasetHooks& hooks);

}  // namespace conflux
