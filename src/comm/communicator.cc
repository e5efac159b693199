#include "conflux/comm/communicator.h"
