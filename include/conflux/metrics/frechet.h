// The Frechet distance of the normal laws with the means and covariances of two clouds,
//
//   |mu_1 - mu_2|^2 + tr(C_1 + C_2 - 2 (C_1 C_2)^1/2),
//
// which is their squared Wasserstein distance. On features of a network it is known as the Frechet
// inception distance: it sees what pixels do not show, and only means and covariances of that. Zero
// between clouds of equal moments, symmetric, not a root; biased upwards by about d / n of the
// variance. Covariances have the divisor n - 1.
//
// Cost: n d^2 for the covariances, two symmetric eigenvalue problems of size d.

#pragma once

#include "conflux/core/matrix.h"

namespace conflux {

double frechet_distance(ConstRows x, ConstRows y);

}  // namespace conflux
