#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conflux/toys/toy.h"
#include "conflux/training/fit.h"
#include "tests/support/layer_laws.h"

namespace conflux {
namespace gated_edges_test {

constexpr Index kDim = 8;

// Rows around some of three centers, one after the other.
Matrix rows_around(const std::vector<Index>& centers, Index count, Stream& stream) {
  Matrix out = stream.normal_matrix(count, kDim);
  for (Index i = 0; i < count; ++i) out(i, centers[i % centers.size()]) += 12;
  return out;
}

// A group of five rows, one of a single type, rows that count nothing or twice, and more clusters
// than there are types, found by matching: some have no rows in some groups.
TEST(GatedEdges, TinyGroupsMassesAndClustersThatAGroupLacks) {
  Stream stream(12, Purpose::kTest);
  const std::vector<Matrix> rows = {rows_around({0, 0, 1, 2}, 400, stream),
                                    rows_around({2}, 300, stream),
                                    rows_around({0, 1, 2}, 5, stream)};
  GroupSet groups;
  for (std::size_t m = 0; m < rows.size(); ++m) {
    std::vector<double> masses(static_cast<std::size_t>(rows[m].rows()), 1.0);
    masses[0] = 0;
    masses[1] = 2;
    groups.add(std::string(1, static_cast<char>('a' + m)), Matrix(rows[m]), std::move(masses));
  }
  const Fit fit = fit_flow(groups, {.layers = 10, .gate = Gating::kClusters, .clusters = 8});
  ASSERT_EQ(fit.flow.layer(0).kind(), "gated");
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Matrix there = fit.flow.forward(m, rows[m], Workers(2));
    EXPECT_TRUE(there.allFinite());
    const Matrix back = fit.flow.inverse(m, there, Workers(2));
    EXPECT_LT((back - rows[m]).cwiseAbs().maxCoeff(), 1e-9);
  }
  check_layer_laws(fit.flow.layer(0), groups.num_groups(), Stream(6, Purpose::kTest), {-5, 15});
}

void expect_return(const Fit& fit, const GroupSet& groups) {
  const Workers workers(2);
  const Matrix there = fit.flow.forward(0, groups[0].rows, workers);
  const Matrix back = fit.flow.inverse(0, there, workers);
  EXPECT_LT((back - Matrix(groups[0].rows.eigen())).cwiseAbs().maxCoeff(), 1e-9);
}

// Most labels have one row or two, and some none: their rows were set aside before the fit. None of
// them may be among the rows that maps are judged by, or among those that make the judged maps.
TEST(GatedEdges, ServeLabelsThatAlmostEveryRowHasOfItsOwnOrNone) {
  GroupSet groups = make_gaussian_groups(2, 4, 150, 8);
  std::vector<std::string> names;
  std::vector<std::vector<Index>> labels(2);
  for (Index i = 0; i < 150; ++i) {
    names.push_back(std::to_string(i));
    labels[0].push_back(i / 2 * 2);
    labels[1].push_back((149 - i) / 2 * 2);
  }
  groups.set_labels(names, labels);
  const Fit fit = fit_flow(groups, {.layers = 5, .gate = Gating::kLabel});
  EXPECT_THAT(fit.record.warnings,
              testing::Contains(testing::HasSubstr("the label has 150 values for 300 rows")));
  expect_return(fit, groups);
}

}  // namespace gated_edges_test
}  // namespace conflux
