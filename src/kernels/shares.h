// Memberships of rows in clusters, from products with the centers of clusters.

#pragma once

#include "conflux/core/index.h"

namespace conflux::kernels {

/// Row i of `out`, `width` numbers apart, a padded width: shares of sum 1 that are proportional to
/// exp((2 p_c - square_c) / scale), where p_c is number c of row i of `products`. Weights below
/// `least` times the largest count nothing; what is above is lowered by it, so that shares have no
/// jump. A row's shares do not depend on the rows around it.
void soft_shares(const double* products, Index stride, Index rows, const double* squares,
                 Index clusters, double scale, double least, double* out, Index width);

}  // namespace conflux::kernels
