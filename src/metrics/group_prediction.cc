#include "conflux/metrics/group_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "conflux/core/error.h"
#include "core/rng.h"
#include "metrics/auc.h"
#include "metrics/panel.h"
#include "metrics/prediction_pool.h"
#include "metrics/ranks.h"
#include "metrics/thinning.h"

namespace conflux {

namespace {

// Classifiers of many groups cost groups x rows; beyond this many scores rows are thinned.
constexpr Index kMostScores = 2'000'000;
// Groups that take part at most: each has classifiers of its own, and needs rows to learn from.
constexpr std::size_t kMostGroups = 64;

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

Index groups_with_rows(const std::vector<std::vector<Index>>& rows) {
  return std::count_if(rows.begin(), rows.end(), [](const auto& each) { return !each.empty(); });
}

// Brings the rows of each group into random order and drops what is beyond the limit.
void shuffle_and_thin(std::vector<std::vector<Index>>& rows, Index max_rows, std::uint64_t seed,
                      std::uint64_t which) {
  std::vector<Index> sizes;
  sizes.reserve(rows.size());
  for (const auto& each : rows) sizes.push_back(static_cast<Index>(each.size()));
  const Index most = rows_per_group(
      sizes, std::min(max_rows, kMostScores / std::max<Index>(groups_with_rows(rows), 1)));
  for (std::size_t m = 0; m < rows.size(); ++m) {
    Stream stream(seed, Purpose::kPrediction, m, which);
    std::vector<Index> order = stream.permutation(static_cast<Index>(rows[m].size()));
    order.resize(std::min(order.size(), static_cast<std::size_t>(most)));
    for (Index& each : order) each = rows[m][each];
    rows[m] = std::move(order);
  }
}

// Leaves rows of some of the groups that `takes_part`, drawn by seed, where there are many.
template <class TakesPart>
void draw_groups(std::vector<std::vector<Index>>& rows, std::uint64_t seed,
                 const TakesPart& takes_part) {
  std::vector<std::size_t> groups;
  for (std::size_t m = 0; m < rows.size(); ++m) {
    if (takes_part(m)) groups.push_back(m);
  }
  if (groups.size() <= kMostGroups) return;
  Stream stream(seed, Purpose::kPrediction, rows.size(), 1'000'007);
  std::vector<char> drawn(rows.size(), 0);
  for (const Index each :
       stream.start_of_permutation(std::ssize(groups), static_cast<Index>(kMostGroups))) {
    drawn[groups[static_cast<std::size_t>(each)]] = 1;
  }
  for (std::size_t m = 0; m < rows.size(); ++m) {
    if (!drawn[m]) rows[m].clear();
  }
}

// The AUCs of one judged part, and the variance of their mean over all assignments of the groups to
// its rows. The mean is a sum over rows of a number that depends on the row and on its class; over
// random assignments, the variance of such a sum is that of its doubly centered terms (Hoeffding
// 1951).
struct PartResult {
  std::vector<double> aucs = {};
  double variance = 0;
  /// For each scored row, its influence on the mean AUC of the part.
  std::vector<double> influences = {};
};

PartResult judge_part(const PanelScores& scores, const PredictionPool& pool) {
  const std::vector<Index>& class_of = pool.class_of;
  const Index classes = pool.classes();
  const auto count = static_cast<Index>(scores.rows.size());
  const auto scored = static_cast<Index>(scores.of_class.size());
  std::vector<double> sizes(static_cast<std::size_t>(classes), 0.0);
  for (const Index i : scores.rows) sizes[class_of[i]] += 1;
  PartResult out;
  out.influences.assign(scores.rows.size(), 0.0);
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
    const std::vector<double> added =
        auc_influences(scores.of_class[c], pool.members(scores.rows, c));
    for (Index i = 0; i < count; ++i) out.influences[i] += added[i] / static_cast<double>(scored);
  }
  const Eigen::Map<const Vector> slots(sizes.data(), classes);
  const Vector row_means = terms * slots / static_cast<double>(count);
  const Eigen::RowVectorXd class_means = terms.colwise().mean();
  const double mean = row_means.mean();
  for (Index c = 0; c < classes; ++c) {
    const auto centered = (terms.col(c) - row_means).array() - class_means(c) + mean;
    out.variance += sizes[c] * centered.square().sum() / static_cast<double>(count - 1);
  }
  return out;
}

double upper_tail(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

// A loss that is not clear, by two standard errors, is none.
constexpr double kClearLoss = 2;

// Shares of the features in what is lost when each of them is shuffled.
std::vector<double> shares_of_loss(const std::vector<PanelScores>& parts) {
  std::vector<double> out = parts.front().loss;
  std::vector<double> variance = parts.front().loss_variance;
  for (std::size_t part = 1; part < parts.size(); ++part) {
    for (std::size_t j = 0; j < out.size(); ++j) {
      out[j] += parts[part].loss[j];
      variance[j] += parts[part].loss_variance[j];
    }
  }
  for (std::size_t j = 0; j < out.size(); ++j) {
    if (out[j] < kClearLoss * std::sqrt(variance[j])) out[j] = 0;
  }
  const double total = std::accumulate(out.begin(), out.end(), 0.0);
  for (double& each : out) each = total > 0 ? each / total : 0;
  return out;
}

GroupPrediction judge(const PredictionPool& pool, Index given, const PredictionOptions& options,
                      const Workers& workers) {
  const std::vector<PanelScores> parts = ask_panel(
      pool, {.trees = options.trees, .seed = options.seed, .importance = options.importance},
      workers);
  GroupPrediction out;
  out.influences.assign(static_cast<std::size_t>(given), 0.0);
  const auto count = static_cast<double>(parts.size());
  std::vector<double> aucs(static_cast<std::size_t>(pool.scored()), 0.0);
  double variance = 0;
  for (const PanelScores& part : parts) {
    const PartResult found = judge_part(part, pool);
    for (std::size_t c = 0; c < aucs.size(); ++c) aucs[c] += found.aucs[c] / count;
    variance += found.variance / (count * count);
    out.rows += static_cast<Index>(part.rows.size());
    for (std::size_t i = 0; i < part.rows.size(); ++i) {
      out.influences[pool.row_of[part.rows[i]]] = found.influences[i] / count;
    }
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
  if (options.importance) out.importance = shares_of_loss(parts);
  return out;
}

void check_shape(const SampleRows& rows, std::span<const Index> group_of) {
  if (rows.rows() != static_cast<Index>(group_of.size())) {
    throw InvalidData(fmt::format("there are {} rows and {} group numbers; give one per row.",
                                  rows.rows(), group_of.size()));
  }
}

void check_options(const PredictionOptions& options) {
  if (options.folds < 2 || options.trees < 1 || options.max_rows < 2) {
    throw InvalidOption(
        fmt::format("folds is {}, trees is {} and max_rows is {}; choose at least 2, 1 and 2.",
                    options.folds, options.trees, options.max_rows));
  }
}

}  // namespace

GroupPrediction predict_groups(const SampleRows& rows, std::span<const Index> group_of,
                               const PredictionOptions& options, const Workers& workers) {
  check_shape(rows, group_of);
  check_options(options);
  PredictionPool pool{.judged_parts = options.folds, .num_groups = count_groups(group_of)};
  std::vector<std::vector<Index>> by_group = rows_by_group(group_of, pool.num_groups);
  draw_groups(by_group, options.seed, [&](std::size_t m) {
    return static_cast<Index>(by_group[m].size()) >= options.folds;
  });
  shuffle_and_thin(by_group, options.max_rows, options.seed, 0);
  std::vector<PredictionSource> sources{{.rows = rows}};
  for (Index m = 0; m < pool.num_groups; ++m) {
    const auto count = static_cast<Index>(by_group[m].size());
    if (count < options.folds) continue;
    for (Index i = 0; i < count; ++i) {
      sources[0].chosen.push_back(by_group[m][i]);
      pool.row_of.push_back(by_group[m][i]);
      pool.class_of.push_back(pool.classes());
      pool.part_of.push_back((i + m) % options.folds);
    }
    pool.groups.push_back(m);
  }
  if (pool.classes() < 2) {
    throw InvalidData(
        fmt::format("{} groups have at least {} rows; predicting the group needs two such groups.",
                    pool.classes(), options.folds));
  }
  rank_rows(pool, sources, workers);
  return judge(pool, rows.rows(), options, workers);
}

GroupPrediction predict_groups(const GroupSet& groups, const PredictionOptions& options,
                               const Workers& workers) {
  Matrix rows(groups.num_samples(), groups.dim());
  std::vector<Index> group_of;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    for (Index i = 0; i < groups[m].rows.rows(); ++i) {
      groups[m].rows.copy_row(i, rows.row(static_cast<Index>(group_of.size())).data());
      group_of.push_back(m);
    }
  }
  return predict_groups(SampleRows(rows), group_of, options, workers);
}

GroupPrediction predict_groups(const SampleRows& known, std::span<const Index> known_groups,
                               const SampleRows& judged, std::span<const Index> judged_groups,
                               const PredictionOptions& options, const Workers& workers) {
  check_shape(known, known_groups);
  check_shape(judged, judged_groups);
  check_options(options);
  PredictionPool pool{.num_groups =
                          std::max(count_groups(known_groups), count_groups(judged_groups))};
  std::vector<std::vector<Index>> learned = rows_by_group(known_groups, pool.num_groups);
  std::vector<std::vector<Index>> asked = rows_by_group(judged_groups, pool.num_groups);
  draw_groups(learned, options.seed,
              [&](std::size_t m) { return !learned[m].empty() && !asked[m].empty(); });
  shuffle_and_thin(learned, options.max_rows, options.seed, 0);
  shuffle_and_thin(asked, options.max_rows, options.seed, 1);
  std::vector<PredictionSource> sources{{.rows = judged}, {.rows = known}};
  for (const Index part : {0, 1}) {
    pool.groups.clear();
    for (Index m = 0; m < pool.num_groups; ++m) {
      if (learned[m].empty() || asked[m].empty()) continue;
      const std::vector<Index>& chosen = part == 0 ? asked[m] : learned[m];
      sources[part].chosen.insert(sources[part].chosen.end(), chosen.begin(), chosen.end());
      pool.class_of.insert(pool.class_of.end(), chosen.size(), pool.classes());
      pool.row_of.insert(pool.row_of.end(), chosen.begin(), chosen.end());
      pool.part_of.insert(pool.part_of.end(), chosen.size(), part);
      pool.groups.push_back(m);
    }
  }
  if (pool.classes() < 2) {
    throw InvalidData("fewer than two groups have both training and test rows.");
  }
  rank_rows(pool, sources, workers);
  return judge(pool, judged.rows(), options, workers);
}

double GroupPrediction::low() const { return std::max(0.0, auc - 1.96 * error()); }
double GroupPrediction::high() const { return std::min(1.0, auc + 1.96 * error()); }
double GroupPrediction::error() const { return error_of_difference(*this, {}); }

std::optional<Index> GroupPrediction::worst_group() const {
  std::optional<Index> out;
  Index known = 0;
  for (Index m = 0; m < std::ssize(per_group); ++m) {
    if (std::isnan(per_group[m])) continue;
    ++known;
    if (!out || per_group[m] > per_group[*out]) out = m;
  }
  return known > 2 ? out : std::nullopt;
}

double error_of_difference(const GroupPrediction& a, const GroupPrediction& b) {
  double square = 0;
  for (std::size_t i = 0; i < a.influences.size(); ++i) {
    square += std::pow(a.influences[i] - (b.influences.empty() ? 0 : b.influences[i]), 2);
  }
  return std::sqrt(square);
}

GroupPrediction mean_prediction(const std::vector<GroupPrediction>& predictions) {
  if (predictions.size() == 1) return predictions.front();
  GroupPrediction out{.auc = 0, .importance = predictions.front().importance};
  for (const GroupPrediction& each : predictions) out.rows += each.rows;
  double variance = 0;
  std::vector<double> weights;
  for (const GroupPrediction& each : predictions) {
    const double weight = static_cast<double>(each.rows) / static_cast<double>(out.rows);
    out.auc += weight * each.auc;
    variance += std::pow(weight * each.deviation, 2);
    for (const double influence : each.influences) out.influences.push_back(weight * influence);
    out.per_group.resize(std::max(out.per_group.size(), each.per_group.size()), 0.0);
    weights.resize(out.per_group.size(), 0.0);
    for (std::size_t m = 0; m < each.per_group.size(); ++m) {
      if (std::isnan(each.per_group[m])) continue;
      out.per_group[m] += weight * each.per_group[m];
      weights[m] += weight;
    }
  }
  for (std::size_t m = 0; m < weights.size(); ++m) {
    out.per_group[m] =
        weights[m] > 0 ? out.per_group[m] / weights[m] : std::numeric_limits<double>::quiet_NaN();
  }
  out.deviation = std::sqrt(variance);
  if (variance > 0) out.p_value = upper_tail((out.auc - 0.5) / out.deviation);
  return out;
}

}  // namespace conflux
