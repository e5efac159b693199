#include "fitting/shrunken_barycenter.h"

#include <gtest/gtest.h>

#include <cmath>

#include "conflux/toys/toy.h"
#include "fitting/gaussian_barycenter.h"
#include "tests/support/layer_laws.h"

namespace conflux {
namespace shrunken_barycenter_test {

AffineLayer fit(const GroupSet& groups, double strength = 1, std::vector<double> weights = {},
                int threads = 2) {
  SelfCommunicator comm;
  if (weights.empty()) {
    weights.assign(static_cast<std::size_t>(groups.num_groups()),
                   1 / static_cast<double>(groups.num_groups()));
  }
  return fit_shrunken_affine_layer(groups, all_rows(groups), weights, strength, comm,
                                   Workers(threads));
}

Matrix moved(const Layer& layer, Index group, const SampleRows& rows) {
  Matrix out = rows.to_matrix();
  layer.forward(group, Rows(out), nullptr);
  return out;
}

Matrix sample_covariance(const Matrix& rows) {
  const Matrix centered = rows.rowwise() - rows.colwise().mean();
  return centered.transpose() * centered / static_cast<double>(rows.rows() - 1);
}

double spread_of(const Matrix& rows) { return std::sqrt(sample_covariance(rows).trace()); }

// Smooth curves with noise, as spectra are: the groups differ in the place of the factors and mix
// them in different ways.
class Spectra {
 public:
  explicit Spectra(Index wavelengths) : curves_(8, wavelengths), mix_(Matrix::Identity(8, 8)) {
    for (Index k = 0; k < curves_.rows(); ++k) {
      for (Index j = 0; j < wavelengths; ++j) {
        const double x = static_cast<double>(j) / static_cast<double>(wavelengths);
        curves_(k, j) = std::cos(3.14159 * static_cast<double>(k + 1) * x);
      }
    }
    mix_ += 0.3 * stream_.normal_matrix(8, 8);
  }

  Matrix draw(Index group, Index rows) {
    Matrix factors = stream_.normal_matrix(rows, 8);
    for (Index k = 0; k < 8; ++k) factors.col(k) *= std::pow(2.0, -static_cast<double>(k));
    if (group == 1) factors = (factors * mix_).array() + 0.5;
    return factors * curves_ + 0.02 * stream_.normal_matrix(rows, curves_.cols());
  }

 private:
  Stream stream_{39, Purpose::kTest};
  Matrix curves_, mix_;
};

// Covariances of 60 rows in 700 features are singular: a map that trusts them moves rows that it
// has not seen far away, and a map that does not use them leaves the groups apart.
TEST(ShrunkenBarycenter, BringsUnseenRowsNearerWhereFeaturesOutnumberRows) {
  Spectra spectra(700);
  GroupSet groups;
  for (const char* name : {"a", "b"}) groups.add(name, spectra.draw(groups.num_groups(), 60));
  const Matrix unseen[] = {spectra.draw(0, 100), spectra.draw(1, 100)};
  const AffineLayer layer = fit(groups);
  std::vector<Matrix> by_means, there;
  for (Index m = 0; m < 2; ++m) {
    const Eigen::RowVectorXd mean = groups[m].rows.to_matrix().colwise().mean();
    by_means.emplace_back(unseen[m].rowwise() - mean);
    there.push_back(moved(layer, m, unseen[m]));
    EXPECT_LT(spread_of(there[m]) / spread_of(unseen[m]), 1.2);
    Matrix back = there[m];
    layer.inverse(m, Rows(back), nullptr);
    EXPECT_LT((back - unseen[m]).norm(), 1e-10 * unseen[m].norm());
  }
  const double raw = (sample_covariance(by_means[0]) - sample_covariance(by_means[1])).norm();
  const double left = (sample_covariance(there[0]) - sample_covariance(there[1])).norm();
  const Vector apart = there[0].colwise().mean() - there[1].colwise().mean();
  const Vector before = unseen[0].colwise().mean() - unseen[1].colwise().mean();
  EXPECT_LT(left, 0.6 * raw);
  EXPECT_LT(apart.norm(), 0.5 * before.norm());
}

// Twenty small groups that differ in place and scale, and hardly in correlations.
TEST(ShrunkenBarycenter, DoesNotAmplifyUnseenRowsOfManySmallGroups) {
  constexpr Index kGroups = 20, kFeatures = 100, kRows = 9;
  Stream stream(1, Purpose::kTest);
  const Matrix factors = stream.normal_matrix(10, kFeatures) / std::sqrt(10.0);
  GroupSet groups;
  std::vector<Matrix> unseen;
  for (Index m = 0; m < kGroups; ++m) {
    const Eigen::RowVectorXd place = 0.4 * stream.normal_matrix(1, kFeatures);
    const Eigen::RowVectorXd scale = (0.15 * stream.normal_matrix(1, kFeatures)).array().exp();
    const auto draw = [&](Index rows) {
      Matrix out = stream.normal_matrix(rows, 10) * factors + stream.normal_matrix(rows, kFeatures);
      out = (out.array().rowwise() * scale.array()).rowwise() + place.array();
      return out;
    };
    groups.add(std::to_string(m), draw(kRows));
    unseen.push_back(draw(50));
  }
  const AffineLayer layer = fit(groups);
  for (Index m = 0; m < kGroups; ++m) {
    EXPECT_LT(spread_of(moved(layer, m, unseen[m])), 1.2 * spread_of(unseen[m])) << "group " << m;
  }
}

TEST(ShrunkenBarycenter, FadesWithTheRows) {
  for (const Index count : {2, 3, 10}) {
    double last = std::numeric_limits<double>::infinity();
    for (const Index rows : {50, 500, 20000}) {
      const GroupSet groups = make_gaussian_groups(count, 4, rows, 7);
      const AffineLayer layer = fit(groups);
      const Matrix first = sample_covariance(moved(layer, 0, groups[0].rows));
      double off = 0;
      for (Index m = 1; m < count; ++m) {
        const Matrix other = sample_covariance(moved(layer, m, groups[m].rows));
        off = std::max(off, (other - first).norm() / first.norm());
      }
      EXPECT_LT(off, last) << count << " groups of " << rows;
      last = off;
    }
    EXPECT_LT(last, 0.02) << count << " groups";
  }
}

// Chance alone makes the correlations of samples differ: they are not turned by it.
TEST(ShrunkenBarycenter, HardlyTurnsSamplesOfOneLaw) {
  Stream stream(3, Purpose::kTest);
  GroupSet groups;
  groups.add("a", stream.normal_matrix(40, 20));
  groups.add("b", stream.normal_matrix(40, 20));
  SelfCommunicator comm;
  const AffineLayer plain =
      fit_affine_layer(groups, all_rows(groups), {0.5, 0.5}, 1, comm, Workers(1));
  const auto turned = [](const AffineLayer& layer) {
    return (layer.maps()[0].matrix - Matrix::Identity(20, 20)).norm();
  };
  EXPECT_LT(turned(fit(groups)), 0.25 * turned(plain));
}

TEST(ShrunkenBarycenter, KeepsTheLawsOfLayers) {
  for (const Index rows : {4, 100}) {  // fewer than features, and more
    const GroupSet groups = make_gaussian_groups(3, 6, rows, 4);
    for (const double strength : {1.0, 0.4}) {
      check_layer_laws(fit(groups, strength), 3, Stream(5, Purpose::kTest));
    }
  }
}

TEST(ShrunkenBarycenter, GoesAFractionOfTheWay) {
  const GroupSet groups = make_gaussian_groups(3, 6, 30, 6);
  const AffineLayer full = fit(groups), part = fit(groups, 0.3);
  for (Index m = 0; m < 3; ++m) {
    const Matrix expected = 0.7 * groups[m].rows.to_matrix() + 0.3 * moved(full, m, groups[m].rows);
    EXPECT_LT((moved(part, m, groups[m].rows) - expected).norm(), 1e-10 * expected.norm());
  }
}

TEST(ShrunkenBarycenter, LeavesTheTargetWhereItIs) {
  const GroupSet groups = make_gaussian_groups(3, 6, 2000, 7);
  const AffineLayer layer = fit(groups, 1, {0, 1, 0});
  const Matrix target = groups[1].rows.to_matrix();
  EXPECT_EQ(moved(layer, 1, target), target);
  const Matrix other = moved(layer, 0, groups[0].rows);
  EXPECT_LT((other.colwise().mean() - target.colwise().mean()).norm(), 0.05);
  EXPECT_LT((sample_covariance(other) - sample_covariance(target)).norm(),
            0.1 * sample_covariance(target).norm());
}

TEST(ShrunkenBarycenter, HasTheSameBitsOnAnyNumberOfThreads) {
  const GroupSet groups = make_gaussian_groups(4, 8, 30, 8);
  const AffineLayer one = fit(groups, 1, {}, 1), four = fit(groups, 1, {}, 4);
  for (Index m = 0; m < 4; ++m) EXPECT_EQ(one.maps()[m].matrix, four.maps()[m].matrix);
}

TEST(ShrunkenBarycenter, GivesANewGroupTheBitsOfAnOldOneWithItsRows) {
  const GroupSet groups = make_gaussian_groups(3, 6, 50, 9);
  const AffineLayer layer = fit(groups);
  GroupSet again;
  again.add("again", groups[1].rows);
  const AffineLayer::Map map =
      fit_shrunken_affine_map(again, all_rows(again), layer.barycenter(), 1, Workers(1));
  EXPECT_EQ(map.matrix, layer.maps()[1].matrix);
  EXPECT_EQ(map.inverse, layer.maps()[1].inverse);
}

// Units differ by nine orders, a feature is constant everywhere, another in one group, and a group
// has one row.
TEST(ShrunkenBarycenter, SurvivesWhatHasNoSpread) {
  Stream stream(10, Purpose::kTest);
  Matrix a = stream.normal_matrix(30, 5), b = stream.normal_matrix(30, 5);
  a.col(0).setConstant(0.3);
  b.col(0).setConstant(0.3);
  a.col(1).setConstant(7);
  a.col(2) *= 1e9;
  b.col(2) *= 2e9;
  GroupSet groups;
  groups.add("a", Matrix(a));
  groups.add("b", Matrix(b));
  groups.add("one", stream.normal_matrix(1, 5));
  const AffineLayer layer = fit(groups);
  for (Index m = 0; m < 3; ++m) {
    const Matrix there = moved(layer, m, groups[m].rows);
    EXPECT_TRUE(there.allFinite());
    Matrix back = there;
    layer.inverse(m, Rows(back), nullptr);
    const Matrix off = back - groups[m].rows.to_matrix();
    for (Index j = 0; j < 5; ++j) EXPECT_LT(off.col(j).norm(), j == 2 ? 1 : 1e-5);
  }
  // Other features must not leak into units of their own by nine orders.
  EXPECT_LT((moved(layer, 0, a).col(1).array() - 7).abs().maxCoeff(), 10);
}

}  // namespace shrunken_barycenter_test
}  // namespace conflux
