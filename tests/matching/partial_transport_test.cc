#include "matching/partial_transport.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "core/rng.h"

namespace conflux {
namespace partial_transport_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Matrix random_costs(Index rows, Index cols, std::uint64_t number) {
  Stream stream(number, Purpose::kTest);
  return stream.normal_matrix(rows, cols).cwiseAbs2();
}

Vector even(Index count) { return Vector::Constant(count, 1 / static_cast<double>(count)); }

// The cheapest of all partial pairings of unit masses, where every pair left out costs `price`.
double cheapest(const Matrix& costs, double price, Index row, std::vector<bool>& taken) {
  if (row == costs.rows()) return 0;
  double best = price + cheapest(costs, price, row + 1, taken);
  for (Index j = 0; j < costs.cols(); ++j) {
    if (taken[j]) continue;
    taken[j] = true;
    best = std::min(best, costs(row, j) + cheapest(costs, price, row + 1, taken));
    taken[j] = false;
  }
  return best;
}

double paid(const PartialPlan& plan, const Matrix& costs, double price) {
  return plan.shipped.cwiseProduct(costs).sum() + price * (1 - plan.mass);
}

// Masses that are all alike have an optimal plan that ships whole masses.
TEST(PartialTransport, IsAsCheapAsTheBestOfAllPairings) {
  for (std::uint64_t number = 0; number < 20; ++number) {
    const Matrix costs = random_costs(5, 5, number);
    for (const double price : {0.05, 0.3, 1.0, 5.0}) {
      std::vector<bool> taken(5, false);
      const double best = cheapest(costs, price, 0, taken) / 5;
      const PartialPlan plan = partial_transport(costs, even(5), even(5), price, 1);
      EXPECT_NEAR(paid(plan, costs, price), best, 1e-12);
    }
  }
}

TEST(PartialTransport, ShipsEverythingAtAnyPriceAndKeepsTheMasses) {
  const Matrix costs = random_costs(4, 7, 1);
  Vector supply(4);
  supply << 0.1, 0.2, 0.3, 0.4;
  const PartialPlan plan = partial_transport(costs, supply, even(7), kInfinity, 1);
  EXPECT_NEAR(plan.mass, 1, 1e-9);
  EXPECT_LT((plan.shipped.rowwise().sum() - supply).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((plan.shipped.colwise().sum().transpose() - even(7)).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_GE(plan.shipped.minCoeff(), 0);
}

// This is what makes a search over prices unnecessary.
TEST(PartialTransport, TellsThePriceAtWhichAFractionIsShipped) {
  for (std::uint64_t number = 0; number < 10; ++number) {
    const Matrix costs = random_costs(8, 6, number);
    const double need = partial_transport(costs, even(8), even(6), kInfinity, 0.37).price;
    EXPECT_LT(partial_transport(costs, even(8), even(6), need * (1 - 1e-9), 1).mass, 0.37);
    EXPECT_GE(partial_transport(costs, even(8), even(6), need * (1 + 1e-9), 1).mass, 0.37 - 1e-12);
  }
}

TEST(PartialTransport, LeavesForbiddenPairsAndMissingMassAlone) {
  Matrix costs(2, 2);
  costs << 1, kInfinity, kInfinity, kInfinity;
  const PartialPlan plan = partial_transport(costs, even(2), even(2), kInfinity, 1);
  EXPECT_DOUBLE_EQ(plan.mass, 0.5);
  EXPECT_DOUBLE_EQ(plan.shipped(0, 0), 0.5);
  EXPECT_EQ(partial_transport(Matrix(0, 2), Vector(0), even(2), kInfinity, 1).mass, 0);
}

}  // namespace partial_transport_test
}  // namespace conflux
