#include "metrics/lisi.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "conflux/core/error.h"
#include "conflux/metrics/moves.h"
#include "metrics/nearest_neighbors.h"

namespace conflux {

namespace {

constexpr double kEntropyTolerance = 1e-5;
constexpr int kTrials = 50;

// Weights of neighbors at the given distances, and their entropy.
struct Weights {
  Weights(const Eigen::RowVectorXd& distances, double beta) {
    values = (-beta * distances.array()).exp();
    const double sum = values.sum();
    if (sum == 0) {
      values.setZero();
      return;
    }
    entropy = std::log(sum) + beta * distances.dot(values) / sum;
    values /= sum;
  }

  Eigen::RowVectorXd values;
  double entropy = 0;
};

// Doubles or halves beta until the entropy is enclosed, then bisects.
Weights weights_of_perplexity(const Eigen::RowVectorXd& distances, double perplexity) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double beta = 1;
  double low = -kInfinity;
  double high = kInfinity;
  Weights weights(distances, beta);
  for (int trial = 0; trial < kTrials; ++trial) {
    const double excess = weights.entropy - std::log(perplexity);
    if (std::abs(excess) < kEntropyTolerance) break;
    if (excess > 0) {
      low = beta;
      beta = std::isinf(high) ? 2 * beta : (beta + high) / 2;
    } else {
      high = beta;
      beta = std::isinf(low) ? beta / 2 : (beta + low) / 2;
    }
    weights = Weights(distances, beta);
  }
  return weights;
}

}  // namespace

std::vector<double> lisi_of(const Neighbors& near, std::span<const Index> kinds, Index perplexity,
                            const Workers& workers) {
  std::map<Index, Index> number;
  for (const Index kind : kinds) number.try_emplace(kind, static_cast<Index>(number.size()));
  const Index count = lisi_neighbors(perplexity);
  std::vector<double> out(kinds.size());
  workers.for_each_block(near.rows.rows(), 64, [&](Index begin, Index end) {
    std::vector<double> mass(number.size());
    for (Index i = begin; i < end; ++i) {
      const Weights weights =
          weights_of_perplexity(near.distances.row(i).head(count), static_cast<double>(perplexity));
      std::fill(mass.begin(), mass.end(), 0.0);
      for (Index k = 0; k < count; ++k) {
        mass[number.at(kinds[near.rows(i, k)])] += weights.values(k);
      }
      double simpson = 0;
      for (const double each : mass) simpson += each * each;
      out[i] = 1 / simpson;
    }
  });
  return out;
}

std::vector<double> lisi(ConstRows rows, std::span<const Index> kinds, const LisiOptions& options,
                         const Workers& workers) {
  if (static_cast<Index>(kinds.size()) != rows.rows()) {
    throw InvalidData(fmt::format("there are {} rows but {} labels; give one label per row.",
                                  rows.rows(), kinds.size()));
  }
  if (options.perplexity < 1 || 3 * options.perplexity > rows.rows()) {
    throw InvalidOption(
        fmt::format("perplexity is {} but there are {} rows; choose from 1 to a third of the rows.",
                    options.perplexity, rows.rows()));
  }
  const Neighbors near = nearest_neighbors(rows, lisi_neighbors(options.perplexity), workers);
  return lisi_of(near, kinds, options.perplexity, workers);
}

}  // namespace conflux
