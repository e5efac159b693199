#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "conflux/core/error.h"
#include "conflux/metrics/moves.h"
#include "conflux/tables/table.h"
#include "core/rng.h"
#include "tests/metrics/clouds.h"
#include "tests/support/public_data.h"

namespace conflux {
namespace lisi_test {

const Workers kWorkers(2);

std::vector<Index> alternating(Index rows, Index kinds) {
  std::vector<Index> out;
  for (Index i = 0; i < rows; ++i) out.push_back(i % kinds);
  return out;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

// The index of one row by its definition: beta by bisection to the last bit.
double slow_lisi(const Matrix& rows, const std::vector<Index>& kinds, Index row, Index perplexity) {
  std::vector<std::pair<double, Index>> near;
  for (Index j = 0; j < rows.rows(); ++j) {
    if (j != row) near.emplace_back((rows.row(row) - rows.row(j)).norm(), j);
  }
  std::sort(near.begin(), near.end());
  near.resize(static_cast<std::size_t>(3 * perplexity - 1));
  std::map<Index, double> mass;
  double low = 1e-12;
  double high = 1e12;
  for (int step = 0; step < 300; ++step) {
    const double beta = std::sqrt(low * high);
    double sum = 0;
    for (const auto& each : near) sum += std::exp(-beta * each.first);
    double entropy = 0;
    mass.clear();
    for (const auto& [distance, j] : near) {
      const double p = std::exp(-beta * distance) / sum;
      if (p > 0) entropy -= p * std::log(p);
      mass[kinds[static_cast<std::size_t>(j)]] += p;
    }
    (entropy > std::log(static_cast<double>(perplexity)) ? low : high) = beta;
  }
  double simpson = 0;
  for (const auto& [kind, p] : mass) simpson += p * p;
  return 1 / simpson;
}

TEST(Lisi, IsTheDefinition) {
  const Matrix cloud = normal_cloud(150, 4, 1);
  const std::vector<Index> kinds = alternating(150, 3);
  const std::vector<double> found = lisi(cloud, kinds, {.perplexity = 12}, kWorkers);
  for (Index i = 0; i < 150; i += 7) {
    // Entropy is met within 1e-5.
    EXPECT_NEAR(found[static_cast<std::size_t>(i)], slow_lisi(cloud, kinds, i, 12), 1e-4);
  }
}

TEST(Lisi, IsOneAmongEqualsAndTheNumberOfClustersWhereTheyMix) {
  Matrix cloud = normal_cloud(600, 3, 2);
  const std::vector<Index> kinds = alternating(600, 2);
  const double mixed = median(lisi(cloud, kinds, {}, kWorkers));
  EXPECT_GT(mixed, 1.9);
  EXPECT_LE(mixed, 2);
  for (Index i = 1; i < 600; i += 2) cloud(i, 0) += 100;
  for (const double each : lisi(cloud, kinds, {}, kWorkers)) EXPECT_NEAR(each, 1, 1e-12);
}

TEST(Lisi, NamesOfClustersDoNotMatter) {
  const Matrix cloud = normal_cloud(200, 3, 3);
  std::vector<Index> kinds = alternating(200, 3);
  const std::vector<double> before = lisi(cloud, kinds, {}, kWorkers);
  for (Index& kind : kinds) kind = -1000 * kind + 5;
  EXPECT_EQ(lisi(cloud, kinds, {}, Workers(1)), before);
}

TEST(Lisi, RefusesWhatItCannotJudge) {
  const Matrix cloud = normal_cloud(80, 2, 4);
  EXPECT_THROW(lisi(cloud, alternating(79, 2), {}, kWorkers), InvalidData);
  EXPECT_THROW(lisi(cloud, alternating(80, 2), {}, kWorkers), InvalidOption);
  EXPECT_NO_THROW(lisi(cloud, alternating(80, 2), {.perplexity = 26}, kWorkers));
}

Matrix numbers_of(const Table& table) {
  Matrix out(table.num_rows(), table.num_columns());
  for (Index j = 0; j < out.cols(); ++j) {
    out.col(j) = Eigen::Map<const Vector>(table.columns[static_cast<std::size_t>(j)].numbers.data(),
                                          out.rows());
  }
  return out;
}

std::vector<Index> kinds_of(const Column& column) {
  std::map<std::string, Index> number;
  std::vector<Index> out;
  for (const std::string& text : column.text) {
    out.push_back(number.try_emplace(text, static_cast<Index>(number.size())).first->second);
  }
  return out;
}

// The fixture of the method's own implementations.
TEST(Lisi, GivesThePublishedFigures) {
  const auto folder = public_data("pbmc3500");
  if (!folder) GTEST_SKIP() << "pbmc3500 is absent; set CONFLUX_DATA to the folder that holds it";
  const Matrix rows = numbers_of(read_table(*folder / "lisi_x.tsv.gz"));
  const Table kinds = read_table(*folder / "lisi_metadata.tsv.gz");
  const Table expected = read_table(*folder / "lisi_lisi.tsv.gz");
  ASSERT_EQ(rows.rows(), 400);
  for (const char* label : {"label1", "label2"}) {
    const std::vector<double> found = lisi(rows, kinds_of(kinds[label]), {}, kWorkers);
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], expected[label].numbers[i], 1e-10);
    }
  }
}

TEST(Lisi, OfDonorsBeforeAndAfterHarmonyIsKnown) {
  const auto folder = public_data("pbmc3500");
  if (!folder) GTEST_SKIP() << "pbmc3500 is absent; set CONFLUX_DATA to the folder that holds it";
  const std::vector<Index> donors =
      kinds_of(read_table(*folder / "pbmc_3500_meta.tsv.gz")["donor"]);
  const auto median_of = [&](const char* file) {
    return median(lisi(numbers_of(read_table(*folder / file)), donors, {}, kWorkers));
  };
  EXPECT_NEAR(median_of("pbmc_3500_pcs.tsv.gz"), 1.404, 1e-3);
  EXPECT_NEAR(median_of("pbmc_3500_pcs_harmonized.tsv.gz"), 2.398, 1e-3);
}

}  // namespace lisi_test
}  // namespace conflux
