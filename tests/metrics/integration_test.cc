#include "conflux/metrics/integration.h"

#include <gtest/gtest.h>

#include "conflux/core/error.h"
#include "core/rng.h"
#include "metrics/communities.h"

namespace conflux {
namespace integration_test {

const Workers kWorkers(2);

// Two labels that are separate; the batches of each are the same cloud, or are separate by `gap`.
struct Made {
  explicit Made(double gap, Index size = 60) {
    Stream stream(3, Purpose::kTest);
    rows = stream.normal_matrix(4 * size, 3);
    for (Index i = 0; i < rows.rows(); ++i) {
      batch_of.push_back(i % 2);
      label_of.push_back(i / (2 * size));
      rows(i, 0) += 20 * static_cast<double>(label_of.back());
      rows(i, 1) += gap * static_cast<double>(batch_of.back());
    }
  }

  Matrix rows = {};
  std::vector<Index> batch_of = {}, label_of = {};
};

TEST(IntegrationScores, AreNearOneWhereBatchesMixAndLabelsLieApart) {
  const Made raw(30), mixed(0);
  const IntegrationScores found =
      integration_scores(mixed.rows, mixed.batch_of, mixed.label_of, raw.rows, kWorkers);
  EXPECT_GT(*found.ilisi, 0.9);
  EXPECT_GT(*found.kbet, 0.9);
  EXPECT_GT(*found.batch_silhouette, 0.95);
  EXPECT_GT(*found.pc_regression, 0.95);
  EXPECT_GT(*found.label_silhouette, 0.9);
  EXPECT_NEAR(*found.clisi, 1, 1e-6);
  EXPECT_NEAR(*found.nmi, 1, 1e-12);
  EXPECT_NEAR(*found.ari, 1, 1e-12);
  EXPECT_EQ(*found.graph_connectivity, 1);
  EXPECT_GT(*found.total, 0.95);
}

TEST(IntegrationScores, OfBatchesAreNearZeroWhereTheseLieApart) {
  const Made raw(30);
  const IntegrationScores found =
      integration_scores(raw.rows, raw.batch_of, raw.label_of, raw.rows, kWorkers);
  EXPECT_LT(*found.ilisi, 0.05);
  EXPECT_EQ(*found.kbet, 0);
  EXPECT_LT(*found.batch_silhouette, 0.2);
  EXPECT_EQ(*found.graph_connectivity, 0.5);
  EXPECT_EQ(*found.pc_regression, 0);
}

// Which row stands first, how batches are numbered, scale and place must not matter.
TEST(IntegrationScores, DoNotDependOnOrderNumbersScaleOrPlace) {
  const Made raw(2);
  const auto found =
      integration_scores(raw.rows, raw.batch_of, raw.label_of, std::nullopt, kWorkers);
  const Matrix moved = (raw.rows.array() * 4 + 100).matrix().colwise().reverse();
  std::vector<Index> batches(raw.batch_of.rbegin(), raw.batch_of.rend());
  std::vector<Index> labels(raw.label_of.rbegin(), raw.label_of.rend());
  for (Index& each : batches) each = 7 - 3 * each;
  const auto other = integration_scores(moved, batches, labels, std::nullopt, kWorkers);
  EXPECT_FALSE(found.pc_regression);
  for (const auto& [name, score] : integration_score_names()) {
    if (!(found.*score)) continue;
    EXPECT_NEAR(*(found.*score), *(other.*score), 1e-4) << name;
  }
}

TEST(IntegrationScores, RefuseWhatTheyCannotScore) {
  const Made raw(0), few(0, 10);
  EXPECT_THROW(integration_scores(few.rows, few.batch_of, few.label_of, std::nullopt, kWorkers),
               InvalidData);
  EXPECT_THROW(integration_scores(raw.rows, std::vector<Index>(240, 1), raw.label_of, std::nullopt,
                                  kWorkers),
               InvalidData);
  EXPECT_THROW(
      integration_scores(raw.rows, raw.batch_of, std::vector<Index>(3, 1), std::nullopt, kWorkers),
      InvalidData);
}

// Figures of sklearn.metrics: normalized_mutual_info_score and adjusted_rand_score.
TEST(PartitionAgreement, IsThatOfSklearn) {
  const std::vector<Index> a = {0, 0, 0, 1, 1, 1, 2, 2, 2, 2};
  const std::vector<Index> b = {0, 0, 1, 1, 1, 1, 2, 2, 3, 3};
  const auto [nmi, ari] = partition_agreement(a, b);
  EXPECT_NEAR(nmi, 0.713703197579881, 1e-12);
  EXPECT_NEAR(ari, 0.4444444444444444, 1e-12);
  EXPECT_EQ(partition_agreement(a, a), (std::pair<double, double>(1, 1)));
}

// Two cliques with one edge between them.
TEST(Communities, AreCliques) {
  MatrixOf<Index> near(8, 3);
  for (Index i = 0; i < 8; ++i) {
    for (Index k = 0, j = i / 4 * 4; k < 3; ++j) {
      if (j != i) near(i, k++) = j;
    }
  }
  near(0, 2) = 4;
  const NeighborGraph graph = graph_of_neighbors(near, 3);
  EXPECT_EQ(find_communities(graph, 1), (std::vector<Index>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_GT(modularity(graph, find_communities(graph, 1), 1), 0.4);
  EXPECT_EQ(modularity(graph, std::vector<Index>(8, 0), 1), 0);
}

}  // namespace integration_test
}  // namespace conflux
