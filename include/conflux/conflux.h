// Everything that a user of the library includes.

#pragma once

#include "conflux/comm/communicator.h"
#include "conflux/core/error.h"
#include "conflux/core/group_set.h"
#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"
#include "conflux/data/npy.h"
#include "conflux/data/table.h"
#include "conflux/data/table_groups.h"
#include "conflux/data/toy.h"
#include "conflux/flow/flow.h"
#include "conflux/metrics/energy_distance.h"
#include "conflux/metrics/exact_wasserstein.h"
#include "conflux/metrics/pairwise.h"
#include "conflux/metrics/paper_wd.h"
#include "conflux/metrics/round_trip.h"
#include "conflux/metrics/sinkhorn.h"
#include "conflux/metrics/sliced_distance.h"
#include "conflux/metrics/transport_cost.h"
#include "conflux/models/add_group.h"
#include "conflux/models/fit.h"
