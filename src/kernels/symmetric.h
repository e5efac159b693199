// Kept for a moment under its old name.
#pragma once
#include "kernels/dense.h"
