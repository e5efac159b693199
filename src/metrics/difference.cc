#include "metrics/difference.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/rng.h"

namespace conflux {

namespace {

// Random deals that the groups are compared with; 199 resolve a probability of 0.005.
constexpr Index kDeals = 199;
// Rows of all groups together that are compared with each other, fewer when features are many.
constexpr Index kMostRows = 1000;
constexpr Index kFewestRows = 100;
constexpr double kMostProducts = 2e9;
// Guessing costs one classifier per group and fold; many groups are compared by distances alone.
constexpr Index kMostGuessedGroups = 8;
constexpr Index kMostGuessedRows = 20'000;

struct Sample {
  Matrix rows;
  std::vector<Index> group;
};

// The same share of every group, at least two rows.
Sample draw_sample(const GroupSet& groups, Index most, std::uint64_t seed) {
  const double share =
      std::min(1.0, static_cast<double>(most) / static_cast<double>(groups.num_samples()));
  std::vector<std::vector<Index>> chosen;
  Index total = 0;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Index count = groups[m].rows.rows();
    Stream stream(seed, Purpose::kDifference, static_cast<std::uint64_t>(m));
    chosen.push_back(stream.permutation(count));
    const auto kept = static_cast<Index>(std::ceil(share * static_cast<double>(count)));
    chosen.back().resize(static_cast<std::size_t>(std::min(count, std::max<Index>(2, kept))));
    total += static_cast<Index>(chosen.back().size());
  }
  Sample out{Matrix(total, groups.dim()), {}};
  for (Index m = 0; m < groups.num_groups(); ++m) {
    for (const Index row : chosen[static_cast<std::size_t>(m)]) {
      groups[m].rows.copy_row(row, out.rows.row(static_cast<Index>(out.group.size())).data());
      out.group.push_back(m);
    }
  }
  return out;
}

// Values become ranks in [0, 1], equal ones their mean rank: units and tails do not count.
void rank_features(Matrix& rows, const Workers& workers) {
  const Index count = rows.rows();
  workers.for_each(rows.cols(), [&](Index j) {
    std::vector<Index> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(),
              [&](Index a, Index b) { return rows(a, j) < rows(b, j); });
    std::vector<double> ranks(order.size());
    for (std::size_t first = 0; first < order.size();) {
      std::size_t last = first;
      while (last < order.size() && !(rows(order[first], j) < rows(order[last], j))) ++last;
      const double mean = 0.5 * static_cast<double>(first + last - 1);
      for (; first < last; ++first) ranks[static_cast<std::size_t>(order[first])] = mean;
    }
    for (Index i = 0; i < count; ++i)
      rows(i, j) = ranks[static_cast<std::size_t>(i)] / static_cast<double>(count);
  });
}

Matrix distances_between(const Matrix& rows, const Workers& workers) {
  Matrix out = Matrix::Zero(rows.rows(), rows.rows());
  workers.for_each(rows.rows(), [&](Index i) {
    for (Index j = 0; j < i; ++j) out(i, j) = (rows.row(i) - rows.row(j)).norm();
  });
  return out;
}

// Mean distance within each group times half of its rows, summed: smaller when groups differ.
double distance_within(const Matrix& distances, const std::vector<Index>& group,
                       const std::vector<double>& sizes) {
  std::vector<double> sums(sizes.size(), 0.0);
  for (std::size_t i = 0; i < group.size(); ++i) {
    const double* row = distances.data() + static_cast<Index>(i) * distances.cols();
    double sum = 0;
    for (std::size_t j = 0; j < i; ++j) sum += group[j] == group[i] ? row[j] : 0;
    sums[static_cast<std::size_t>(group[i])] += sum;
  }
  double total = 0;
  for (std::size_t m = 0; m < sizes.size(); ++m) total += sizes[m] > 0 ? sums[m] / sizes[m] : 0;
  return total;
}

double distance_p_value(const GroupSet& groups, std::uint64_t seed, const Workers& workers) {
  const double affordable = std::sqrt(kMostProducts / static_cast<double>(groups.dim()));
  const Index most = std::clamp(static_cast<Index>(affordable), kFewestRows, kMostRows);
  Sample sample = draw_sample(groups, most, seed);
  rank_features(sample.rows, workers);
  const Matrix distances = distances_between(sample.rows, workers);
  std::vector<double> sizes(static_cast<std::size_t>(groups.num_groups()), 0.0);
  for (const Index m : sample.group) sizes[static_cast<std::size_t>(m)] += 1;
  const double seen = distance_within(distances, sample.group, sizes);
  std::vector<char> as_small(static_cast<std::size_t>(kDeals), 0);
  workers.for_each(kDeals, [&](Index deal) {
    Stream stream(seed, Purpose::kDifference, 1, static_cast<std::uint64_t>(deal) + 1);
    const std::vector<Index> order = stream.permutation(static_cast<Index>(sample.group.size()));
    std::vector<Index> dealt;
    dealt.reserve(order.size());
    for (const Index i : order) dealt.push_back(sample.group[static_cast<std::size_t>(i)]);
    const bool small = distance_within(distances, dealt, sizes) <= seen;
    as_small[static_cast<std::size_t>(deal)] = small ? 1 : 0;
  });
  const auto count = std::count(as_small.begin(), as_small.end(), 1);
  return static_cast<double>(count + 1) / static_cast<double>(kDeals + 1);
}

bool can_be_guessed(const GroupSet& groups, const GuessingOptions& options) {
  if (groups.num_groups() > kMostGuessedGroups) return false;
  Index large = 0;
  for (Index m = 0; m < groups.num_groups(); ++m) large += groups[m].rows.rows() >= options.folds;
  return large >= 2;
}

}  // namespace

GroupDifference find_difference(const GroupSet& groups, double error_rate, std::uint64_t seed,
                                const Workers& workers) {
  const GuessingOptions guessing{.max_rows = kMostGuessedRows, .seed = seed};
  const bool guess = can_be_guessed(groups, guessing);
  const double rate = guess ? 0.5 * error_rate : error_rate;
  GroupDifference out;
  out.distance_p = distance_p_value(groups, seed, workers);
  out.found = out.distance_p <= rate;
  if (out.found || !guess) return out;
  out.guess = guess_groups(groups, guessing, workers);
  out.found = out.guess->p_value <= rate;
  return out;
}

}  // namespace conflux
