// Groups as a flow moves them, in memory.

#pragma once

#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "conflux/flow/flow.h"

namespace conflux {

/// The rows of group m in the shared space of a flow whose group m it is, with masses and feature
/// names, without labels.
GroupSet moved_by(const Flow& flow, const GroupSet& groups, const Workers& workers);

}  // namespace conflux
