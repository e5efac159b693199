#include "kernels/eigen_kernels.h"

#ifdef CONFLUX_EIGEN_KERNELS
CONFLUX_EIGEN_KERNELS(, double)
CONFLUX_EIGEN_KERNELS(, float)
#endif
