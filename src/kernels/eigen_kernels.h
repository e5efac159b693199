// The inner loops of Eigen's matrix products, compiled once.
//
// Every source that multiplies two matrices would compile them again, which takes seconds each
// time. This header is among the precompiled ones and says that they exist elsewhere, namely in
// eigen_kernels.cc. A source that is compiled without it makes its own, with the same results.

#pragma once

#include <Eigen/Core>

// The names are Eigen's own affair; these are those of version 3.4.
#if EIGEN_VERSION_AT_LEAST(3, 4, 0) && !EIGEN_VERSION_AT_LEAST(3, 4, 90)

namespace conflux::kernels::eigen {

template <class T>
using Traits = Eigen::internal::gebp_traits<T, T>;
template <class T, int order>
using Input = Eigen::internal::const_blas_data_mapper<T, Eigen::Index, order>;
template <class T>
using Output = Eigen::internal::blas_data_mapper<T, Eigen::Index, Eigen::ColMajor>;
template <class T>
using Packet = typename Traits<T>::LhsPacket4Packing;

}  // namespace conflux::kernels::eigen

// Packing of blocks whose rows or columns are contiguous, and products with a vector.
#define CONFLUX_EIGEN_KERNELS_OF(EXTERN, T, ORDER, OTHER_ORDER)                                \
  EXTERN template struct Eigen::internal::gemm_pack_lhs<                                       \
      T, Eigen::Index, conflux::kernels::eigen::Input<T, ORDER>,                               \
      conflux::kernels::eigen::Traits<T>::mr, conflux::kernels::eigen::Traits<T>::LhsProgress, \
      conflux::kernels::eigen::Packet<T>, ORDER>;                                              \
  EXTERN template struct Eigen::internal::gemm_pack_rhs<                                       \
      T, Eigen::Index, conflux::kernels::eigen::Input<T, ORDER>,                               \
      conflux::kernels::eigen::Traits<T>::nr, ORDER>;                                          \
  EXTERN template struct Eigen::internal::general_matrix_vector_product<                       \
      Eigen::Index, T, conflux::kernels::eigen::Input<T, ORDER>, ORDER, false, T,              \
      conflux::kernels::eigen::Input<T, OTHER_ORDER>, false>;

// The product of packed blocks, and what it needs.
#define CONFLUX_EIGEN_KERNELS(EXTERN, T)                                                     \
  EXTERN template struct Eigen::internal::gebp_kernel<                                       \
      T, T, Eigen::Index, conflux::kernels::eigen::Output<T>,                                \
      conflux::kernels::eigen::Traits<T>::mr, conflux::kernels::eigen::Traits<T>::nr, false, \
      false>;                                                                                \
  CONFLUX_EIGEN_KERNELS_OF(EXTERN, T, Eigen::RowMajor, Eigen::ColMajor)                      \
  CONFLUX_EIGEN_KERNELS_OF(EXTERN, T, Eigen::ColMajor, Eigen::RowMajor)

CONFLUX_EIGEN_KERNELS(extern, double)
CONFLUX_EIGEN_KERNELS(extern, float)

#endif
