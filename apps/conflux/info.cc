// conflux info: what a model is.

#include <fmt/format.h>

#include <memory>

#include "conflux/storage/model_file.h"
#include "dataset/memory_limit.h"
#include "grouped_input.h"
#include "matched_clusters.h"
#include "options/option_table.h"
#include "options/option_text.h"
#include "record_json.h"
#include "storage/record_json.h"
#include "verbs.h"

namespace conflux::app {

namespace {

constexpr std::size_t kMostFeaturesShown = 12;
constexpr std::size_t kLayersShown = 5;

Json json_of(const ModelFile& file) {
  const Model& model = file.model;
  Json groups;
  for (Index m = 0; m < model.flow.num_groups(); ++m) {
    groups[model.flow.group_names()[m]] = model.record.group_sizes[m];
  }
  Json given = Json::object();
  for (std::size_t m = 0; m < model.record.given_sizes.size(); ++m) {
    given[model.flow.group_names()[m]] = model.record.given_sizes[m];
  }
  Json options;
  for (const OptionText& option : option_texts(model.record.options)) {
    options[option.name] = option.value;
  }
  return {{"finished", file.finished},
          {"format_version", file.format_version},
          {"conflux_version", file.conflux_version},
          {"checksum", file.checksum},
          {"bytes", file.size},
          {"method", name_of(model.record.options.method)},
          {"groups", groups},
          {"given_rows", given},
          {"features", model.feature_names},
          {"components", model.components.empty() ? Json() : Json(model.components.describe())},
          {"columns", model.columns.describe()},
          {"scale_reason", model.columns.scale_reason},
          {"dim", model.flow.dim()},
          {"group_column", model.group_column},
          {"label_column", model.label_column},
          {"options", options},
          {"held_out_at_start", model.record.held_out_at_start},
          {"held_out_nb", model.record.held_out_nb},
          {"layers", layers_json(model.record.layers)},
          {"dropped_layers", layers_json(model.record.dropped_layers)},
          {"check", check_to_json(model.record.check)},
          {"summary", summary_json(model.record)},
          {"neighborhoods", neighborhoods_to_json(model.record.neighborhoods)},
          {"warnings", model.record.warnings},
          {"speed", speed_json(model.record)},
          {"metadata", model.metadata}};
}

void print_layers(const std::vector<LayerRecord>& layers) {
  fmt::print("\n{:>6}  {:<12}{:>14}{:>12}{:>12}{:>8}{:>10}\n", "layer", "kind", "spread before",
             "after", "held out", "steps", "seconds");
  for (std::size_t l = 0; l < layers.size(); ++l) {
    if (layers.size() > 2 * kLayersShown + 1 && l == kLayersShown) {
      fmt::print("{:>6}  ({} more; --json shows all)\n", "...", layers.size() - 2 * kLayersShown);
      l = layers.size() - kLayersShown;
    }
    const LayerRecord& layer = layers[l];
    fmt::print("{:>6}  {:<12}{:>14.4g}{:>12.4g}{:>12}{:>8}{:>10.3f}\n", l + 1, layer.kind,
               layer.spread_before, layer.spread_after,
               layer.held_out ? fmt::format("{:.4g}", *layer.held_out) : "-", layer.steps,
               layer.seconds);
  }
}

// For each label, the other label that has come nearest, if any has.
void print_neighborhoods(const std::vector<LabelNeighborhood>& labels) {
  fmt::print("\nlabels of the nearest rows, among the scored rows, before -> after\n");
  for (std::size_t a = 0; a < labels.size(); ++a) {
    const LabelNeighborhood& own = labels[a];
    std::size_t most = a;
    double rise = 0;
    for (std::size_t b = 0; b < labels.size(); ++b) {
      if (b == a || own.after[b] - own.before[b] <= rise) continue;
      rise = own.after[b] - own.before[b];
      most = b;
    }
    fmt::print("  {:<20}{:.0f} % -> {:.0f} % of its label", printable(own.label),
               100 * own.before[a], 100 * own.after[a]);
    if (most != a) {
      fmt::print(", {:.0f} % -> {:.0f} % {}", 100 * own.before[most], 100 * own.after[most],
                 printable(labels[most].label));
    }
    fmt::print("\n");
  }
}

void print_judgement(const FitRecord& record) {
  if (record.check && !record.check->sentences.empty()) {
    fmt::print("\nbefore the fit: {}\n", printable(record.check->sentences.front()));
  }
  if (!record.summary.sentences.empty()) fmt::print("\n");
  for (const std::string& sentence : record.summary.sentences) {
    fmt::print("{}\n", printable(sentence));
  }
  for (const std::string& sentence : matched_clusters(record)) {
    fmt::print("{}\n", printable(sentence));
  }
  if (!record.neighborhoods.empty()) print_neighborhoods(record.neighborhoods);
}

void print_text(const ModelFile& file, const std::string& path) {
  const Model& model = file.model;
  const auto line = [](const char* name, const std::string& text) {
    if (!text.empty()) fmt::print("{:<14}{}\n", name, printable(text));
  };
  line("file", fmt::format("{}, {}{}", path, bytes_text(static_cast<double>(file.size)),
                           file.finished ? "" : ", checkpoint of an unfinished fit"));
  line("written by",
       fmt::format("conflux {}, format version {}", file.conflux_version, file.format_version));
  line("checksum", file.checksum);
  for (const auto& [key, value] : model.metadata) {
    line(key == "data_digest" ? "data digest" : key.c_str(), value);
  }
  line("method", std::string(name_of(model.record.options.method)));
  std::string groups;
  for (Index m = 0; m < model.flow.num_groups(); ++m) {
    const std::vector<Index>& given = model.record.given_sizes;
    groups += fmt::format("{}{} ({}{} rows)", m == 0 ? "" : ", ", model.flow.group_names()[m],
                          model.record.group_sizes[m],
                          given.empty() ? "" : fmt::format(" of {}", given[m]));
  }
  line("groups", groups);
  line("group column", model.group_column);
  line("label column", model.label_column);
  std::string features = std::to_string(model.flow.dim() - model.columns.num_covariates());
  for (std::size_t j = 0; j < std::min(model.feature_names.size(), kMostFeaturesShown); ++j) {
    features += (j == 0 ? ": " : ", ") + model.feature_names[j];
  }
  if (model.feature_names.size() > kMostFeaturesShown) features += ", ...";
  line("features", features);
  if (!model.components.empty()) line("components", model.components.describe());
  line("scale", model.columns.scale_reason);
  for (const std::string& text : model.columns.describe()) line("column", text);
  const Throughput speed = throughput_of(model.record);
  // Only checkpoints, and models of conflux 0.1, hold times.
  if (model.record.seconds > 0) {
    line("fitted in",
         fmt::format("{:.2f} s: {} passes over the rows, {:.1f} GFLOP/s, {:.1f} GB/s; {:.0f} % "
                     "products, {:.0f} % sorting, {:.0f} % rest",
                     model.record.seconds, speed.passes, speed.gflops_per_second,
                     speed.gigabytes_per_second, 100 * speed.product_share, 100 * speed.sort_share,
                     100 * speed.rest_share));
  }
  fmt::print("\noptions\n");
  for (const OptionText& option : option_texts(model.record.options)) {
    fmt::print("  {:<20}{}\n", option.name, option.value);
  }
  if (!model.record.layers.empty()) print_layers(model.record.layers);
  if (!model.record.dropped_layers.empty()) {
    fmt::print("{} more layers were fitted and dropped: held-out rows gained nothing\n",
               model.record.dropped_layers.size());
  }
  print_judgement(model.record);
  for (const std::string& warning : model.record.warnings)
    fmt::print("\nwarning: {}\n", printable(warning));
}

}  // namespace

Verb info_verb() {
  const auto path = std::make_shared<std::string>();
  Verb verb{.name = "info",
            .description = "show groups, columns, options and scores of a model or checkpoint",
            .example = "conflux info cells.conflux",
            .run = [path](const Console& console) {
              const ModelFile file = inspect_model_file(*path);
              if (console.json) {
                print_json(json_of(file));
              } else {
                print_text(file, *path);
              }
            }};
  verb.add({.names = "MODEL",
            .help = "model file or checkpoint",
            .target = path.get(),
            .required = true});
  return verb;
}

}  // namespace conflux::app
