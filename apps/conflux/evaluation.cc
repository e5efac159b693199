#include "evaluation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "conflux/core/error.h"
#include "conflux/metrics/energy_distance.h"
#include "conflux/metrics/exact_wasserstein.h"
#include "conflux/metrics/lisi.h"
#include "conflux/metrics/neighbors_kept.h"
#include "conflux/metrics/paper_wd.h"
#include "conflux/metrics/round_trip.h"
#include "conflux/metrics/sinkhorn.h"
#include "conflux/metrics/sliced_distance.h"
#include "conflux/metrics/transport_cost.h"
#include "core/rng.h"

namespace conflux::app {

namespace {

// Of a label's mean cLISI. With fewer rows noise reaches as far.
constexpr double kMixedMore = 0.1;
constexpr Index kFewestOfALabel = 20;

struct Metric {
  std::string name;
  std::function<double(ConstRows, ConstRows, const EvaluationSettings&, const Workers&)> distance;
};

std::optional<Index> block_of(const EvaluationSettings& settings) {
  return settings.block > 0 ? std::optional(settings.block) : std::nullopt;
}

/// Distances between two clouds; the other metrics look at groups alone, or at all rows.
const std::vector<Metric>& distances() {
  static const std::vector<Metric> kDistances = {
      {"w2_exact",
       [](ConstRows x, ConstRows y, const EvaluationSettings& settings, const Workers& workers) {
         return exact_w2_squared(x, y, {.block = block_of(settings)}, workers);
       }},
      {"paper_wd",
       [](ConstRows x, ConstRows y, const EvaluationSettings& settings, const Workers& workers) {
         // As the papers have it: the real rows first, and as many of them as of the others.
         const Index rows = std::min(x.rows(), y.rows());
         return paper_wd(y.middle_rows(0, rows), x.middle_rows(0, rows),
                         {.block = block_of(settings)}, workers)
             .value;
       }},
      {"sinkhorn_divergence",
       [](ConstRows x, ConstRows y, const EvaluationSettings&, const Workers& workers) {
         return sinkhorn_divergence(x, y, {}, workers).value;
       }},
      {"sliced_w2",
       [](ConstRows x, ConstRows y, const EvaluationSettings& settings, const Workers& workers) {
         return sliced_w2_squared(x, y, {.seed = settings.seed}, workers);
       }},
      {"max_sliced_w2",
       [](ConstRows x, ConstRows y, const EvaluationSettings& settings, const Workers& workers) {
         return max_sliced_w2_squared(x, y, {.seed = settings.seed}, workers).value;
       }},
      {"energy_distance", [](ConstRows x, ConstRows y, const EvaluationSettings&,
                             const Workers& workers) { return energy_distance(x, y, workers); }},
  };
  return kDistances;
}

/// At most `max_rows` rows of a group, drawn without order in mind and kept in order.
std::vector<Index> rows_of(const Group& group, Index m, const EvaluationSettings& settings) {
  Stream stream(settings.seed, Purpose::kMetric, static_cast<std::uint64_t>(m));
  std::vector<Index> chosen = stream.permutation(group.rows.rows());
  chosen.resize(static_cast<std::size_t>(std::min(settings.max_rows, group.rows.rows())));
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Result measure_pairs(const Metric& metric, const Samples& samples, const Flow& flow,
                     const EvaluationSettings& settings, const Workers& workers,
                     const Console& console) {
  const auto count = static_cast<Index>(samples.names.size());
  const auto measured = [&](ConstRows x, ConstRows y, const char* when, Index a, Index b) {
    console.progress(fmt::format("{} {}: \"{}\" against \"{}\"", metric.name, when,
                                 samples.names[a], samples.names[b]));
    return metric.distance(x, y, settings, workers);
  };
  Result out{.name = metric.name};
  out.before = pairwise(count, [&](Index a, Index b) {
    return measured(samples.original[a], samples.original[b], "before", a, b);
  });
  out.after = pairwise(count, [&](Index a, Index b) {
    if (settings.space == "shared") {
      return measured(samples.shared[a], samples.shared[b], "after", a, b);
    }
    const Matrix as_b = flow.inverse(samples.in_model[b], samples.shared[a], workers);
    return measured(as_b, samples.original[b], "after", a, b);
  });
  out.all = {out.before->mean, out.after->mean};
  return out;
}

/// Rows of all groups, one under the other.
Matrix stacked(const std::vector<Matrix>& parts) {
  Index rows = 0;
  for (const Matrix& part : parts) rows += part.rows();
  Matrix out(rows, parts.front().cols());
  Index at = 0;
  for (const Matrix& part : parts) {
    out.middleRows(at, part.rows()) = part;
    at += part.rows();
  }
  return out;
}

/// Of every row, the mean squared move.
Vector squared_moves(const Samples& samples, std::size_t m) {
  return (samples.original[m] - samples.shared[m]).rowwise().squaredNorm();
}

/// Means over the rows of each label; rows[m](i) is the value of row i of group m. Labels that no
/// row shows have none.
std::vector<std::optional<double>> means_by_label(const Samples& samples,
                                                  const std::vector<Vector>& values) {
  std::vector<double> sums(samples.label_names.size(), 0.0);
  std::vector<double> counts(sums.size(), 0.0);
  for (std::size_t m = 0; m < samples.labels.size(); ++m) {
    for (std::size_t i = 0; i < samples.labels[m].size(); ++i) {
      const Index label = samples.labels[m][i];
      if (label < 0) continue;
      sums[label] += values[m](static_cast<Index>(i));
      counts[label] += 1;
    }
  }
  std::vector<std::optional<double>> out(sums.size());
  for (std::size_t c = 0; c < out.size(); ++c) {
    if (counts[c] > 0) out[c] = sums[c] / counts[c];
  }
  return out;
}

Result measure_moves(const Samples& samples, const Workers& workers) {
  Result out{.name = "transport_cost"};
  std::vector<Vector> moves;
  for (std::size_t m = 0; m < samples.names.size(); ++m) {
    out.per_group.push_back(transport_cost(samples.original[m], samples.shared[m], workers));
    out.all.after += out.per_group.back() / static_cast<double>(samples.names.size());
    moves.push_back(squared_moves(samples, m));
  }
  for (const auto& mean : means_by_label(samples, moves)) {
    out.per_label.push_back({std::nullopt, mean.value_or(0)});
  }
  return out;
}

Result measure_round_trip(const Samples& samples, const Flow& flow, const Workers& workers) {
  Result out{.name = "round_trip"};
  for (std::size_t m = 0; m < samples.names.size(); ++m) {
    const Matrix back = flow.inverse(samples.in_model[m], samples.shared[m], workers);
    out.per_group.push_back(round_trip_error(samples.original[m], back).largest);
    out.all.after = std::max(out.all.after, out.per_group.back());
  }
  return out;
}

Result measure_neighbors(const Samples& samples, const Workers& workers) {
  Result out{.name = "neighbors_kept"};
  for (std::size_t m = 0; m < samples.names.size(); ++m) {
    out.per_group.push_back(neighbors_kept(samples.original[m], samples.shared[m], workers));
    out.all.after += out.per_group.back() / static_cast<double>(samples.names.size());
  }
  return out;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

/// Values of all rows, given back to their groups.
std::vector<Vector> by_group(const std::vector<double>& values, const Samples& samples) {
  std::vector<Vector> out;
  const double* at = values.data();
  for (const Matrix& part : samples.original) {
    out.emplace_back(Eigen::Map<const Vector>(at, part.rows()));
    at += part.rows();
  }
  return out;
}

/// How many groups (ilisi) or labels (clisi) live around a row, the median over rows; of each label
/// the mean.
Result measure_mixing(const std::string& name, const Samples& samples, const Workers& workers) {
  std::vector<Index> kinds;
  for (std::size_t m = 0; m < samples.names.size(); ++m) {
    for (Index i = 0; i < samples.original[m].rows(); ++i) {
      // Rows without a label are a kind of their own.
      kinds.push_back(name == "ilisi" ? static_cast<Index>(m) : samples.labels[m][i] + 1);
    }
  }
  const std::vector<double> before = lisi(stacked(samples.original), kinds, {}, workers);
  const std::vector<double> after = lisi(stacked(samples.shared), kinds, {}, workers);
  Result out{.name = name, .all = {median(before), median(after)}};
  const auto of_labels = means_by_label(samples, by_group(after, samples));
  const auto of_labels_before = means_by_label(samples, by_group(before, samples));
  for (std::size_t c = 0; c < of_labels.size(); ++c) {
    out.per_label.push_back({of_labels_before[c], of_labels[c].value_or(0)});
  }
  return out;
}

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<std::string> out;
  for (const Metric& metric : distances()) out.push_back(metric.name);
  out.insert(out.end(), {"ilisi", "clisi", "transport_cost", "neighbors_kept", "round_trip"});
  return out;
}

Samples draw_samples(const GroupSet& groups, const Flow& flow, const EvaluationSettings& settings,
                     const Workers& workers, const Console& console) {
  Samples out;
  out.label_names = groups.label_names();
  for (Index m = 0; m < groups.num_groups(); ++m) {
    try {
      out.in_model.push_back(flow.group_index(groups[m].name));
    } catch (const InvalidOption& error) {
      throw InvalidData(std::string(error.what()) +
                        " A group that the model has not seen is added by conflux add-group.");
    }
    if (groups[m].rows.rows() > settings.max_rows) {
      console.info(fmt::format("group \"{}\": {} of {} rows, drawn with seed {} (--max-rows)",
                               groups[m].name, settings.max_rows, groups[m].rows.rows(),
                               settings.seed));
    }
    out.names.push_back(groups[m].name);
    const std::vector<Index> rows = rows_of(groups[m], m, settings);
    Matrix& original = out.original.emplace_back(static_cast<Index>(rows.size()), groups.dim());
    for (Index i = 0; i < original.rows(); ++i) {
      groups[m].rows.copy_row(rows[static_cast<std::size_t>(i)], original.row(i).data());
    }
    if (!groups.label_names().empty()) {
      out.labels.emplace_back();
      for (const Index i : rows) out.labels.back().push_back(groups[m].label(i));
    }
    out.shared.push_back(flow.forward(out.in_model.back(), out.original.back(), workers));
  }
  return out;
}

std::vector<Result> measure(const Samples& samples, const Flow& flow,
                            const EvaluationSettings& settings, const Workers& workers,
                            const Console& console) {
  std::vector<Result> out;
  for (const std::string& name : settings.metrics) {
    const auto& known = distances();
    const auto metric = std::find_if(known.begin(), known.end(),
                                     [&](const Metric& each) { return each.name == name; });
    if (name == "ilisi" || name == "clisi") {
      out.push_back(measure_mixing(name, samples, workers));
    } else if (name == "transport_cost") {
      out.push_back(measure_moves(samples, workers));
    } else if (name == "neighbors_kept") {
      out.push_back(measure_neighbors(samples, workers));
    } else if (name == "round_trip") {
      out.push_back(measure_round_trip(samples, flow, workers));
    } else if (samples.names.size() > 1) {
      out.push_back(measure_pairs(*metric, samples, flow, settings, workers, console));
    }
  }
  return out;
}

std::vector<Index> rows_by_label(const Samples& samples) {
  std::vector<Index> out(samples.label_names.size(), 0);
  for (const auto& of_group : samples.labels) {
    for (const Index label : of_group) {
      if (label >= 0) ++out[label];
    }
  }
  return out;
}

std::string warning_of_mixed_labels(const std::vector<Result>& results, const Samples& samples) {
  const std::vector<Index> rows = rows_by_label(samples);
  std::vector<std::string> mixed;
  for (const Result& result : results) {
    if (result.name != "clisi") continue;
    for (std::size_t c = 0; c < rows.size(); ++c) {
      const Change& change = result.per_label[c];
      if (rows[c] >= kFewestOfALabel && change.before &&
          change.after > *change.before + kMixedMore) {
        mixed.push_back(fmt::format("{} ({:.2f}, before {:.2f})", samples.label_names[c],
                                    change.after, *change.before));
      }
    }
  }
  if (mixed.empty()) return "";
  return fmt::format(
      "labels are mixed more than before, by the mean number of labels around a row: {}. Rows of "
      "different labels may have been made alike; conflux fit --gate label or --gate auto keeps "
      "them apart, or less strength.",
      fmt::join(mixed, ", "));
}

}  // namespace conflux::app
