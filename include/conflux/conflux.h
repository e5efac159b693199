// Everything that a user of the library includes.

#pragma once

#include "conflux/comm/communicator.h"
#include "conflux/core/error.h"
#include "conflux/core/group_set.h"
#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"
