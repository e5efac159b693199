// Groups before and after a model, measured.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conflux/flow/flow.h"
#include "conflux/metrics/pairwise.h"
#include "grouped_input.h"
#include "support/console.h"

namespace conflux::app {

struct EvaluationSettings {
  std::vector<std::string> metrics;
  /// "translated" or "shared".
  std::string space = "translated";
  /// Rows of each group at most.
  Index max_rows = 1000;
  /// Rows per block of exact distances; 0: as the metric chooses.
  Index block = 0;
  std::uint64_t seed = 0;
};

struct Samples {
  std::vector<std::string> names;
  /// Position of each group in the model.
  std::vector<Index> in_model;
  std::vector<Matrix> original;
  std::vector<Matrix> shared;
  std::vector<std::string> label_names;
  /// Of each group, one per row, -1 for none; empty when there are no labels.
  std::vector<std::vector<Index>> labels;
};

/// Before and after; a metric of moves has no value before.
struct Change {
  std::optional<double> before;
  double after = 0;
};

struct Result {
  std::string name;
  /// The mean over all; of round_trip the largest.
  Change all = {};
  /// Of a metric that compares two groups.
  std::optional<Pairwise> before = std::nullopt;
  std::optional<Pairwise> after = std::nullopt;
  /// Of a metric that has values for each group or each label.
  std::vector<double> per_group = {};
  std::vector<Change> per_label = {};
};

/// Everything that can be asked for, in the order of the manual.
std::vector<std::string> metric_names();

/// Throws InvalidData for a group that the model does not know.
Samples draw_samples(const GroupSet& groups, const Flow& flow, const EvaluationSettings& settings,
                     const Workers& workers, const Console& console);

/// Distances between groups are left out when there is one group only.
std::vector<Result> measure(const Samples& samples, const Flow& flow,
                            const EvaluationSettings& settings, const Workers& workers,
                            const Console& console);

/// Rows of each label.
std::vector<Index> rows_by_label(const Samples& samples);

/// Says so when rows of different labels live closer together than before; empty otherwise.
std::string warning_of_mixed_labels(const std::vector<Result>& results, const Samples& samples);

}  // namespace conflux::app
