#include "conflux/metrics/guessing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "conflux/core/error.h"
#include "core/rng.h"
#include "metrics/boosted_trees.h"
#include "metrics/ranks.h"
#include "metrics/thinning.h"

namespace conflux {

namespace {

// Classifiers of many groups cost groups x rows; beyond this many scores rows are thinned.
constexpr Index kMostScores = 2'000'000;
// Rows of other groups that a classifier learns from: more would add time and little knowledge.
constexpr Index kOthersPerMember = 4;
constexpr Index kFewestOthers = 1000;
// Features that a classifier uses: time grows with them, and thousands drown the few that tell.
constexpr Index kMostFeatures = 256;

// Rows that take part, by the ranks of their features. A class is a group that takes part.
struct Pool {
  SingleMatrix ranks = {};
  std::vector<Index> class_of = {};
  // The rows of parts 0 .. judged_parts-1 are judged in turn, by trees grown on all other parts.
  std::vector<Index> part_of = {};
  Index judged_parts = 1;
  // The group of each class.
  std::vector<Index> groups = {};
  Index num_groups = 0;

  Index classes() const { return static_cast<Index>(groups.size()); }
  // Two classes need one classifier: each is told from the other as well as the other from it.
  Index scored() const { return classes() == 2 ? 1 : classes(); }
};

struct Scores {
  // Positions in the pool of the judged rows, and the score of each for each class.
  std::vector<Index> rows = {};
  std::vector<std::vector<double>> of_class = {};
};

Index count_groups(std::span<const Index> group_of) {
  const auto largest = std::max_element(group_of.begin(), group_of.end());
  return largest == group_of.end() ? 0 : *largest + 1;
}

std::vector<std::vector<Index>> rows_by_group(std::span<const Index> group_of, Index groups) {
  std::vector<std::vector<Index>> out(static_cast<std::size_t>(groups));
  for (std::size_t i = 0; i < group_of.size(); ++i) {
    if (group_of[i] < 0) throw InvalidData("a row has a negative group; number groups from 0.");
    out[group_of[i]].push_back(static_cast<Index>(i));
  }
  return out;
}

// Brings the rows of each group into random order and drops what is beyond the limit.
void shuffle_and_thin(std::vector<std::vector<Index>>& rows, Index max_rows, std::uint64_t seed,
                      std::uint64_t which) {
  std::vector<Index> sizes;
  sizes.reserve(rows.size());
  for (const auto& each : rows) sizes.push_back(static_cast<Index>(each.size()));
  const Index most = rows_per_group(
      sizes, std::min(max_rows, kMostScores / std::max<Index>(static_cast<Index>(rows.size()), 1)));
  for (std::size_t m = 0; m < rows.size(); ++m) {
    Stream stream(seed, Purpose::kGuessing, m, which);
    std::vector<Index> order = stream.permutation(static_cast<Index>(rows[m].size()));
    order.resize(std::min(order.size(), static_cast<std::size_t>(most)));
    for (Index& each : order) each = rows[m][each];
    rows[m] = std::move(order);
  }
}

// Each value becomes the number of smaller different values: trees cut between ranks as between
// values, and single precision holds them exactly.
void rank_in_place(std::vector<double>& values) {
  std::vector<double> sorted;
  for (const double value : values) {
    if (!std::isnan(value)) sorted.push_back(value);
  }
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (double& value : values) {
    if (std::isnan(value)) continue;
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), value);
    value = static_cast<double>(at - sorted.begin());
  }
}

// A table and which of its rows take part.
struct Source {
  const SampleRows& rows;
  std::vector<Index> chosen = {};
};

SingleMatrix ranks_of(const std::vector<Source>& sources, const Workers& workers) {
  Index count = 0;
  for (const Source& source : sources) count += static_cast<Index>(source.chosen.size());
  const Index dim = sources.front().rows.cols();
  SingleMatrix out(count, dim);
  workers.for_each(dim, [&](Index j) {
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(count));
    for (const Source& source : sources) {
      for (const Index i : source.chosen) values.push_back(source.rows(i, j));
    }
    rank_in_place(values);
    for (Index i = 0; i < count; ++i) out(i, j) = static_cast<float>(values[i]);
  });
  return out;
}

SingleMatrix cut_out(const SingleMatrix& all, const std::vector<Index>& rows,
                     const std::vector<Index>& features) {
  SingleMatrix out(static_cast<Index>(rows.size()), static_cast<Index>(features.size()));
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) out(i, j) = all(rows[i], features[j]);
  }
  return out;
}

// How much more the mean of `values` differs between members and others than by chance, squared.
double squared_z(const std::vector<double>& values, const std::vector<char>& is_member) {
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0, of_members = 0, members = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    squares += values[i] * values[i];
    of_members += is_member[i] ? values[i] : 0;
    members += is_member[i];
  }
  const double variance = squares / count - sum * sum / (count * count);
  const double apart = of_members / members - (sum - of_members) / (count - members);
  return variance > 0 ? apart * apart * members * (count - members) / (count * variance) : 0;
}

// By the shift and the scale of its ranks; a missing value counts as a middle one.
double how_telling(const SingleMatrix& ranks, Index feature, const std::vector<Index>& rows,
                   const std::vector<char>& is_member) {
  std::vector<double> values;
  double sum = 0, known = 0;
  for (const Index i : rows) {
    values.push_back(static_cast<double>(ranks(i, feature)));
    if (std::isnan(values.back())) continue;
    sum += values.back();
    known += 1;
  }
  for (double& value : values) value = std::isnan(value) ? 0 : value - sum / std::max(1.0, known);
  const double shift = squared_z(values, is_member);
  for (double& value : values) value *= value;
  return shift + squared_z(values, is_member);
}

// Positions, in order, of the features that tell most by themselves on the rows to learn from.
std::vector<Index> telling_features(const SingleMatrix& ranks, const std::vector<Index>& rows,
                                    const std::vector<char>& is_member) {
  std::vector<Index> out(static_cast<std::size_t>(ranks.cols()));
  std::iota(out.begin(), out.end(), Index{0});
  if (ranks.cols() <= kMostFeatures) return out;
  std::vector<double> telling;
  telling.reserve(out.size());
  for (const Index j : out) telling.push_back(how_telling(ranks, j, rows, is_member));
  std::stable_sort(out.begin(), out.end(),
                   [&](Index a, Index b) { return telling[a] > telling[b]; });
  out.resize(static_cast<std::size_t>(kMostFeatures));
  std::sort(out.begin(), out.end());
  return out;
}

// Members of a class and enough others, none of the part that will be judged.
std::vector<Index> rows_to_learn(const Pool& pool, Index part, Index which, std::uint64_t seed) {
  std::vector<Index> members, others;
  for (std::size_t i = 0; i < pool.class_of.size(); ++i) {
    if (pool.part_of[i] == part) continue;
    (pool.class_of[i] == which ? members : others).push_back(static_cast<Index>(i));
  }
  const Index most = std::max(kFewestOthers, kOthersPerMember * static_cast<Index>(members.size()));
  if (pool.classes() > 2 && static_cast<Index>(others.size()) > most) {
    Stream stream(seed, Purpose::kGuessing, static_cast<std::uint64_t>(which),
                  static_cast<std::uint64_t>(part) + 2);
    std::vector<Index> order = stream.permutation(static_cast<Index>(others.size()));
    order.resize(static_cast<std::size_t>(most));
    for (Index& each : order) each = others[each];
    others = std::move(order);
  }
  members.insert(members.end(), others.begin(), others.end());
  std::sort(members.begin(), members.end());
  return members;
}

// The AUCs of one judged part, and the variance of their mean over all deals of the groups to its
// rows. The mean is a sum over rows of a number that depends on the row and on its class; over
// random deals, the variance of such a sum is that of its doubly centred terms (Hoeffding 1951).
struct PartResult {
  std::vector<double> aucs = {};
  double variance = 0;
};

PartResult judge_part(const Scores& scores, const std::vector<Index>& class_of, Index classes) {
  const auto count = static_cast<Index>(scores.rows.size());
  const auto scored = static_cast<Index>(scores.of_class.size());
  std::vector<double> sizes(static_cast<std::size_t>(classes), 0.0);
  for (const Index i : scores.rows) sizes[class_of[i]] += 1;
  PartResult out;
  Matrix terms = Matrix::Zero(count, classes);
  for (Index c = 0; c < scored; ++c) {
    const std::vector<double> ranks = midranks(scores.of_class[c]);
    const double others = static_cast<double>(count) - sizes[c];
    double sum = 0;
    for (Index i = 0; i < count; ++i) {
      if (class_of[scores.rows[i]] == c) sum += ranks[i];
      terms(i, c) = ranks[i] / (sizes[c] * others * static_cast<double>(scored));
    }
    out.aucs.push_back((sum / sizes[c] - 0.5 * (sizes[c] + 1)) / others);
  }
  const Eigen::Map<const Vector> slots(sizes.data(), classes);
  const Vector row_means = terms * slots / static_cast<double>(count);
  const Eigen::RowVectorXd class_means = terms.colwise().mean();
  const double mean = row_means.mean();
  for (Index c = 0; c < classes; ++c) {
    const auto centred = (terms.col(c) - row_means).array() - class_means(c) + mean;
    out.variance += sizes[c] * centred.square().sum() / static_cast<double>(count - 1);
  }
  return out;
}

double upper_tail(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

Guess summarize(const Pool& pool, const std::vector<Scores>& parts,
                const std::vector<double>& gains) {
  Guess out;
  const auto count = static_cast<double>(parts.size());
  std::vector<double> aucs(static_cast<std::size_t>(pool.scored()), 0.0);
  double variance = 0;
  for (const Scores& part : parts) {
    const PartResult found = judge_part(part, pool.class_of, pool.classes());
    for (std::size_t c = 0; c < aucs.size(); ++c) aucs[c] += found.aucs[c] / count;
    variance += found.variance / (count * count);
    out.rows += static_cast<Index>(part.rows.size());
  }
  if (parts.size() > 1) variance *= 2;  // see the header
  out.auc = std::accumulate(aucs.begin(), aucs.end(), 0.0) / static_cast<double>(aucs.size());
  out.deviation = std::sqrt(variance);
  out.p_value = variance > 0 ? upper_tail((out.auc - 0.5) / out.deviation) : 1;
  out.per_group.assign(static_cast<std::size_t>(pool.num_groups),
                       std::numeric_limits<double>::quiet_NaN());
  for (Index c = 0; c < pool.classes(); ++c) {
    out.per_group[pool.groups[c]] = aucs[std::min(c, pool.scored() - 1)];
  }
  const double total = std::accumulate(gains.begin(), gains.end(), 0.0);
  for (const double gain : gains) out.importance.push_back(total > 0 ? gain / total : 0);
  return out;
}

Guess judge(const Pool& pool, const GuessingOptions& options, const Workers& workers) {
  const Index scored = pool.scored();
  std::vector<Scores> parts(static_cast<std::size_t>(pool.judged_parts));
  for (Scores& part : parts) part.of_class.resize(static_cast<std::size_t>(scored));
  for (std::size_t i = 0; i < pool.part_of.size(); ++i) {
    if (pool.part_of[i] < pool.judged_parts) {
      parts[pool.part_of[i]].rows.push_back(static_cast<Index>(i));
    }
  }
  const auto tasks = static_cast<std::size_t>(pool.judged_parts * scored);
  std::vector<std::vector<double>> gains(
      tasks, std::vector<double>(static_cast<std::size_t>(pool.ranks.cols()), 0.0));
  workers.for_each(static_cast<Index>(tasks), [&](Index task) {
    const Index part = task / scored, which = task % scored;
    const std::vector<Index> learned = rows_to_learn(pool, part, which, options.seed);
    std::vector<char> is_member;
    is_member.reserve(learned.size());
    for (const Index i : learned) is_member.push_back(pool.class_of[i] == which ? 1 : 0);
    const std::vector<Index> features = telling_features(pool.ranks, learned, is_member);
    const BoostedTrees trees(cut_out(pool.ranks, learned, features), is_member,
                             {.trees = options.trees, .seed = options.seed});
    parts[part].of_class[which] = trees.scores(cut_out(pool.ranks, parts[part].rows, features));
    const std::vector<double> gained = trees.gains(static_cast<Index>(features.size()));
    for (std::size_t j = 0; j < features.size(); ++j) gains[task][features[j]] = gained[j];
  });
  for (std::size_t task = 1; task < tasks; ++task) {
    for (std::size_t j = 0; j < gains[0].size(); ++j) gains[0][j] += gains[task][j];
  }
  return summarize(pool, parts, gains[0]);
}

void check_shape(const SampleRows& rows, std::span<const Index> group_of) {
  if (rows.rows() != static_cast<Index>(group_of.size())) {
    throw InvalidData(fmt::format("there are {} rows and {} group numbers; give one per row.",
                                  rows.rows(), group_of.size()));
  }
}

void check_options(const GuessingOptions& options) {
  if (options.folds < 2 || options.trees < 1 || options.max_rows < 2) {
    throw InvalidOption(
        fmt::format("folds is {}, trees is {} and max_rows is {}; choose at least 2, 1 and 2.",
                    options.folds, options.trees, options.max_rows));
  }
}

}  // namespace

Guess guess_groups(const SampleRows& rows, std::span<const Index> group_of,
                   const GuessingOptions& options, const Workers& workers) {
  check_shape(rows, group_of);
  check_options(options);
  Pool pool{.judged_parts = options.folds, .num_groups = count_groups(group_of)};
  std::vector<std::vector<Index>> by_group = rows_by_group(group_of, pool.num_groups);
  shuffle_and_thin(by_group, options.max_rows, options.seed, 0);
  std::vector<Source> sources{{.rows = rows}};
  for (Index m = 0; m < pool.num_groups; ++m) {
    const auto count = static_cast<Index>(by_group[m].size());
    if (count < options.folds) continue;
    for (Index i = 0; i < count; ++i) {
      sources[0].chosen.push_back(by_group[m][i]);
      pool.class_of.push_back(pool.classes());
      pool.part_of.push_back((i + m) % options.folds);
    }
    pool.groups.push_back(m);
  }
  if (pool.classes() < 2) {
    throw InvalidData(fmt::format(
        "{} groups have at least {} rows; whether groups can be told apart needs two such groups.",
        pool.classes(), options.folds));
  }
  pool.ranks = ranks_of(sources, workers);
  return judge(pool, options, workers);
}

Guess guess_groups(const GroupSet& groups, const GuessingOptions& options, const Workers& workers) {
  Matrix rows(groups.num_samples(), groups.dim());
  std::vector<Index> group_of;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    for (Index i = 0; i < groups[m].rows.rows(); ++i) {
      groups[m].rows.copy_row(i, rows.row(static_cast<Index>(group_of.size())).data());
      group_of.push_back(m);
    }
  }
  return guess_groups(SampleRows(rows), group_of, options, workers);
}

Guess guess_groups(const SampleRows& known, std::span<const Index> known_groups,
                   const SampleRows& judged, std::span<const Index> judged_groups,
                   const GuessingOptions& options, const Workers& workers) {
  check_shape(known, known_groups);
  check_shape(judged, judged_groups);
  check_options(options);
  Pool pool{.num_groups = std::max(count_groups(known_groups), count_groups(judged_groups))};
  std::vector<std::vector<Index>> learned = rows_by_group(known_groups, pool.num_groups);
  std::vector<std::vector<Index>> asked = rows_by_group(judged_groups, pool.num_groups);
  shuffle_and_thin(learned, options.max_rows, options.seed, 0);
  shuffle_and_thin(asked, options.max_rows, options.seed, 1);
  std::vector<Source> sources{{.rows = judged}, {.rows = known}};
  for (const Index part : {0, 1}) {
    pool.groups.clear();
    for (Index m = 0; m < pool.num_groups; ++m) {
      if (learned[m].empty() || asked[m].empty()) continue;
      const std::vector<Index>& chosen = part == 0 ? asked[m] : learned[m];
      sources[part].chosen.insert(sources[part].chosen.end(), chosen.begin(), chosen.end());
      pool.class_of.insert(pool.class_of.end(), chosen.size(), pool.classes());
      pool.part_of.insert(pool.part_of.end(), chosen.size(), part);
      pool.groups.push_back(m);
    }
  }
  if (pool.classes() < 2) {
    throw InvalidData("fewer than two groups have rows to learn from and rows to be judged.");
  }
  pool.ranks = ranks_of(sources, workers);
  return judge(pool, options, workers);
}

}  // namespace conflux
