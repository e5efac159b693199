#include "fitting/gaussian_barycenter.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/stop.h"
#include "fitting/moments.h"
#include "fitting/spectrum.h"
#include "kernels/dense.h"
#include "kernels/product.h"

namespace conflux {

namespace {

// The iteration shrinks its change by a third per step until only rounding is left, which for
// nearly singular covariances is far above the tolerance. A change that no longer shrinks is the
// end. What is there after the last step is regular too, so that groups which move there still
// have the same covariance.
constexpr double kStalled = 0.95;
constexpr double kRounding = 1e-4;
constexpr int kMaxIterations = 100;
// Variances below this fraction of the largest one of all groups are raised to it: singular
// covariances become regular, and directions without spread in any group are left alone.
constexpr double kSmallestRatio = 1e-9;

// `largest` is a variance that floors are taken from at least.
void make_regular(std::vector<Matrix>& covariances, double largest, const Workers& workers) {
  for (const Matrix& each : covariances) largest = std::max(largest, each.diagonal().maxCoeff());
  const double floor = largest > 0 ? kSmallestRatio * largest : 1;
  workers.for_each(static_cast<Index>(covariances.size()), [&](Index m) {
    const Spectrum spectrum(covariances[m]);
    if (spectrum.smallest() < floor) covariances[m] = spectrum.raised_to(floor);
  });
}

// Where the iteration starts. From one of the groups' covariances the first step goes along the
// geodesics to the others, so with two groups it ends at the barycenter itself; the widest one is
// least likely to be singular.
Matrix widest(const std::vector<Matrix>& covariances, const std::vector<double>& weights,
              const Workers& workers) {
  std::vector<double> log_dets(covariances.size(), -std::numeric_limits<double>::infinity());
  workers.for_each(static_cast<Index>(covariances.size()), [&](Index m) {
    if (weights[m] > 0) log_dets[m] = Spectrum(covariances[m]).log_det();
  });
  return covariances[std::max_element(log_dets.begin(), log_dets.end()) - log_dets.begin()];
}

AffineLayer::Map map_to(const AffineLayer::Gaussian& barycenter, const Vector& mean,
                        const Matrix& covariance, double strength) {
  const Matrix identity = Matrix::Identity(mean.size(), mean.size());
  const Spectrum own(covariance);
  const Matrix root = own.root();
  const Matrix inverse_root = own.inverse_root();
  const Matrix full =
      conjugate(inverse_root, Spectrum(conjugate(root, barycenter.covariance)).root());
  AffineLayer::Map map;
  map.mean = mean;
  map.center = (1 - strength) * mean + strength * barycenter.mean;
  map.matrix = (1 - strength) * identity + strength * full;
  const Spectrum moved(map.matrix);
  map.inverse = moved.inverse();
  map.log_det = moved.log_det();
  return map;
}

}  // namespace

Matrix barycenter_covariance(const std::vector<Matrix>& covariances,
                             const std::vector<double>& weights, const Workers& workers,
                             double tolerance) {
  const kernels::SerialBlas serial;
  const Index dim = covariances.front().rows();
  Matrix s = widest(covariances, weights, workers);
  double last_change = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    throw_if_stopped();
    const Spectrum spectrum(s);
    const Matrix root = spectrum.root();
    const Matrix inverse_root = spectrum.inverse_root();
    std::vector<Matrix> roots(covariances.size());
    workers.for_each(static_cast<Index>(covariances.size()), [&](Index m) {
      if (weights[m] > 0) roots[m] = Spectrum(conjugate(root, covariances[m])).root();
    });
    Matrix mean_root = Matrix::Zero(dim, dim);
    for (std::size_t m = 0; m < roots.size(); ++m) {
      if (weights[m] > 0) mean_root += weights[m] * roots[m];
    }
    const Matrix half = kernels::product(mean_root, inverse_root);
    const Matrix next = kernels::product(half.transpose(), half);
    const double change = (next - s).norm();
    const double size = next.norm();
    s = next;
    const bool stalled = change > kStalled * last_change && change < kRounding * size;
    if (change <= tolerance * size || stalled) break;
    last_change = change;
  }
  return s;
}

AffineLayer fit_affine_layer(const GroupSet& groups, const RowChoice& chosen,
                             const std::vector<double>& weights, double strength,
                             Communicator& comm, const Workers& workers) {
  const kernels::SerialBlas serial;
  Moments moments = fit_moments(groups, chosen, comm, workers);
  make_regular(moments.covariances, 0, workers);
  AffineLayer::Gaussian barycenter{Vector::Zero(groups.dim()),
                                   barycenter_covariance(moments.covariances, weights, workers)};
  for (Index m = 0; m < groups.num_groups(); ++m) {
    barycenter.mean += weights[m] * moments.means[m];
  }
  std::vector<AffineLayer::Map> maps(static_cast<std::size_t>(groups.num_groups()));
  workers.for_each(groups.num_groups(), [&](Index m) {
    maps[m] = map_to(barycenter, moments.means[m], moments.covariances[m], strength);
  });
  return AffineLayer(std::move(maps), std::move(barycenter));
}

AffineLayer::Map fit_affine_map(const GroupSet& group, const RowChoice& chosen,
                                const AffineLayer::Gaussian& barycenter, double strength,
                                const Workers& workers) {
  const kernels::SerialBlas serial;
  SelfCommunicator comm;
  Moments moments = fit_moments(group, chosen, comm, workers);
  make_regular(moments.covariances, barycenter.covariance.diagonal().maxCoeff(), workers);
  return map_to(barycenter, moments.means.front(), moments.covariances.front(), strength);
}

}  // namespace conflux
