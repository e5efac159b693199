// Groups in arrays: rows are read where they lie, and of large groups only those that are drawn.

#pragma once

#include "conflux/comm/communicator.h"
#include "grouped_input.h"

namespace conflux::app {

/// Who reads together.
Communicator& readers(const GroupedInputFlags& flags);

/// False, and nothing that may be used, when the files are something else or more is asked for.
bool map_groups(const GroupedInputFlags& flags, GroupedInput& out);

/// Throws InvalidOption when several processes are to read something else together.
void refuse_several_readers(const GroupedInputFlags& flags);

}  // namespace conflux::app
