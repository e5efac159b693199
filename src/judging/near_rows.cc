#include "judging/near_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/rng.h"

namespace conflux {

namespace {

// Rows of one task; a constant, so that sums do not depend on threads.
constexpr Index kBlock = 64;
// The largest of 19 random assignments is exceeded by a twentieth one in 1 of 20 cases.
constexpr Index kPermutations = 19;

// RowSplit 0 is the real one.
using Permutations = std::vector<std::vector<Index>>;

Permutations permute_groups(const std::vector<Index>& group_of, std::uint64_t seed) {
  Permutations out = {group_of};
  for (Index k = 0; k < kPermutations; ++k) {
    Stream stream(seed, Purpose::kMetric, static_cast<std::uint64_t>(k), 7);
    const std::vector<Index> order = stream.permutation(static_cast<Index>(group_of.size()));
    std::vector<Index>& permuted = out.emplace_back(group_of.size());
    for (std::size_t i = 0; i < permuted.size(); ++i) permuted[i] = group_of[order[i]];
  }
  return out;
}

// Sums of distances from the rows of each group, to its own rows and to all; a row per permutation.
struct Sums {
  Matrix own, all;
  double hits = 0, asked = 0;

  explicit Sums(Index groups)
      : own(Matrix::Zero(kPermutations + 1, groups)),
        all(Matrix::Zero(kPermutations + 1, groups)) {}
};

void add_distances(const Eigen::Ref<const Matrix>& distances, Index begin,
                   const Permutations& permutations, Sums& sums) {
  for (Index i = 0; i < distances.rows(); ++i) {
    const double total = distances.row(i).sum();
    for (Index k = 0; k <= kPermutations; ++k) {
      const std::vector<Index>& group_of = permutations[k];
      const Index group = group_of[begin + i];
      double own = 0;
      for (Index j = 0; j < distances.cols(); ++j) {
        own += group_of[j] == group ? distances(i, j) : 0.0;
      }
      sums.own(k, group) += own;
      sums.all(k, group) += total;
    }
  }
}

void ask_neighbors(const Eigen::Ref<const Matrix>& distances, Index begin,
                   const std::vector<Index>& group_of, const std::vector<Index>& label_of,
                   Sums& sums) {
  if (label_of.empty()) return;
  for (Index i = 0; i < distances.rows(); ++i) {
    if (label_of[begin + i] < 0) continue;
    Index nearest = -1;
    for (Index j = 0; j < distances.cols(); ++j) {
      if (label_of[j] < 0 || group_of[j] == group_of[begin + i]) continue;
      if (nearest < 0 || distances(i, j) < distances(i, nearest)) nearest = j;
    }
    if (nearest < 0) continue;
    sums.asked += 1;
    sums.hits += label_of[nearest] == label_of[begin + i] ? 1 : 0;
  }
}

Sums sum_up(ConstRows rows, const Permutations& permutations, const std::vector<Index>& label_of,
            Index groups, const Workers& workers) {
  // Distances come from products, which lose digits far from the origin.
  Matrix centered = rows.eigen();
  centered.rowwise() -= centered.colwise().mean().eval();
  const Vector squares = centered.rowwise().squaredNorm();
  const Index blocks = (rows.rows() + kBlock - 1) / kBlock;
  std::vector<Sums> parts(static_cast<std::size_t>(blocks), Sums(groups));
  workers.for_each(blocks, [&](Index block) {
    const Index begin = block * kBlock, count = std::min(kBlock, rows.rows() - begin);
    Matrix distances = -2 * centered.middleRows(begin, count) * centered.transpose();
    distances.colwise() += squares.segment(begin, count);
    distances.rowwise() += squares.transpose();
    distances = distances.cwiseMax(0).cwiseSqrt();
    for (Index i = 0; i < count; ++i) distances(i, begin + i) = 0;
    add_distances(distances, begin, permutations, parts[block]);
    ask_neighbors(distances, begin, permutations[0], label_of, parts[block]);
  });
  for (std::size_t block = 1; block < parts.size(); ++block) {
    parts[0].own += parts[block].own;
    parts[0].all += parts[block].all;
    parts[0].hits += parts[block].hits;
    parts[0].asked += parts[block].asked;
  }
  return parts[0];
}

// Energy distances of one permutation, in mean distances within groups; of a group that is too
// small, 0.
struct PermutedEnergy {
  double mean = 0;
  std::vector<double> of_group = {};
};

// Means over pairs of different rows.
PermutedEnergy energy_of(const Matrix& own, const Matrix& all, Index k,
                         const std::vector<double>& sizes) {
  PermutedEnergy out{.of_group = std::vector<double>(sizes.size(), 0.0)};
  double count = 0, total = 0, energies = 0, within = 0, groups = 0;
  for (std::size_t m = 0; m < sizes.size(); ++m) {
    count += sizes[m];
    total += all(k, static_cast<Index>(m));
  }
  for (std::size_t m = 0; m < sizes.size(); ++m) {
    const double n = sizes[m], others = count - n;
    if (n < 2 || others < 2) continue;
    const double own_sum = own(k, static_cast<Index>(m)), all_sum = all(k, static_cast<Index>(m));
    const double inside = own_sum / (n * (n - 1));
    const double across = (all_sum - own_sum) / (n * others);
    const double outside = (total - 2 * all_sum + own_sum) / (others * (others - 1));
    out.of_group[m] = 2 * across - inside - outside;
    energies += out.of_group[m];
    within += inside;
    groups += 1;
  }
  const bool known = groups > 0 && within > 0;
  for (double& each : out.of_group) each = known ? each * groups / within : 0;
  out.mean = known ? energies / within : 0;
  return out;
}

// The largest and the smallest of the permutations: the ends of nine tenths of all.
void find_bands(const Sums& sums, const std::vector<double>& sizes, NearRows& out) {
  out.energy_by_chance = -std::numeric_limits<double>::infinity();
  out.energy_low = std::numeric_limits<double>::infinity();
  out.group_high.assign(sizes.size(), out.energy_by_chance);
  out.group_low.assign(sizes.size(), out.energy_low);
  for (Index k = 1; k <= kPermutations; ++k) {
    const PermutedEnergy permuted = energy_of(sums.own, sums.all, k, sizes);
    out.energy_by_chance = std::max(out.energy_by_chance, permuted.mean);
    out.energy_low = std::min(out.energy_low, permuted.mean);
    for (std::size_t m = 0; m < sizes.size(); ++m) {
      out.group_high[m] = std::max(out.group_high[m], permuted.of_group[m]);
      out.group_low[m] = std::min(out.group_low[m], permuted.of_group[m]);
    }
  }
}

double random_agreement(const std::vector<Index>& group_of, const std::vector<Index>& label_of) {
  if (label_of.empty()) return 0;
  const Index groups = 1 + *std::max_element(group_of.begin(), group_of.end());
  const Index labels = 1 + std::max<Index>(0, *std::max_element(label_of.begin(), label_of.end()));
  Matrix counts = Matrix::Zero(groups, labels);
  for (std::size_t i = 0; i < group_of.size(); ++i) {
    if (label_of[i] >= 0) counts(group_of[i], label_of[i]) += 1;
  }
  const Eigen::RowVectorXd all = counts.colwise().sum();
  double hits = 0, asked = 0;
  for (Index m = 0; m < groups; ++m) {
    const double others = all.sum() - counts.row(m).sum();
    if (others == 0) continue;
    hits += counts.row(m).dot(all - counts.row(m)) / others;
    asked += counts.row(m).sum();
  }
  return asked > 0 ? hits / asked : 0;
}

}  // namespace

NearRows look_at_pairs(ConstRows rows, const std::vector<Index>& group_of,
                       const std::vector<Index>& label_of, std::uint64_t seed,
                       const Workers& workers) {
  const Index groups = 1 + *std::max_element(group_of.begin(), group_of.end());
  std::vector<double> sizes(static_cast<std::size_t>(groups), 0.0);
  for (const Index m : group_of) sizes[m] += 1;
  const Sums sums = sum_up(rows, permute_groups(group_of, seed), label_of, groups, workers);
  NearRows out;
  const PermutedEnergy real = energy_of(sums.own, sums.all, 0, sizes);
  out.energy = real.mean;
  out.energy_of_group = real.of_group;
  find_bands(sums, sizes, out);
  out.label_transfer =
      sums.asked > 0 ? sums.hits / sums.asked : std::numeric_limits<double>::quiet_NaN();
  out.label_transfer_by_chance = random_agreement(group_of, label_of);
  return out;
}

}  // namespace conflux
