#include "fitting/empirical_bayes.h"

#include <gtest/gtest.h>

#include "core/rng.h"

namespace conflux {
namespace empirical_bayes_test {

LocationsAndVariances random_estimates(Index features, Stream& stream) {
  return {stream.normal_matrix(features, 1),
          (0.5 * stream.normal_matrix(features, 1)).array().exp()};
}

// Posterior expectations lie between the estimates and what the prior expects.
TEST(EmpiricalBayes, FadesWithTheNumberOfRows) {
  Stream stream(1, Purpose::kTest);
  const LocationsAndVariances own = random_estimates(30, stream);
  double last = std::numeric_limits<double>::infinity();
  for (const double rows : {3.0, 30.0, 300.0, 3e6}) {
    const LocationsAndVariances shrunk = shrink_over_features(own, rows);
    const double moved =
        (shrunk.locations - own.locations).norm() + (shrunk.variances - own.variances).norm();
    EXPECT_LT(moved, last);
    last = moved;
  }
  EXPECT_LT(last, 1e-4);
}

TEST(EmpiricalBayes, OfFeaturesThatAgreeIsWhatTheyAgreeOn) {
  const LocationsAndVariances same{Vector::Constant(4, 0.7), Vector::Constant(4, 1.5)};
  const LocationsAndVariances shrunk = shrink_over_features(same, 5);
  EXPECT_LT((shrunk.locations - same.locations).norm(), 1e-15);
  EXPECT_LT((shrunk.variances - same.variances).norm(), 1e-15);
}

TEST(EmpiricalBayes, OfOneFeatureHasNothingToLearnFrom) {
  const LocationsAndVariances one{Vector::Constant(1, 0.7), Vector::Constant(1, 1.5)};
  EXPECT_EQ(shrink_over_features(one, 5).variances, one.variances);
  EXPECT_EQ(shrink_locations_over_features(one.locations, 5), one.locations);
}

}  // namespace empirical_bayes_test
}  // namespace conflux
