// conflux evaluate: how well a model aligns rows, seen or not.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "conflux/core/error.h"
#include "conflux/core/nearest_name.h"
#include "conflux/core/rng.h"
#include "conflux/io/model_file.h"
#include "conflux/metrics/energy_distance.h"
#include "conflux/metrics/exact_wasserstein.h"
#include "conflux/metrics/lisi.h"
#include "conflux/metrics/pairwise.h"
#include "conflux/metrics/paper_wd.h"
#include "conflux/metrics/round_trip.h"
#include "conflux/metrics/sinkhorn.h"
#include "conflux/metrics/sliced_distance.h"
#include "conflux/metrics/transport_cost.h"
#include "grouped_input.h"
#include "help.h"
#include "model_columns.h"
#include "verbs.h"

namespace conflux::app {

namespace {

struct EvaluateFlags {
  std::string model;
  GroupedInputFlags input;
  std::vector<std::string> metrics = {"w2_exact", "sliced_w2", "energy_distance", "transport_cost",
                                      "round_trip"};
  std::string space = "translated";
  Index max_rows = 1000;
  Index block = 0;
  std::uint64_t seed = 0;
};

struct Metric {
  std::string name;
  std::function<double(ConstRows, ConstRows, const EvaluateFlags&, const Workers&)> distance;
};

std::optional<Index> block_of(const EvaluateFlags& flags) {
  return flags.block > 0 ? std::optional(flags.block) : std::nullopt;
}

/// Distances between two clouds; transport_cost and round_trip are of a group alone.
const std::vector<Metric>& distances() {
  static const std::vector<Metric> kDistances = {
      {"w2_exact",
       [](ConstRows x, ConstRows y, const EvaluateFlags& flags, const Workers& workers) {
         return exact_w2_squared(x, y, {.block = block_of(flags)}, workers);
       }},
      {"paper_wd",
       [](ConstRows x, ConstRows y, const EvaluateFlags& flags, const Workers& workers) {
         // As the papers have it: the real rows first, and as many of them as of the others.
         const Index rows = std::min(x.rows(), y.rows());
         return paper_wd(y.middle_rows(0, rows), x.middle_rows(0, rows), {.block = block_of(flags)},
                         workers)
             .value;
       }},
      {"sinkhorn_divergence",
       [](ConstRows x, ConstRows y, const EvaluateFlags&, const Workers& workers) {
         return sinkhorn_divergence(x, y, {}, workers).value;
       }},
      {"sliced_w2",
       [](ConstRows x, ConstRows y, const EvaluateFlags& flags, const Workers& workers) {
         return sliced_w2_squared(x, y, {.seed = flags.seed}, workers);
       }},
      {"max_sliced_w2",
       [](ConstRows x, ConstRows y, const EvaluateFlags& flags, const Workers& workers) {
         return max_sliced_w2_squared(x, y, {.seed = flags.seed}, workers).value;
       }},
      {"energy_distance", [](ConstRows x, ConstRows y, const EvaluateFlags&,
                             const Workers& workers) { return energy_distance(x, y, workers); }},
  };
  return kDistances;
}

std::vector<std::string> metric_names() {
  std::vector<std::string> out;
  for (const Metric& metric : distances()) out.push_back(metric.name);
  out.insert(out.end(), {"ilisi", "clisi", "transport_cost", "round_trip"});
  return out;
}

void check_metrics(const EvaluateFlags& flags) {
  const std::vector<std::string> known = metric_names();
  for (const std::string& name : flags.metrics) {
    if (name == "clisi" && flags.input.label.empty()) {
      throw InvalidOption("clisi counts labels; name their column with --label.");
    }
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw InvalidOption(unknown_name("metric", name, known));
    }
  }
}

GroupedInput read_for(const Model& model, const EvaluateFlags& flags, const Console& console) {
  GroupedInputFlags input = flags.input;
  if (input.group.empty()) input.group = model.group_column;
  ColumnFlags columns{.group = input.group, .features = input.features};
  TableOptions options = read_options(input.table, input.group, input.threads);
  options.numeric = numeric_columns(model, columns);
  const std::string& first = input.paths.front();
  // Standard input can be read once, so its columns must have the names of the model.
  if (first == "-") {
    input.features = *options.numeric;
  } else {
    const bool one_file_per_group = input.group.empty() && input.paths.size() > 1;
    input.features = find_columns(open_table(first, options)->schema(), first, model, columns,
                                  !one_file_per_group)
                         .features;
  }
  return read_groups(input, console);
}

/// At most `max_rows` rows of a group, drawn without order in mind and kept in order.
std::vector<Index> rows_of(const Group& group, Index m, const EvaluateFlags& flags) {
  Stream stream(flags.seed, Purpose::kMetric, static_cast<std::uint64_t>(m));
  std::vector<Index> chosen = stream.permutation(group.rows.rows());
  chosen.resize(static_cast<std::size_t>(std::min(flags.max_rows, group.rows.rows())));
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

struct Samples {
  std::vector<std::string> names;
  /// Position of each group in the model.
  std::vector<Index> in_model;
  std::vector<Matrix> original;
  std::vector<Matrix> shared;
  /// Of each group, one per row; empty when there are none.
  std::vector<std::vector<Index>> labels;
};

Samples draw_samples(const GroupedInput& input, const Flow& flow, const EvaluateFlags& flags,
                     const Workers& workers, const Console& console) {
  const GroupSet& groups = input.groups;
  Samples out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    try {
      out.in_model.push_back(flow.group_index(groups[m].name));
    } catch (const InvalidOption& error) {
      throw InvalidData(std::string(error.what()) +
                        " A group that the model has not seen is added by conflux add-group.");
    }
    if (groups[m].rows.rows() > flags.max_rows) {
      console.info(fmt::format("group \"{}\": {} of {} rows, drawn with seed {} (--max-rows)",
                               groups[m].name, flags.max_rows, groups[m].rows.rows(), flags.seed));
    }
    out.names.push_back(groups[m].name);
    const std::vector<Index> rows = rows_of(groups[m], m, flags);
    out.original.push_back(groups[m].rows.eigen()(rows, Eigen::all));
    if (!groups.label_names().empty()) {
      out.labels.emplace_back();
      for (const Index i : rows) out.labels.back().push_back(groups[m].label(i));
    }
    out.shared.push_back(flow.forward(out.in_model.back(), out.original.back(), workers));
  }
  return out;
}

struct Result {
  std::string name;
  std::optional<Pairwise> before = std::nullopt;
  std::optional<Pairwise> after = std::nullopt;
  /// Of a metric that looks at all groups at once.
  std::optional<double> all_before = std::nullopt;
  /// Of a metric that has one value per group.
  std::vector<double> per_group = {};
  double mean = 0;
};

Result measure_pairs(const Metric& metric, const Samples& samples, const Flow& flow,
                     const EvaluateFlags& flags, const Workers& workers, const Console& console) {
  const auto count = static_cast<Index>(samples.names.size());
  const auto measured = [&](ConstRows x, ConstRows y, const char* when, Index a, Index b) {
    console.progress(fmt::format("{} {}: \"{}\" against \"{}\"", metric.name, when,
                                 samples.names[a], samples.names[b]));
    return metric.distance(x, y, flags, workers);
  };
  Result out{.name = metric.name};
  out.before = pairwise(count, [&](Index a, Index b) {
    return measured(samples.original[a], samples.original[b], "before", a, b);
  });
  out.after = pairwise(count, [&](Index a, Index b) {
    if (flags.space == "shared") {
      return measured(samples.shared[a], samples.shared[b], "after", a, b);
    }
    const Matrix as_b = flow.inverse(samples.in_model[b], samples.shared[a], workers);
    return measured(as_b, samples.original[b], "after", a, b);
  });
  return out;
}

Result measure_groups(const std::string& name, const Samples& samples, const Flow& flow,
                      const Workers& workers) {
  Result out{.name = name};
  for (std::size_t m = 0; m < samples.names.size(); ++m) {
    const Matrix& original = samples.original[m];
    const Matrix& shared = samples.shared[m];
    out.per_group.push_back(
        name == "transport_cost"
            ? transport_cost(original, shared, workers)
            : round_trip_error(original, flow.inverse(samples.in_model[m], shared, workers))
                  .largest);
  }
  // Costs are averaged; of errors the largest counts.
  for (const double value : out.per_group) {
    out.mean = name == "transport_cost"
                   ? out.mean + value / static_cast<double>(out.per_group.size())
                   : std::max(out.mean, value);
  }
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

/// How many groups (ilisi) or labels (clisi) live around a row, the median over rows.
Result measure_mixing(const std::string& name, const Samples& samples, const Workers& workers) {
  std::vector<Index> kinds;
  for (std::size_t m = 0; m < samples.names.size(); ++m) {
    for (Index i = 0; i < samples.original[m].rows(); ++i) {
      // Rows without a label are a kind of their own.
      kinds.push_back(name == "ilisi" ? static_cast<Index>(m) : samples.labels[m][i] + 1);
    }
  }
  const auto median = [&](const std::vector<Matrix>& parts) {
    std::vector<double> values = lisi(stacked(parts), kinds, {}, workers);
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
  };
  return {.name = name, .all_before = median(samples.original), .mean = median(samples.shared)};
}

std::vector<Result> measure(const Samples& samples, const Flow& flow, const EvaluateFlags& flags,
                            const Workers& workers, const Console& console) {
  std::vector<Result> out;
  for (const std::string& name : flags.metrics) {
    const auto& known = distances();
    const auto metric = std::find_if(known.begin(), known.end(),
                                     [&](const Metric& each) { return each.name == name; });
    if (name == "ilisi" || name == "clisi") {
      out.push_back(measure_mixing(name, samples, workers));
    } else if (metric == known.end()) {
      out.push_back(measure_groups(name, samples, flow, workers));
    } else if (samples.names.size() > 1) {
      out.push_back(measure_pairs(*metric, samples, flow, flags, workers, console));
    }
  }
  return out;
}

Json matrix_json(const Matrix& values, const std::vector<std::string>& names) {
  Json out;
  for (Index a = 0; a < values.rows(); ++a) {
    for (Index b = 0; b < values.cols(); ++b) {
      if (a != b) out[names[a]][names[b]] = values(a, b);
    }
  }
  return out;
}

Json json_of(const std::vector<Result>& results, const Samples& samples,
             const EvaluateFlags& flags) {
  Json rows;
  for (std::size_t m = 0; m < samples.names.size(); ++m) {
    rows[samples.names[m]] = samples.original[m].rows();
  }
  Json metrics;
  for (const Result& result : results) {
    Json& entry = metrics[result.name];
    if (result.after) {
      entry["before"] = {{"mean", result.before->mean},
                         {"pairs", matrix_json(result.before->values, samples.names)}};
      entry["after"] = {{"mean", result.after->mean},
                        {"pairs", matrix_json(result.after->values, samples.names)}};
      continue;
    }
    if (result.all_before) {
      entry = {{"before", *result.all_before}, {"after", result.mean}};
      continue;
    }
    entry[result.name == "transport_cost" ? "mean" : "largest"] = result.mean;
    for (std::size_t m = 0; m < samples.names.size(); ++m) {
      entry["groups"][samples.names[m]] = result.per_group[m];
    }
  }
  return {{"model", flags.model},
          {"space", flags.space},
          {"seed", flags.seed},
          {"rows", rows},
          {"metrics", metrics}};
}

constexpr std::size_t kMostGroupsInTable = 12;

void print_matrix(const Result& result, const Samples& samples) {
  std::size_t width = 11;
  for (const std::string& name : samples.names) width = std::max(width, name.size() + 1);
  fmt::print("\n{} after, rows as columns\n{:{}}", result.name, "", width);
  for (const std::string& name : samples.names) fmt::print("{:>{}}", name, width);
  fmt::print("\n");
  for (Index a = 0; a < result.after->values.rows(); ++a) {
    fmt::print("{:<{}}", samples.names[a], width);
    for (Index b = 0; b < result.after->values.cols(); ++b) {
      fmt::print("{:>{}}", a == b ? "-" : fmt::format("{:.4g}", result.after->values(a, b)), width);
    }
    fmt::print("\n");
  }
}

void print_table(const std::vector<Result>& results, const Samples& samples,
                 const EvaluateFlags& flags) {
  fmt::print("{:<22}{:>12}{:>12}\n", "", "before", "after");
  for (const Result& result : results) {
    fmt::print("{:<22}{:>12}{:>12.4g}\n", result.name,
               result.before       ? fmt::format("{:.4g}", result.before->mean)
               : result.all_before ? fmt::format("{:.4g}", *result.all_before)
                                   : "",
               result.after ? result.after->mean : result.mean);
  }
  fmt::print("before: group against group; after: {}\n",
             flags.space == "shared" ? "the same in the shared space"
                                     : "each as the other, against the other");
  if (samples.names.size() > kMostGroupsInTable) return;
  for (const Result& result : results) {
    if (result.after) print_matrix(result, samples);
  }
}

void run_evaluate(const EvaluateFlags& given, const CLI::App& verb, const Console& console) {
  EvaluateFlags flags = given;
  for (std::string& name : flags.metrics) std::replace(name.begin(), name.end(), '-', '_');
  check_metrics(flags);
  const Workers workers(flags.input.threads);
  const Model model = load_model(flags.model);
  const GroupedInput input = read_for(model, flags, console);
  input.groups.validate();
  const Samples samples = draw_samples(input, model.flow, flags, workers, console);
  if (samples.names.size() < 2) {
    console.warn("there is one group only; distances between groups are left out");
  }
  const std::vector<Result> results = measure(samples, model.flow, flags, workers, console);
  console.finish_progress();
  if (wants_json(verb)) {
    print_json(json_of(results, samples, flags));
  } else {
    print_table(results, samples, flags);
  }
}

}  // namespace

void add_evaluate(CLI::App& root, Console& console) {
  const auto flags = std::make_shared<EvaluateFlags>();
  CLI::App* verb = add_verb(
      root, console, "evaluate", "measure groups before and after, on any rows",
      "conflux evaluate cells.conflux held_out.csv --metrics w2_exact,paper_wd",
      [=, &root, &console] { run_evaluate(*flags, *root.get_subcommand("evaluate"), console); });
  verb->add_option("MODEL", flags->model, "model file that conflux fit wrote")->required();
  verb->add_option("INPUT", flags->input.paths, "tables of all groups, or one table per group")
      ->required();
  add_name_list(*verb, "--metrics", flags->metrics,
                fmt::format("with commas, of {} [w2_exact, sliced_w2, energy_distance, "
                            "transport_cost, round_trip]",
                            fmt::join(metric_names(), ", ")));
  verb->add_option("--space", flags->space,
                   "compare a group translated to another with that other, or all in the shared "
                   "space [translated]")
      ->type_name("translated|shared")
      ->check(quiet(CLI::IsMember({"translated", "shared"})));
  verb->add_option("--max-rows", flags->max_rows,
                   "rows of each group at most, drawn by seed [1000]")
      ->type_name("N")
      ->check(quiet(CLI::Range(1.0, 1e15)));
  verb->add_option(
          "--block", flags->block,
          "rows per block of w2_exact and paper_wd [w2_exact: whole up to 2000 rows, else 500]")
      ->type_name("N")
      ->check(quiet(CLI::Range(1.0, 1e15)));
  verb->add_option("--seed", flags->seed, "names the random streams [0]")->type_name("N");
  verb->add_option("--group,--batch-key", flags->input.group,
                   "column that tells the groups [as when fitting]")
      ->type_name("COLUMN");
  verb->add_option("--label", flags->input.label, "column of labels that should not be mixed")
      ->type_name("COLUMN");
  add_name_list(*verb, "--features", flags->input.features,
                "columns of the features, in their order [as when fitting]");
  verb->add_option("--where", flags->input.where, "only these rows")->type_name("COLUMN=VALUE");
  verb->add_option("-j,--threads", flags->input.threads, "threads to use; 0 uses every core [0]")
      ->type_name("N")
      ->check(quiet(CLI::Range(0, 4096)));
  add_input_flags(*verb, flags->input.table);
}

}  // namespace conflux::app
