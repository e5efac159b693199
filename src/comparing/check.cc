#include "conflux/comparing/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "comparing/check_sentences.h"
#include "comparing/composition.h"
#include "comparing/feature_difference.h"
#include "comparing/rank_tests.h"
#include "comparing/repeated_rows.h"
#include "conflux/core/error.h"
#include "core/take_rows.h"
#include "kernels/normal.h"
#include "metrics/judged_rows.h"
#include "metrics/ranks.h"
#include "metrics/thinning.h"
#include "metrics/unexplained.h"

namespace conflux {

namespace {

constexpr double kAtom = 0.05;
// The prediction and the features are two ways to claim a difference and share the error rate.
constexpr double kTests = 2;

bool has_atom(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto apart =
      static_cast<std::size_t>(std::ceil(kAtom * static_cast<double>(values.size())));
  for (std::size_t i = 0; i + apart < values.size(); ++i) {
    if (values[i] == values[i + apart]) return true;
  }
  return false;
}

struct Moments {
  double count = 0;
  double mean = 0;
  double deviation = 0;
};

// Normal scores of the ranks of one feature, summarized for each group.
std::vector<Moments> score_moments(const std::vector<double>& values, const JudgedRows& judged) {
  const std::vector<double> ranks = midranks(values);
  const auto count = static_cast<double>(values.size());
  std::vector<Moments> out(judged.sizes.size());
  std::vector<double> scores;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const double below = (ranks[i] - 0.5) / count;
    scores.push_back(kernels::normal_quantile(below, (count - ranks[i] + 0.5) / count));
    Moments& group = out[judged.group_of[i]];
    group.count += 1;
    group.mean += scores.back();
  }
  for (Moments& group : out) group.mean /= std::max(1.0, group.count);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    Moments& group = out[judged.group_of[i]];
    group.deviation += std::pow(scores[i] - group.mean, 2) / group.count;
  }
  for (Moments& group : out) group.deviation = std::sqrt(group.deviation);
  return out;
}

// How far z goes, on either side, in 5 of 100 cases, when the largest of `comparisons` is taken.
double chance_of_largest(double comparisons) {
  const double tail = 0.025 / comparisons;
  return -kernels::normal_quantile(tail, 1 - tail);
}

}  // namespace

FeatureDifference describe_feature(const std::vector<double>& values, const JudgedRows& judged) {
  const std::vector<Moments> groups = score_moments(values, judged);
  const auto by_mean = [](const Moments& a, const Moments& b) { return a.mean < b.mean; };
  const auto by_spread = [](const Moments& a, const Moments& b) {
    return a.deviation < b.deviation;
  };
  const auto [low, high] = std::minmax_element(groups.begin(), groups.end(), by_mean);
  const auto [narrow, wide] = std::minmax_element(groups.begin(), groups.end(), by_spread);
  double within = 0, rows = 0;
  for (const Moments& group : groups) {
    within += group.count * group.deviation * group.deviation;
    rows += group.count;
  }
  within = std::sqrt(within / rows);
  const auto count = static_cast<double>(groups.size());
  FeatureDifference out;
  out.shift = (high->mean - low->mean) / (within > 0 ? within : 1);
  out.shift_by_chance =
      chance_of_largest(count * (count - 1) / 2) * std::sqrt(1 / low->count + 1 / high->count);
  out.spread_ratio = narrow->deviation > 0 ? wide->deviation / narrow->deviation : 1;
  out.p_value = rank_test(values, judged.group_of, static_cast<Index>(groups.size()));
  return out;
}

namespace {

void compare_features(const JudgedRows& judged, CheckReport& report, const Workers& workers) {
  report.features.resize(static_cast<std::size_t>(judged.rows.cols()));
  std::vector<char> atoms(report.features.size(), 0);
  workers.for_each(judged.rows.cols(), [&](Index j) {
    const std::vector<double> values(judged.rows.col(j).begin(), judged.rows.col(j).end());
    report.features[j] = describe_feature(values, judged);
    atoms[j] = has_atom(values) ? 1 : 0;
  });
  for (std::size_t j = 0; j < atoms.size(); ++j) {
    if (atoms[j]) report.features_with_atoms.push_back(static_cast<Index>(j));
  }
}

void decide(CheckReport& report, double error_rate) {
  std::vector<double> p_values;
  for (const FeatureDifference& feature : report.features) p_values.push_back(feature.p_value);
  const std::vector<double> rates = false_discovery_rates(p_values);
  report.p_value = std::min(1.0, kTests * report.prediction.p_value);
  for (std::size_t j = 0; j < rates.size(); ++j) {
    FeatureDifference& feature = report.features[j];
    feature.false_discovery_rate = std::min(1.0, kTests * rates[j]);
    feature.differs = feature.false_discovery_rate <= error_rate;
    if (!report.prediction.importance.empty()) feature.importance = report.prediction.importance[j];
    report.p_value = std::min(report.p_value, feature.false_discovery_rate);
  }
  report.differ = report.p_value <= error_rate;
}

// The same rows by what their coordinates stand for.
JudgedRows values_of(JudgedRows judged, const CheckOptions& options, const Workers& workers) {
  if (options.value_of) {
    workers.for_each(judged.rows.cols(), [&](Index j) {
      for (double& each : judged.rows.col(j)) each = options.value_of(j, each);
    });
  }
  return judged;
}

JudgedRows drawn(const GroupSet& groups, Index per_group, const CheckOptions& options) {
  return draw_rows(groups, per_group, Purpose::kDiagnosis, options.seed);
}

void check_error_rate(const CheckOptions& options) {
  if (options.error_rate > 0 && options.error_rate < 1) return;
  throw InvalidOption(fmt::format("error_rate is {}; choose a number between 0 and 1, say 0.05.",
                                  options.error_rate));
}

void check_sizes(const GroupSet& groups) {
  if (groups.num_groups() < 2) throw InvalidData("there is one group only; give at least two.");
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (groups[m].rows.rows() < 2) {
      throw InvalidData(fmt::format("group \"{}\" has {} rows; give it at least 2.", groups[m].name,
                                    groups[m].rows.rows()));
    }
  }
}

std::vector<Index> sizes_of(const GroupSet& groups) {
  std::vector<Index> out;
  for (Index m = 0; m < groups.num_groups(); ++m) out.push_back(groups[m].rows.rows());
  return out;
}

}  // namespace

CheckRecord record_of(const CheckReport& report) {
  return {.differ = report.differ,
          .p_value = report.p_value,
          .auc = report.prediction.auc,
          .auc_by_chance = report.prediction.by_chance(),
          .overlap = report.overlap,
          .advice = std::string(name_of(report.advice)),
          .rows = std::accumulate(report.rows.begin(), report.rows.end(), Index{0}),
          .sentences = report.sentences};
}

namespace {

Index count(const std::vector<std::vector<Index>>& rows) {
  Index out = 0;
  for (const auto& each : rows) out += static_cast<Index>(each.size());
  return out;
}

// The first row of each subject in each group; empty if a group would have too few rows.
std::vector<std::vector<Index>> one_row_of_each(const RowsOfSubjects& things) {
  constexpr std::size_t kFewestSubjects = 30;
  std::vector<std::vector<Index>> out;
  for (const std::vector<Index>& subject_of : things.subject_of) {
    std::set<Index> seen;
    auto& rows = out.emplace_back();
    for (std::size_t i = 0; i < subject_of.size(); ++i) {
      if (seen.insert(subject_of[i]).second) rows.push_back(static_cast<Index>(i));
    }
    if (rows.size() < std::min(kFewestSubjects, subject_of.size())) return {};
  }
  return out;
}

std::string say_repeated(const RepeatedRows& repeated) {
  return fmt::format(
      "{:.0f} % of the rows have a near copy in their own group, {:.0f} % in another: rows seem to "
      "be repeated measurements of the same subjects, which would make any groups look different. "
      "Each subject counts once here: {} of {} rows.",
      100 * repeated.share, 100 * repeated.share_elsewhere, count(repeated.once), repeated.rows);
}

// The rows of which each is an observation of its own.
struct CountedRows {
  /// Set if some rows repeat others.
  std::optional<GroupSet> once = {};
  Index repeated = 0;
  /// The sentence that gives the reason, for the report.
  std::string reason = {};
};

CountedRows count_once(const GroupSet& groups, const CheckOptions& options,
                       const Workers& workers) {
  if (options.subjects != nullptr) {
    const std::vector<std::vector<Index>> once = one_row_of_each(*options.subjects);
    if (!once.empty() && count(once) < groups.num_samples()) {
      return {.once = take_rows(groups, once),
              .repeated = groups.num_samples() - count(once),
              .reason = fmt::format("One row per \"{}\" (subject) counts here: {} of {} rows.",
                                    options.subjects->column, count(once), groups.num_samples())};
    }
  }
  const Index per_group = std::min(rows_per_group(sizes_of(groups), options.max_rows),
                                   rows_to_compare(groups.dim(), groups.num_groups()));
  const auto repeated =
      find_repeated_rows(values_of(drawn(groups, per_group, options), options, workers), workers);
  if (!repeated) return {};
  return {.once = take_rows(groups, repeated->once),
          .repeated = repeated->rows - count(repeated->once),
          .reason = say_repeated(*repeated)};
}

bool can_be_predicted(const JudgedRows& judged) {
  const Index folds = PredictionOptions().folds;
  return std::count_if(judged.sizes.begin(), judged.sizes.end(),
                       [&](Index size) { return size >= folds; }) > 1;
}

// Numbers that are compared at most, so that wide tables are not copied whole.
constexpr Index kMostNumbers = 3'000'000;

Index most_rows(const GroupSet& groups, const CheckOptions& options) {
  return std::min(options.max_rows, std::max<Index>(1'000, kMostNumbers / groups.dim()));
}

// Some callers need only the answer whether groups differ. Comparing features is cheap; predicting
// the group takes a panel of classifiers, and several copies of the rows.
enum class Wanted { kFigures, kAnswer };

CheckReport test_rows(const GroupSet& groups, const CheckOptions& options,
                      const GroupPrediction* known_prediction, Wanted wanted,
                      const Workers& workers) {
  const JudgedRows judged =
      drawn(groups, rows_per_group(sizes_of(groups), most_rows(groups, options)), options);
  CheckReport out{.rows = judged.sizes};
  compare_features(judged, out, workers);
  decide(out, options.error_rate);
  if (wanted == Wanted::kAnswer && out.differ) return out;
  if (known_prediction != nullptr) {
    out.prediction = *known_prediction;
  } else if (can_be_predicted(judged)) {
    out.prediction =
        predict_groups(SampleRows(values_of(judged, options, workers).rows), judged.group_of,
                       {.seed = options.seed, .importance = wanted == Wanted::kFigures}, workers);
  }
  decide(out, options.error_rate);
  return out;
}

CheckReport test(const GroupSet& groups, const CountedRows& counted, const CheckOptions& options,
                 Wanted wanted, const Workers& workers) {
  if (!counted.once) return test_rows(groups, options, options.known_prediction, wanted, workers);
  CheckReport out = test_rows(*counted.once, options, nullptr, wanted, workers);
  out.repeated_rows = counted.repeated;
  return out;
}

// Residuals on covariates have no ties, so values are not mapped back to those of the table.
CheckOptions given_covariates(CheckOptions options) {
  options.value_of = {};
  return options;
}

}  // namespace

CheckReport compare_groups(const GroupSet& groups, const CheckOptions& options) {
  if (groups.covariates() > 0)
    return compare_groups(unexplained(groups), given_covariates(options));
  check_error_rate(options);
  if (groups.num_groups() < 2) return {};
  const Workers workers(options.threads);
  return test(groups, count_once(groups, options, workers), options, Wanted::kAnswer, workers);
}

CheckReport check(const GroupSet& groups, const CheckOptions& options) {
  if (groups.covariates() > 0) return check(unexplained(groups), given_covariates(options));
  check_error_rate(options);
  check_sizes(groups);
  groups.validate();
  const Workers workers(options.threads);
  const CountedRows counted = count_once(groups, options, workers);
  CheckReport out = test(groups, counted, options, Wanted::kFigures, workers);
  const GroupSet& rows = counted.once ? *counted.once : groups;
  const KnownLabels known = known_labels(rows);
  const Compositions found =
      compare_compositions(rows, options.permutations, options.seed, known.in_part, workers);
  out.clusters = found.clusters;
  out.labels = found.labels;
  out.overlap = found.overlap;
  advise(out, rows, found, options.error_rate);
  if (counted.once) out.sentences.insert(out.sentences.begin() + 1, counted.reason);
  return out;
}

}  // namespace conflux
