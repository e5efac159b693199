#include "fitting/shrunken_barycenter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "conflux/options/options.h"
#include "core/stop.h"
#include "fitting/gaussian_barycenter.h"
#include "fitting/location_scale.h"
#include "fitting/moments.h"
#include "fitting/spectrum.h"
#include "kernels/dense.h"
#include "kernels/product.h"

namespace conflux {

namespace {

using Gaussian = AffineLayer::Gaussian;
using Shrunken = AffineLayer::Shrunken;
using Line = LocationScaleLayer::Map;

// Any regular target makes the correlations of all groups equal; a barycenter that is exact to this
// is as good as any.
constexpr double kTolerance = 1e-7;
// Relative to the largest variance. A floor below it would be decided by rounding.
constexpr double kSmallestFloor = 1e-9;
// Relative to the largest variance. Directions below it are rounding errors, without rows of any
// group.
constexpr double kNoSpread = 1e-12;

// A group in units of the standard.
struct StandardizedGroup {
  Line line;
  Matrix covariance;
  double degrees = 0;  // rows less one
};

// Rows of equal mass that `shrinkage` of Moments stands for, less one.
double degrees_of(double bias) { return bias < 1 ? bias / (1 - bias) : 0; }

// Features that are only shifted, because they are constant in some group, need a unit as well.
Vector units_of(const std::vector<FeatureMoments>& features, const Vector& spread) {
  Vector largest = Vector::Zero(spread.size());
  for (const FeatureMoments& each : features) largest = largest.cwiseMax(each.variances);
  Vector out = spread;
  for (Index j = 0; j < out.size(); ++j) {
    if (out(j) == 0) out(j) = largest(j) > 0 ? std::sqrt(largest(j)) : 1;
  }
  return out;
}

std::vector<StandardizedGroup> standardize(Moments moments,
                                           const std::vector<FeatureMoments>& features,
                                           const LocationScaleLayer::Standard& standard,
                                           const Vector& units) {
  std::vector<StandardizedGroup> out;
  for (std::size_t m = 0; m < features.size(); ++m) {
    StandardizedGroup group;
    group.line = location_scale_map(standard, features[m], FitOptions());
    group.line.from = features[m].means;
    Vector factor = group.line.scale.cwiseQuotient(units);
    // Means of constants are rounded.
    factor = (features[m].variances.array() > 0).select(factor, 0.0);
    group.covariance = factor.asDiagonal() * moments.covariances[m] * factor.asDiagonal();
    group.degrees = degrees_of(moments.shrinkage[m]);
    moments.covariances[m].resize(0, 0);
    out.push_back(std::move(group));
  }
  return out;
}

// How far the entries of the covariance are from their expectations: the sum of their variances.
double uncertainty(const StandardizedGroup& group) {
  return (std::pow(group.covariance.trace(), 2) + group.covariance.squaredNorm()) / group.degrees;
}

double mean_variance(const Matrix& covariance) {
  const double mean = covariance.trace() / static_cast<double>(covariance.rows());
  return mean > 0 ? mean : 1;
}

double ratio_within(double part, double whole) {
  return whole > 0 ? std::min(part / whole, 1.0) : 1;
}

Shrunken pool(const std::vector<StandardizedGroup>& groups, Vector spread, Vector units) {
  const Index dim = spread.size();
  Shrunken out{std::move(spread), std::move(units), Matrix::Zero(dim, dim), 0, 0};
  for (const StandardizedGroup& each : groups) out.degrees += each.degrees;
  double variance = 0;
  for (const StandardizedGroup& each : groups) {
    if (each.degrees == 0) continue;
    const double part = each.degrees / out.degrees;
    out.pooled += part * each.covariance;
    variance += part * part * uncertainty(each);
  }
  Matrix off = out.pooled;
  off.diagonal().array() -= mean_variance(out.pooled);
  out.floor = std::max(ratio_within(variance, off.squaredNorm()), kSmallestFloor);
  return out;
}

// Replaces the covariance by C_m. Where a feature is constant in a group, its variance is not known
// better than to be that of the others.
void shrink(StandardizedGroup& group, const Shrunken& shared) {
  for (Index j = 0; j < group.covariance.rows(); ++j) {
    if (group.covariance(j, j) == 0) group.covariance(j, j) = shared.pooled(j, j);
  }
  double intensity = 1;
  if (group.degrees > 0) {
    const double others = std::max(1 - group.degrees / shared.degrees, 0.0);
    const Matrix off = group.covariance - shared.pooled;
    intensity = ratio_within(others * uncertainty(group), off.squaredNorm());
  }
  group.covariance =
      (1 - shared.floor) * ((1 - intensity) * group.covariance + intensity * shared.pooled);
  group.covariance.diagonal().array() += shared.floor * mean_variance(shared.pooled);
}

// An orthonormal basis of the space that the rows of all groups span, as columns; empty if that is
// the whole space.
Matrix common_span(const Matrix& pooled) {
  Matrix vectors = 0.5 * (pooled + pooled.transpose());
  const Vector values = kernels::symmetric_eigen(vectors);
  if (values.size() == 0) return {};
  const auto none =
      static_cast<Index>(std::count_if(values.begin(), values.end(), [&](double value) {
        return value <= kNoSpread * values.maxCoeff();
      }));
  return none == 0 ? Matrix() : Matrix(vectors.bottomRows(values.size() - none).transpose());
}

Matrix within(const Matrix& basis, const Matrix& symmetric) {
  if (basis.size() == 0) return symmetric;
  return kernels::product(basis.transpose(), kernels::product(symmetric, basis));
}

// A matrix on the span as one of the whole space, which outside is `outside` times the identity.
Matrix whole(const Matrix& basis, Matrix symmetric, double outside) {
  if (basis.size() == 0) return symmetric;
  symmetric.diagonal().array() -= outside;
  Matrix out = kernels::product(kernels::product(basis, symmetric), basis.transpose());
  out.diagonal().array() += outside;
  return out;
}

// The best map between Gaussians with the covariances C and R is R^1/2 (R^1/2 C R^1/2)^-1/2 R^1/2.
class MapToBarycenter {
 public:
  explicit MapToBarycenter(const Matrix& barycenter)
      : spectrum_(barycenter), root_(spectrum_.root()), inverse_root_(spectrum_.inverse_root()) {}

  struct Turn {
    Matrix matrix;
    Matrix inverse;
    double log_det;
  };
  Turn from(const Matrix& covariance) const {
    const Spectrum between(conjugate(root_, covariance));
    return {conjugate(root_, between.inverse_root()), conjugate(inverse_root_, between.root()),
            spectrum_.log_det() - 0.5 * between.log_det()};
  }

 private:
  Spectrum spectrum_;
  Matrix root_;
  Matrix inverse_root_;
};

// Scales of the group, turn and units of the standard: to + (x - from) a / u turn u.
AffineLayer::Map assemble(const Line& line, const MapToBarycenter::Turn& turn, const Vector& units,
                          double strength) {
  AffineLayer::Map map;
  map.mean = line.from;
  map.center = (1 - strength) * line.from + strength * line.to;
  if (strength == 1) {
    map.matrix = line.scale.cwiseQuotient(units).asDiagonal() * turn.matrix * units.asDiagonal();
    map.inverse = units.cwiseInverse().asDiagonal() * turn.inverse *
                  units.cwiseQuotient(line.scale).asDiagonal();
    map.log_det = turn.log_det + line.scale.array().log().sum();
    return map;
  }
  // Similar to a symmetric matrix, so that no strength between 0 and 1 is singular.
  const Vector half = line.scale.cwiseSqrt();
  Matrix mixed = strength * (half.asDiagonal() * turn.matrix * half.asDiagonal());
  mixed.diagonal().array() += 1 - strength;
  const Spectrum spectrum(mixed);
  const Vector outer = half.cwiseQuotient(units);
  map.matrix = outer.asDiagonal() * mixed * outer.cwiseInverse().asDiagonal();
  map.inverse = outer.asDiagonal() * spectrum.inverse() * outer.cwiseInverse().asDiagonal();
  map.log_det = spectrum.log_det();
  return map;
}

AffineLayer::Map leaves_group(Index dim) {
  return {Vector::Zero(dim), Vector::Zero(dim), Matrix::Identity(dim, dim),
          Matrix::Identity(dim, dim), 0};
}

}  // namespace

AffineLayer fit_shrunken_affine_layer(const GroupSet& groups, const RowChoice& chosen,
                                      const std::vector<double>& weights, double strength,
                                      Communicator& comm, const Workers& workers) {
  const kernels::SerialBlas serial;
  const std::vector<FeatureMoments> features = fit_feature_moments(groups, chosen, comm);
  LocationScaleLayer::Standard standard = standard_of(features, weights, SpreadsOf::kUnbiased);
  Vector units = units_of(features, standard.spread);
  std::vector<StandardizedGroup> all =
      standardize(fit_moments(groups, chosen, comm, workers), features, standard, units);
  Gaussian barycenter;
  barycenter.mean = standard.location;
  barycenter.shrunken = pool(all, std::move(standard.spread), std::move(units));
  const Shrunken& shared = *barycenter.shrunken;
  const Matrix basis = common_span(shared.pooled);
  std::vector<Matrix> covariances(all.size());
  workers.for_each(groups.num_groups(), [&](Index m) {
    shrink(all[m], shared);
    covariances[m] = within(basis, all[m].covariance);
    all[m].covariance.resize(0, 0);
  });
  const Matrix target = barycenter_covariance(covariances, weights, workers, kTolerance);
  const MapToBarycenter to_target(target);
  std::vector<AffineLayer::Map> maps(all.size());
  workers.for_each(groups.num_groups(), [&](Index m) {
    if (weights[m] == 1) {
      maps[m] = leaves_group(groups.dim());
      return;
    }
    MapToBarycenter::Turn turn = to_target.from(covariances[m]);
    turn.matrix = whole(basis, std::move(turn.matrix), 1);
    turn.inverse = whole(basis, std::move(turn.inverse), 1);
    maps[m] = assemble(all[m].line, turn, shared.units, strength);
  });
  barycenter.covariance = whole(basis, target, shared.floor * mean_variance(shared.pooled));
  return AffineLayer(std::move(maps), std::move(barycenter));
}

AffineLayer::Map fit_shrunken_affine_map(const GroupSet& group, const RowChoice& chosen,
                                         const Gaussian& barycenter, double strength,
                                         const Workers& workers) {
  const kernels::SerialBlas serial;
  SelfCommunicator comm;
  const Shrunken& shared = *barycenter.shrunken;
  std::vector<StandardizedGroup> own = standardize(fit_moments(group, chosen, comm, workers),
                                                   fit_feature_moments(group, chosen, comm),
                                                   {barycenter.mean, shared.spread}, shared.units);
  shrink(own.front(), shared);
  const MapToBarycenter::Turn turn =
      MapToBarycenter(barycenter.covariance).from(own.front().covariance);
  return assemble(own.front().line, turn, shared.units, strength);
}

}  // namespace conflux
