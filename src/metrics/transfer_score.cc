#include "metrics/transfer_score.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "kernels/product.h"
#include "metrics/ranks.h"

namespace conflux {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr Index kRowsPredictedAtOnce = 64;
constexpr Index kFeaturesPerScore = 16;

// Ranks with mean 0 and mean square 1; all 0 if all values are equal.
std::vector<double> standard_ranks(std::span<const double> values) {
  std::vector<double> ranks = midranks(values);
  const double middle = 0.5 * static_cast<double>(values.size() + 1);
  double squares = 0;
  for (double& rank : ranks) {
    rank -= middle;
    squares += rank * rank;
  }
  if (squares == 0) return ranks;
  const double factor = std::sqrt(static_cast<double>(ranks.size()) / squares);
  for (double& rank : ranks) rank *= factor;
  return ranks;
}

struct NearRow {
  double square;
  Index row;

  bool operator<(const NearRow& other) const {
    return square < other.square || (square == other.square && row < other.row);
  }
};

// Equal means stay equal, in whatever order their terms were added.
double on_grid(double value) {
  constexpr double kGrid = 0x1p-32;
  return std::nearbyint(value / kGrid) * kGrid;
}

// The rank correlation of one feature in one group; adds the influence of its rows.
double score_cell(std::span<const double> predicted, std::span<const double> ranks,
                  std::span<double> influences) {
  std::vector<Index> known;
  std::vector<double> values;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!std::isfinite(ranks[i])) continue;
    known.push_back(static_cast<Index>(i));
    values.push_back(predicted[i]);
  }
  const std::vector<double> u = standard_ranks(values);
  const double count = static_cast<double>(known.size());
  double r = 0;
  for (std::size_t i = 0; i < u.size(); ++i) r += u[i] * ranks[known[i]] / count;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double v = ranks[known[i]];
    influences[known[i]] += (u[i] * v - 0.5 * r * (u[i] * u[i] + v * v)) / count;
  }
  return r;
}

}  // namespace

Matrix ranks_within_groups(const GroupSet& judged, const Workers& workers) {
  Matrix out(judged.dim(), judged.num_samples());
  workers.for_each_block(judged.dim(), kFeaturesPerScore, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      Index first = 0;
      for (Index m = 0; m < judged.num_groups(); ++m) {
        const SampleRows& rows = judged[m].rows;
        std::vector<double> values;
        for (Index i = 0; i < rows.rows(); ++i) {
          if (std::isfinite(rows(i, j))) values.push_back(rows(i, j));
        }
        const std::vector<double> ranks = standard_ranks(values);
        std::size_t next = 0;
        for (Index i = 0; i < rows.rows(); ++i) {
          out(j, first + i) = std::isfinite(rows(i, j)) ? ranks[next++] : kMissing;
        }
        first += rows.rows();
      }
    }
  });
  return out;
}

Matrix comparable_rows(const GroupSet& moved) {
  const Index dim = moved.dim();
  Matrix out(moved.num_samples(), dim);
  Eigen::RowVectorXd within = Eigen::RowVectorXd::Zero(dim);
  Index first = 0;
  for (Index m = 0; m < moved.num_groups(); ++m) {
    const Matrix rows = moved[m].rows.to_matrix();
    for (Index j = 0; j < dim; ++j) {
      const auto known = rows.col(j).array().isFinite();
      const double count = static_cast<double>(known.count());
      const double mean = count > 0 ? known.select(rows.col(j).array(), 0.0).sum() / count : 0.0;
      const auto column = known.select(rows.col(j).array(), mean);
      out.col(j).segment(first, rows.rows()) = column;
      within(j) += (column - mean).square().sum();
    }
    first += rows.rows();
  }
  out.rowwise() -= out.colwise().mean().eval();
  for (Index j = 0; j < dim; ++j) {
    const double all = out.col(j).squaredNorm();
    // Squares below this part of all squares are rounding.
    const double squares = within(j) > 1e-12 * all ? within(j) : all;
    if (squares > 0) out.col(j) *= std::sqrt(static_cast<double>(out.rows()) / squares);
  }
  return out;
}

Matrix predict_from_other_groups(const Matrix& rows, const std::vector<Index>& group_of,
                                 const Matrix& ranks, Index neighbors, const Workers& workers) {
  const Index n = rows.rows();
  const Index dim = rows.cols();
  const Vector norms = rows.rowwise().squaredNorm();
  Matrix out(ranks.rows(), n);
  workers.for_each_block(n, kRowsPredictedAtOnce, [&](Index begin, Index end) {
    const Index width = kernels::padded_width<double>(end - begin);
    const std::vector<double> own =
        kernels::padded(Matrix(rows.middleRows(begin, end - begin).transpose()));
    std::vector<double> products(static_cast<std::size_t>(n * width));
    kernels::project(rows.data(), dim, n, dim, own.data(), width, products.data());
    std::vector<NearRow> candidates;
    for (Index i = begin; i < end; ++i) {
      candidates.clear();
      for (Index other = 0; other < n; ++other) {
        if (group_of[other] == group_of[i]) continue;
        candidates.push_back({norms(other) - 2 * products[other * width + i - begin], other});
      }
      const Index count = std::min(neighbors, static_cast<Index>(candidates.size()));
      std::nth_element(candidates.begin(), candidates.begin() + (count - 1), candidates.end());
      std::sort(candidates.begin(), candidates.begin() + count);
      for (Index j = 0; j < ranks.rows(); ++j) {
        double sum = 0;
        Index known = 0;
        for (Index k = 0; k < count; ++k) {
          const double rank = ranks(j, candidates[k].row);
          if (!std::isfinite(rank)) continue;
          sum += rank;
          ++known;
        }
        out(j, i) = known > 0 ? on_grid(sum / static_cast<double>(known)) : 0;
      }
    }
  });
  return out;
}

void score_block(const TransferPlan& plan, Index block, const Matrix& predictions,
                 FeatureTransfer& out, const Workers& workers) {
  const std::vector<Index>& features = plan.predicted[block];
  const Index count = static_cast<Index>(features.size());
  const Index tasks = (count + kFeaturesPerScore - 1) / kFeaturesPerScore;
  std::vector<std::vector<TransferCell>> cells(static_cast<std::size_t>(tasks));
  Matrix influences = Matrix::Zero(tasks, plan.ranks.cols());
  workers.for_each(tasks, [&](Index task) {
    const Index end = std::min(count, (task + 1) * kFeaturesPerScore);
    for (Index k = task * kFeaturesPerScore; k < end; ++k) {
      const Index j = features[k];
      Index first = 0;
      for (Index m = 0; m < plan.groups.num_groups(); ++m) {
        const Index size = out.rows[m];
        const std::span own(plan.ranks.row(plan.place[j]).data() + first,
                            static_cast<std::size_t>(size));
        const auto usable =
            std::count_if(own.begin(), own.end(), [](double rank) { return std::isfinite(rank); });
        const bool varies =
            std::any_of(own.begin(), own.end(), [](double rank) { return std::abs(rank) > 0; });
        if (usable >= kFewestRowsOfTransfer && varies) {
          const double score = score_cell({predictions.row(k).data() + first, own.size()}, own,
                                          {influences.row(task).data() + first, own.size()});
          cells[task].push_back({block, plan.cluster_of[j], j, m, score});
        }
        first += size;
      }
    }
  });
  for (Index task = 0; task < tasks; ++task) {
    out.cells.insert(out.cells.end(), cells[task].begin(), cells[task].end());
    for (Index i = 0; i < influences.cols(); ++i) out.row_influences[i] += influences(task, i);
  }
}

}  // namespace conflux
