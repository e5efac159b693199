#include "conflux/components/components.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <random>

#include "conflux/core/error.h"
#include "tables/sparse_rows.h"
#include "tests/tables/files.h"

namespace conflux {
namespace components_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr Index kCells = 300, kGenes = 40;

/// Counts of cells whose depth varies, with three programs of genes.
Matrix counts(std::uint32_t seed) {
  std::mt19937 random(seed);
  Matrix out = Matrix::Zero(kCells, kGenes);
  for (Index i = 0; i < kCells; ++i) {
    const double depth = 0.3 + 0.02 * static_cast<double>(i % 50);
    for (Index j = 0; j < kGenes; ++j) {
      const double rate = depth * (j % 3 == i % 3 ? 6 : 0.5) * (1 + static_cast<double>(j % 5));
      out(i, j) = std::poisson_distribution<int>(rate)(random);
    }
  }
  return out;
}

std::filesystem::path write_mtx(const TemporaryFolder& folder, const std::string& name,
                                const Matrix& rows) {
  std::string entries;
  Index count = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) {
      if (rows(i, j) == 0) continue;
      entries += fmt::format("{} {} {}\n", i + 1, j + 1, rows(i, j));
      ++count;
    }
  }
  return folder.with(
      name, fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n{}", rows.rows(),
                        rows.cols(), count, entries));
}

// By the definition of words, with nothing left out.
Matrix log1p_cp10k(Matrix rows) {
  for (Index i = 0; i < rows.rows(); ++i) rows.row(i) *= 1e4 / rows.row(i).sum();
  return rows.array().log1p();
}

struct Reference {
  Matrix loadings;
  Vector variances;
};

Reference dense_components(const Matrix& rows, Index count) {
  const Matrix centered = rows.rowwise() - rows.colwise().mean();
  const Matrix covariance = centered.transpose() * centered / static_cast<double>(rows.rows() - 1);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver{Eigen::MatrixXd(covariance)};
  return {solver.eigenvectors().rightCols(count).rowwise().reverse(),
          solver.eigenvalues().tail(count).reverse()};
}

TEST(Components, AreThoseOfTheCovarianceOfNormalizedRows) {
  const TemporaryFolder folder;
  const Matrix rows = counts(1);
  const auto path = write_mtx(folder, "a.mtx", rows);
  const Components found =
      fit_components({path}, {.count = 2, .normalization = Normalization::kLog1pCp10k}, {});
  const Reference expected = dense_components(log1p_cp10k(rows), 2);
  EXPECT_TRUE(found.variances.isApprox(expected.variances, 1e-4));
  // The span is what counts: its projector.
  const Matrix one = found.loadings * found.loadings.transpose();
  const Matrix other = expected.loadings * expected.loadings.transpose();
  EXPECT_LT((one - other).norm(), 1e-2);
  EXPECT_TRUE(found.of_counts);
}

TEST(Components, AreTheSameBitsForAnyNumberOfThreadsAndAnyCutIntoFiles) {
  const TemporaryFolder folder;
  const Matrix rows = counts(2);
  const std::string whole = write_mtx(folder, "whole.mtx", rows);
  const Components one = fit_components({whole}, {.count = 5}, {.threads = 1});
  const Components two = fit_components({whole}, {.count = 5}, {.threads = 2});
  EXPECT_EQ(one.loadings, two.loadings);
  EXPECT_EQ(one.variances, two.variances);
  const std::string first = write_mtx(folder, "first.mtx", rows.topRows(100));
  const std::string second = write_mtx(folder, "second.mtx", rows.bottomRows(200));
  const Components cut = fit_components({first, second}, {.count = 5}, {});
  EXPECT_TRUE(cut.variances.isApprox(one.variances, 1e-6));
}

TEST(Components, ProjectNewRowsInBlocksOfAnySize) {
  const TemporaryFolder folder;
  const std::string path = write_mtx(folder, "a.mtx", counts(3));
  const std::string fresh = write_mtx(folder, "b.mtx", counts(4));
  const Components components =
      fit_components({path}, {.count = 4, .normalization = Normalization::kLog1pCp10k}, {});
  const Table whole = open_projected(fresh, {}, components)->read_rest();
  const Matrix expected =
      (log1p_cp10k(counts(4)).rowwise() - components.mean.transpose()) * components.loadings;
  const auto reader = open_projected(fresh, {}, components);
  Table blocks, block;
  reader->read(blocks, 7);
  while (reader->read(block, 7)) blocks.append(block);
  EXPECT_TRUE(same_table(whole, blocks));
  for (Index k = 0; k < 4; ++k) {
    for (Index i = 0; i < kCells; ++i) {
      EXPECT_NEAR(whole.columns[k].numbers[i], expected(i, k), 1e-10);
    }
  }
}

// Genes change by what their components change, and by nothing else.
TEST(Components, CorrectedGenesKeepTheirResidual) {
  const TemporaryFolder folder;
  const std::string path = write_mtx(folder, "a.mtx", counts(5));
  const Components components = fit_components({path}, {.count = 3}, {});
  const auto reader = open_projected(path, {}, components);
  Table block;
  reader->read(block, kCells);
  const Workers workers(2);
  const Matrix before = reader->last_scores();
  EXPECT_EQ(components.corrected(reader->last_rows(), before, before, workers), counts(5));
  const Matrix after = 2 * before;
  const Matrix moved = components.corrected(reader->last_rows(), before, after, workers);
  const Matrix centered = moved.rowwise() - components.mean.transpose();
  EXPECT_TRUE((centered * components.loadings).isApprox(after, 1e-10));
  const auto residual = [&](const Matrix& rows) {
    const Matrix c = rows.rowwise() - components.mean.transpose();
    return Matrix(c - c * components.loadings * components.loadings.transpose());
  };
  EXPECT_LT((residual(moved) - residual(counts(5))).norm(), 1e-8);
}

TEST(Components, GenesAreFoundByName) {
  const TemporaryFolder folder;
  const Matrix rows = counts(6);
  const auto named = [&](const std::string& name, const Matrix& values,
                         const std::vector<Index>& genes) {
    std::filesystem::create_directory(folder / name);
    write_mtx(folder, name + "/matrix.mtx", values(Eigen::all, genes));
    std::string lines;
    for (const Index j : genes) lines += fmt::format("gene{}\n", j);
    folder.with(name + "/genes.tsv", lines);
    return folder / name;
  };
  std::vector<Index> some, turned, few;
  for (Index j = 0; j < 30; ++j) some.push_back(j);
  for (Index j = kGenes - 1; j >= 0; --j) turned.push_back(j);
  for (Index j = 0; j < 29; ++j) few.push_back(j);
  const std::string first = named("first", rows, some);
  const Components components =
      fit_components({first}, {.count = 3, .normalization = Normalization::kLog1pCp10k}, {});
  const auto reader = open_projected(named("turned", rows, turned), {}, components);
  EXPECT_THAT(reader->notes().back(), HasSubstr("10 genes that the model does not have"));
  const Table expected = open_projected(first, {}, components)->read_rest();
  const Table found = reader->read_rest();
  for (Index k = 0; k < 3; ++k) {
    for (Index i = 0; i < kCells; ++i) {
      EXPECT_NEAR(found.columns[k].numbers[i], expected.columns[k].numbers[i], 1e-10);
    }
  }
  EXPECT_THAT([&] { open_projected(named("few", rows, few), {}, components); },
              ThrowsMessage<InvalidData>(HasSubstr("1 of 30 genes are not there, the first is "
                                                   "\"gene29\"")));
}

TEST(Components, RefusalsNameWhatToDo) {
  const TemporaryFolder folder;
  const std::string path = write_mtx(folder, "a.mtx", counts(7));
  EXPECT_THAT([&] { fit_components({path}, {.count = 41}, {}); },
              ThrowsMessage<InvalidOption>(HasSubstr("300 rows and 40 genes; choose fewer")));
  EXPECT_EQ(fit_components({path}, {.count = 50, .or_fewer = true}, {}).count(), 40);
  EXPECT_THAT([&] { fit_components({folder.with("t.csv", "x\n1\n")}, {}, {}); },
              ThrowsMessage<InvalidOption>(HasSubstr("leave out --pca")));
  const std::string negative = write_mtx(folder, "n.mtx", -counts(7));
  EXPECT_THAT(
      [&] {
        fit_components({negative}, {.count = 2, .normalization = Normalization::kLog1pCp10k}, {});
      },
      ThrowsMessage<InvalidData>(HasSubstr("counts, which are not negative")));
}

}  // namespace components_test
}  // namespace conflux
