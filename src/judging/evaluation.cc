#include "conflux/judging/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "conflux/comm/communicator.h"
#include "conflux/core/error.h"
#include "conflux/metrics/integration.h"
#include "conflux/metrics/moves.h"
#include "core/nearest_name.h"
#include "core/rng.h"
#include "judging/pair_metrics.h"
#include "matching/matching.h"
#include "metrics/judged_rows.h"
#include "metrics/thinning.h"

namespace conflux {

namespace {

constexpr Index kRowsOfAllGroups = 20'000;
constexpr Index kRowsForLisi = 91;
// Smallest number of rows for cross-validation in three folds.
constexpr Index kRowsToPredict = 3;

// The rows that are measured, group by group.
struct Samples {
  JudgedRows original = {};
  Matrix shared = {};
  // Position of each group in the flow, and of its first row.
  std::vector<Index> in_flow = {};
  std::vector<Index> begins = {};
  // For each row, the flow of its label (Flow::within()); empty if the flow has none.
  std::vector<Index> labels = {};
  // Columns of the rows that are no covariates, which distances do not count.
  Index features = 0;

  Index groups() const { return static_cast<Index>(in_flow.size()); }
  ConstRows original_of(Index m) const {
    return ConstRows(original.rows).middle_rows(begins[m], original.sizes[m]);
  }
  ConstRows shared_of(Index m) const {
    return ConstRows(shared).middle_rows(begins[m], original.sizes[m]);
  }
  std::span<const Index> labels_of(Index m) const {
    if (labels.empty()) return {};
    return std::span(labels).subspan(static_cast<std::size_t>(begins[m]),
                                     static_cast<std::size_t>(original.sizes[m]));
  }
};

Index find_in_flow(const Flow& flow, const std::string& name) {
  try {
    return flow.group_index(name);
  } catch (const InvalidOption& error) {
    throw InvalidData(std::string(error.what()) +
                      " A group that the model has not seen is added by conflux add-group.");
  }
}

Samples draw_samples(const Flow& flow, const GroupSet& groups, const EvaluationOptions& options,
                     const Workers& workers) {
  Samples out;
  std::vector<Index> sizes;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    out.in_flow.push_back(find_in_flow(flow, groups[m].name));
    sizes.push_back(groups[m].rows.rows());
  }
  const Index per_group = std::min(options.max_rows, rows_per_group(sizes, kRowsOfAllGroups));
  out.original = draw_rows(groups, per_group, Purpose::kMetric, options.seed);
  out.shared = out.original.rows;
  out.labels = flow.label_codes(groups.label_names(), out.original.label_of);
  out.features = groups.features();
  Index at = 0;
  for (Index m = 0; m < out.groups(); ++m) {
    const Index size = out.original.sizes[m];
    out.begins.push_back(at);
    const Rows rows = Rows(out.shared).middle_rows(at, size);
    flow.move(ConstRows(rows), Route::to_shared({&out.in_flow[m], 1}).of_labels(out.labels_of(m)),
              rows, nullptr, workers);
    at += size;
  }
  return out;
}

// Ordered pairs of different groups; of many, some that are drawn.
std::vector<PairValue> choose_pairs(Index groups, Index most, std::uint64_t seed) {
  std::vector<PairValue> all;
  for (Index a = 0; a < groups; ++a) {
    for (Index b = 0; b < groups; ++b) {
      if (a != b) all.push_back({a, b});
    }
  }
  if (static_cast<Index>(all.size()) <= most) return all;
  Stream stream(seed, Purpose::kMetric, 0, 3);
  std::vector<Index> order = stream.permutation(static_cast<Index>(all.size()));
  order.resize(static_cast<std::size_t>(most));
  std::sort(order.begin(), order.end());
  std::vector<PairValue> out;
  out.reserve(order.size());
  for (const Index i : order) out.push_back(all[i]);
  return out;
}

// The rows of two clouds, assigned at random to two clouds of the same sizes.
std::pair<Matrix, Matrix> random_split(ConstRows x, ConstRows y, std::uint64_t seed) {
  std::pair<Matrix, Matrix> out{Matrix(x.rows(), x.cols()), Matrix(y.rows(), y.cols())};
  Stream stream(seed, Purpose::kMetric, 0, 4);
  Index at = 0;
  for (const Index i : stream.permutation(x.rows() + y.rows())) {
    const auto row = i < x.rows() ? x.eigen().row(i) : y.eigen().row(i - x.rows());
    if (at < x.rows()) {
      out.first.row(at) = row;
    } else {
      out.second.row(at - x.rows()) = row;
    }
    ++at;
  }
  return out;
}

// Their labels.
std::vector<Index> some_labels(std::span<const Index> labels, Index most) {
  const auto rows = static_cast<Index>(labels.size());
  if (rows <= most) return {labels.begin(), labels.end()};
  std::vector<Index> out;
  for (Index i = 0; i < most; ++i) {
    out.push_back(labels[static_cast<std::size_t>(i * rows / most)]);
  }
  return out;
}

// At most so many rows, spread evenly over all of them.
Matrix some_rows(ConstRows rows, Index most) {
  if (rows.rows() <= most) return rows.eigen();
  Matrix out(most, rows.cols());
  for (Index i = 0; i < most; ++i) out.row(i) = rows.eigen().row(i * rows.rows() / most);
  return out;
}

/// Input of metrics: rows, or their features by a network. A network may take a tenth of a second
/// per image, so its features are kept for other pairs and for the next metric.
class Views {
 public:
  Views(const EvaluationOptions& options, const Workers& workers)
      : options_(options), workers_(workers) {}

  /// Rows of group `from` as rows of group `to`; as they were where both are the same.
  Matrix of(const PairMetric& metric, Index from, Index to, const Matrix& rows) {
    if (!metric.of_features || !options_.features) return rows;
    const auto [at, is_new] = seen_.try_emplace({from, to});
    if (is_new) at->second = options_.features(rows, workers_);
    return at->second;
  }

 private:
  const EvaluationOptions& options_;
  const Workers& workers_;
  std::map<std::pair<Index, Index>, Matrix> seen_;
};

MetricResult measure_pairs(const PairMetric& metric, const Samples& samples, const Flow& flow,
                           const std::vector<std::string>& names, const EvaluationOptions& options,
                           Views& views, const Workers& workers) {
  const PairMetricSettings settings{.block = options.block, .seed = options.seed};
  MetricResult out{.name = metric.name};
  out.pairs = choose_pairs(samples.groups(), options.max_pairs, options.seed);
  const auto count = static_cast<double>(out.pairs.size());
  double before = 0, chance = 0;
  // Rows of the shared space are seen as those of no group.
  const Index nowhere = samples.groups();
  const bool shared = options.space == EvaluationSpace::kShared;
  for (PairValue& pair : out.pairs) {
    if (options.progress) {
      options.progress(
          fmt::format("{}: \"{}\" against \"{}\"", metric.name, names[pair.a], names[pair.b]));
    }
    const Matrix a = some_rows(samples.original_of(pair.a), options.pair_rows);
    const Matrix b = some_rows(samples.original_of(pair.b), options.pair_rows);
    Matrix moved = some_rows(samples.shared_of(pair.a), options.pair_rows);
    if (!shared) {
      const std::vector<Index> labels = some_labels(samples.labels_of(pair.a), options.pair_rows);
      moved =
          flow.moved(SampleRows(moved),
                     Route::from_shared({&samples.in_flow[pair.b], 1}).of_labels(labels), workers);
    }
    const Matrix other = shared ? some_rows(samples.shared_of(pair.b), options.pair_rows) : b;
    const auto seen = [&](Index from, Index to, const Matrix& rows) {
      return views.of(metric, from, to, rows.leftCols(samples.features));
    };
    const Matrix seen_a = seen(pair.a, pair.a, a);
    const Matrix seen_b = seen(pair.b, pair.b, b);
    const Matrix seen_moved = seen(pair.a, shared ? nowhere : pair.b, moved);
    const Matrix seen_other = shared ? seen(pair.b, nowhere, other) : seen_b;
    const auto permuted = random_split(seen_moved, seen_other, options.seed);
    pair.before = metric.distance(seen_a, seen_b, settings, workers);
    pair.after = metric.distance(seen_moved, seen_other, settings, workers);
    pair.by_chance = metric.distance(permuted.first, permuted.second, settings, workers);
    before += pair.before / count;
    out.after += pair.after / count;
    chance += pair.by_chance / count;
  }
  out.before = before;
  out.by_chance = chance;
  return out;
}

MetricResult measure_moves(const Samples& samples, std::size_t labels, const Workers& workers) {
  MetricResult out{.name = "transport_cost"};
  for (Index m = 0; m < samples.groups(); ++m) {
    out.per_group.push_back(transport_cost(samples.original_of(m), samples.shared_of(m), workers));
    out.after += out.per_group.back() / static_cast<double>(samples.groups());
  }
  std::vector<double> sums(labels, 0.0), counts(labels, 0.0);
  for (Index i = 0; i < samples.shared.rows(); ++i) {
    const Index label = samples.original.label_of[i];
    if (label < 0) continue;
    sums[label] += (samples.shared.row(i) - samples.original.rows.row(i)).squaredNorm();
    counts[label] += 1;
  }
  for (std::size_t c = 0; c < labels; ++c) {
    out.per_label.push_back({std::nullopt, sums[c] / std::max(1.0, counts[c])});
  }
  return out;
}

MetricResult measure_round_trip(const Samples& samples, const Flow& flow, const Workers& workers) {
  MetricResult out{.name = "round_trip"};
  for (Index m = 0; m < samples.groups(); ++m) {
    const Matrix back = flow.moved(
        samples.shared_of(m),
        Route::from_shared({&samples.in_flow[m], 1}).of_labels(samples.labels_of(m)), workers);
    out.per_group.push_back(round_trip_error(samples.original_of(m), back).largest);
    out.after = std::max(out.after, out.per_group.back());
  }
  return out;
}

// Figures that the judgement holds already.
MetricResult judged(const std::string& name, const std::optional<Judgement>& judgement) {
  MetricResult out{.name = name, .after = std::nan("")};
  if (!judgement) return out;
  if (name == "neighbors_kept") {
    out.after = judgement->mean_neighbors_kept;
    out.by_chance = judgement->neighbors_by_chance;
    out.per_group = judgement->neighbors_kept;
    return out;
  }
  const std::optional<Change>& change = name == "ilisi" ? judgement->ilisi : judgement->clisi;
  if (!change) return out;
  out.before = change->before;
  out.after = change->after;
  out.by_chance = change->by_chance;
  if (name == "clisi") {
    for (const Change& each : judgement->clisi_of_label) {
      out.per_label.push_back({each.before, each.after});
    }
  }
  return out;
}

bool is_integration_score(const std::string& name) {
  const auto& known = integration_score_names();
  return std::any_of(known.begin(), known.end(),
                     [&](const NamedScore& each) { return each.first == name; });
}

// Integration scores before and after, of the rows whose label is known.
class IntegrationResults {
 public:
  IntegrationResults(const Samples& samples, const EvaluationOptions& options,
                     const Workers& workers)
      : samples_(samples), options_(options), workers_(workers) {}

  /// Unset where a table does not have the score.
  std::optional<MetricResult> of(const std::string& name) {
    if (!known_) measure_all();
    const auto& names = integration_score_names();
    const auto score = std::find_if(names.begin(), names.end(),
                                    [&](const NamedScore& each) { return each.first == name; });
    const auto after = after_.*(score->second);
    if (!after) return std::nullopt;
    return MetricResult{.name = name, .before = before_.*(score->second), .after = *after};
  }

 private:
  void measure_all() {
    if (options_.progress) options_.progress("scores of integration");
    std::vector<Index> rows, batch_of, label_of;
    for (Index i = 0; i < samples_.shared.rows(); ++i) {
      if (samples_.original.label_of[i] < 0) continue;
      rows.push_back(i);
      batch_of.push_back(samples_.original.group_of[i]);
      label_of.push_back(samples_.original.label_of[i]);
    }
    const Matrix before = samples_.original.rows(rows, Eigen::seqN(0, samples_.features));
    const Matrix after = samples_.shared(rows, Eigen::seqN(0, samples_.features));
    before_ = integration_scores(before, batch_of, label_of, before, workers_);
    after_ = integration_scores(after, batch_of, label_of, before, workers_);
    known_ = true;
  }

  const Samples& samples_;
  const EvaluationOptions& options_;
  const Workers& workers_;
  bool known_ = false;
  IntegrationScores before_ = {}, after_ = {};
};

// Metrics that are measured without being named. Frechet distances of few rows are biased, so
// kernel distances always stand beside them.
std::vector<std::string> wanted_metrics(const GroupSet& groups, const EvaluationOptions& options) {
  std::vector<std::string> out = options.metrics.empty() ? usual_metrics(groups) : options.metrics;
  if (const auto all = std::find(out.begin(), out.end(), "scib"); all != out.end()) {
    auto at = out.erase(all);
    for (const NamedScore& score : integration_score_names()) {
      at = std::next(out.insert(at, score.first));
    }
  }
  for (const PairMetric& metric : pair_metrics()) {
    if (!options.features || !metric.of_features) continue;
    if (std::find(out.begin(), out.end(), metric.name) == out.end()) out.push_back(metric.name);
  }
  return out;
}

std::vector<MetricResult> measure(const Samples& samples, const Flow& flow, const GroupSet& groups,
                                  const Evaluation& so_far, const EvaluationOptions& options,
                                  const Workers& workers) {
  std::vector<MetricResult> out;
  Views views(options, workers);
  IntegrationResults integration(samples, options, workers);
  for (const std::string& name : wanted_metrics(groups, options)) {
    const auto& known = pair_metrics();
    const auto metric = std::find_if(known.begin(), known.end(),
                                     [&](const PairMetric& each) { return each.name == name; });
    if (name == "transport_cost") {
      out.push_back(measure_moves(samples, groups.label_names().size(), workers));
    } else if (name == "round_trip") {
      out.push_back(measure_round_trip(samples, flow, workers));
    } else if (is_integration_score(name)) {
      if (auto result = integration.of(name)) out.push_back(std::move(*result));
    } else if (metric == known.end()) {
      out.push_back(judged(name, so_far.judgement));
    } else if (samples.groups() > 1) {
      out.push_back(
          measure_pairs(*metric, samples, flow, so_far.group_names, options, views, workers));
    }
  }
  return out;
}

void check_metrics(const std::vector<std::string>& names) {
  const std::vector<std::string> known = metric_names();
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw InvalidOption(unknown_name("metric", name, known));
    }
  }
}

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<std::string> out;
  for (const PairMetric& metric : pair_metrics()) out.push_back(metric.name);
  out.insert(out.end(), {"ilisi", "clisi", "transport_cost", "neighbors_kept", "round_trip"});
  out.emplace_back("scib");
  for (const NamedScore& score : integration_score_names()) out.push_back(score.first);
  return out;
}

std::vector<std::string> usual_metrics(const GroupSet& groups) {
  std::vector<std::string> out = {"transport_cost", "neighbors_kept"};
  if (groups.num_groups() > 1 && groups.num_samples() >= kRowsForLisi) {
    out.emplace_back("ilisi");
    // Neighbors are counted among rows whose label is known.
    const double labeled = known_labels(groups).part * static_cast<double>(groups.num_samples());
    if (labeled >= static_cast<double>(kRowsForLisi)) out.emplace_back("clisi");
  }
  out.emplace_back("round_trip");
  return out;
}

namespace {

// The clusters of the rows as they were, one after the other. Labels that some of them have steer.
std::vector<Index> clusters_of(const Samples& samples, const GroupSet& all, std::uint64_t seed,
                               const Workers& workers) {
  GroupSet groups;
  std::vector<std::vector<Index>> labels;
  auto next = samples.original.label_of.begin();
  for (Index m = 0; m < samples.groups(); ++m) {
    groups.add(all[m].name, Matrix(samples.original_of(m).eigen()));
    labels.emplace_back(next, next + samples.original.sizes[m]);
    next += samples.original.sizes[m];
  }
  groups.set_labels(all.label_names(), std::move(labels));
  SelfCommunicator comm;
  std::vector<Index> out;
  for (const auto& clusters :
       match_groups(groups, {.by_labels = true, .seed = seed}, comm, workers).clusters) {
    out.insert(out.end(), clusters.begin(), clusters.end());
  }
  return out;
}

// f(alignment of the samples, whether labels or clusters are kept apart).
template <class F>
auto with_alignment(const Flow& flow, const GroupSet& groups, const Samples& samples,
                    const EvaluationOptions& options, const Workers& workers, F&& f) {
  Matrix translated;
  if (!options.to.empty()) {
    const Index to = flow.group_index(options.to);
    translated = flow.moved(SampleRows(samples.shared),
                            Route::from_shared({&to, 1}).of_labels(samples.labels), workers);
  }
  Alignment alignment{.before = SampleRows(samples.original.rows),
                      .after = SampleRows(options.to.empty() ? samples.shared : translated),
                      .group_of = samples.original.group_of,
                      .group_names = groups.names(),
                      .label_names = groups.label_names(),
                      .covariates = groups.covariates(),
                      .feature_names = groups.feature_names()};
  std::vector<Index> cluster_of;
  if (!groups.label_names().empty()) {
    alignment.label_of = samples.original.label_of;
    if (options.gate == Gating::kLabel && known_labels(groups).in_part) {
      cluster_of = clusters_of(samples, groups, options.seed, workers);
      alignment.cluster_of = cluster_of;
    }
  } else if (options.gate == Gating::kClusters || options.gate == Gating::kLabel) {
    cluster_of = clusters_of(samples, groups, options.seed, workers);
    alignment.label_of = cluster_of;
    alignment.labels_found = true;
  }
  const bool within = options.gate == Gating::kLabel || alignment.labels_found;
  return f(alignment, within);
}

bool can_be_judged(const Samples& samples) {
  const std::vector<Index>& sizes = samples.original.sizes;
  return std::count_if(sizes.begin(), sizes.end(),
                       [](Index rows) { return rows >= kRowsToPredict; }) > 1;
}

}  // namespace

std::optional<GroupPredictions> prediction_after(const Flow& flow, const GroupSet& groups,
                                                 const EvaluationOptions& options) {
  const Workers workers(options.threads);
  const Samples samples = draw_samples(flow, groups, options, workers);
  if (!can_be_judged(samples)) return std::nullopt;
  return with_alignment(flow, groups, samples, options, workers,
                        [&](const Alignment& alignment, bool) {
                          return predict_alignment(alignment, {.seed = options.seed}, workers);
                        });
}

bool needs_labels(const std::string& metric) {
  return metric == "clisi" || metric == "scib" || is_integration_score(metric);
}

Evaluation evaluate(const Flow& flow, const GroupSet& groups, const EvaluationOptions& options) {
  check_metrics(options.metrics);
  for (const std::string& name : options.metrics) {
    if (needs_labels(name) && groups.label_names().empty()) {
      throw InvalidOption(name + " needs the label of each row; name their column with --label.");
    }
  }
  groups.validate();
  const Workers workers(options.threads);
  const Samples samples = draw_samples(flow, groups, options, workers);
  Evaluation out{.group_names = groups.names(),
                 .rows = samples.original.sizes,
                 .label_names = groups.label_names()};
  out.rows_of_label.resize(out.label_names.size(), 0);
  for (const Index label : samples.original.label_of) {
    if (label >= 0) ++out.rows_of_label[label];
  }
  if (can_be_judged(samples)) {
    if (options.progress) options.progress("predicting groups");
    out.judgement = with_alignment(
        flow, groups, samples, options, workers, [&](const Alignment& alignment, bool within) {
          return judge_alignment(
              alignment,
              {.labels_protected = within, .further = options.further, .seed = options.seed},
              workers);
        });
  }
  out.metrics = measure(samples, flow, groups, out, options, workers);
  return out;
}

}  // namespace conflux
