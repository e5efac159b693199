// A group that all others are moved to stays where it is.

#include <gtest/gtest.h>

#include <string>

#include "conflux/training/fit.h"
#include "core/rng.h"
#include "options/option_table.h"

namespace conflux {
namespace target_test {

// Three groups of unlike places, spreads and shapes.
GroupSet unlike_groups() {
  GroupSet out;
  Stream stream(5, Purpose::kTest);
  for (int m = 0; m < 3; ++m) {
    Matrix rows = stream.normal_matrix(150, 3);
    rows.col(0) = (1 + 0.4 * m) * rows.col(0).array() + m;
    rows.col(1).array() += 0.5 * m * rows.col(0).array().square();
    out.add(std::string(1, static_cast<char>('a' + m)), std::move(rows));
  }
  return out;
}

// Directions are rotated there and back, so that single bits may be lost.
TEST(Target, StaysInPlaceUnderEveryMethodThatHasOne) {
  const GroupSet groups = unlike_groups();
  const Matrix before = groups[1].rows.to_matrix();
  for (const MethodInfo& method : kMethods) {
    if ((kMethodsWithBarycenter & only(method.id)) == 0) continue;
    FitOptions options{.method = method.id};
    options.target = "b";
    options.threads = 1;
    const Fit fit = fit_flow(groups, options);
    const Matrix after = fit.flow.forward(1, groups[1].rows, Workers(1));
    EXPECT_LT((after - before).cwiseAbs().maxCoeff(), 1e-12) << method.name;
    const Matrix other = groups[0].rows.to_matrix();
    EXPECT_GT((fit.flow.forward(0, groups[0].rows, Workers(1)) - other).norm(), 1) << method.name;
  }
}

}  // namespace target_test
}  // namespace conflux
