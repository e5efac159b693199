#include "storage/record_json.h"

#include <fmt/format.h>

#include <concepts>
#include <limits>
#include <set>
#include <type_traits>

#include "conflux/core/error.h"
#include "options/option_table.h"

namespace conflux {

namespace {

[[noreturn]] void wrong(std::string_view name, std::string_view what) {
  throw InvalidData(fmt::format("\"{}\" is {}; the file is damaged.", name, what));
}

template <class T>
Json to_json(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(name_of(value));
  } else {
    return value;
  }
}

Json to_json(const GroupWeights& weights) {
  if (weights.kind == GroupWeights::Kind::kList) return weights.list;
  return to_text(weights);
}

Json to_json(const RowLimit& limit) { return limit.all() ? Json("all") : Json(limit.rows); }

template <class T>
Json to_json(const std::optional<T>& value) {
  return value ? to_json(*value) : Json();
}

void read(const Json& json, std::string_view name, bool& out) {
  if (!json.is_boolean()) wrong(name, "neither true nor false");
  out = json.boolean();
}

void read(const Json& json, std::string_view name, double& out) {
  if (!json.is_number()) wrong(name, "no number");
  out = json.number();
}

template <class Integer>
requires(std::is_integral_v<Integer>) void read(const Json& json, std::string_view name,
                                                Integer& out) {
  if (!json.is_whole()) wrong(name, "no whole number");
  const bool fits =
      json.is_count() ? std::in_range<Integer>(json.count()) : std::in_range<Integer>(json.whole());
  if (!fits) wrong(name, "out of range");
  out = static_cast<Integer>(json.whole());
}

template <class Enum>
requires(std::is_enum_v<Enum>) void read(const Json& json, std::string_view name, Enum& out) {
  if (json.is_text()) {
    for (const auto& [value, text] : EnumNames<Enum>::kNames) {
      if (json.text() != text) continue;
      out = value;
      return;
    }
  }
  wrong(name, "none of its names");
}

void read(const Json& json, std::string_view name, std::string& out) {
  if (!json.is_text()) wrong(name, "no text");
  out = json.text();
}

void read(const Json& json, std::string_view name, RowLimit& out) {
  out = RowLimit();
  if (json != Json("all")) read(json, name, out.rows);
}

void read(const Json& json, std::string_view name, LayerRecord& out);
void read(const Json& json, std::string_view name, PredictionRecord& out);
void read(const Json& json, std::string_view name, FitSummary& out);
void read(const Json& json, std::string_view name, GroupMatch& out);
void read(const Json& json, std::string_view name, ClustersRecord& out);
void read(const Json& json, std::string_view name, CheckRecord& out);
void read(const Json& json, std::string_view name, RungRecord& out);
void read(const Json& json, std::string_view name, LadderRecord& out);
void read(const Json& json, std::string_view name, LabelNeighborhood& out);
void read(const Json& json, std::string_view name, WithinRecord& out);

template <class T>
void read(const Json& json, std::string_view name, std::vector<T>& out) {
  if (!json.is_array()) wrong(name, "no list");
  out.clear();
  for (const Json& each : json.items()) read(each, name, out.emplace_back());
}

template <class T>
void read(const Json& json, std::string_view name, std::optional<T>& out) {
  out.reset();
  if (!json.is_null()) read(json, name, out.emplace());
}

// A list of numbers, or the name of a rule. Files of version 0.1 have an empty list for uniform.
void read(const Json& json, std::string_view name, GroupWeights& out) {
  if (json.is_array()) {
    std::vector<double> list;
    read(json, name, list);
    out = list.empty() ? GroupWeights() : GroupWeights(std::move(list));
    return;
  }
  if (json != Json("uniform") && json != Json("size"))
    wrong(name, "neither a list nor the name of a rule");
  out = parse_group_weights(json.text());
}

// Fields of an object by name; fields that are never read are unknown.
class Fields {
 public:
  Fields(const Json& json, std::string_view name) : json_(json) {
    if (!json.is_object()) wrong(name, "no object");
  }

  template <class T>
  void get(std::string_view name, T& out) {
    known_.insert(std::string(name));
    if (const Json* found = json_.find(name)) read(*found, name, out);
  }

  void get_number_or_nan(std::string_view name, double& out) {
    std::optional<double> value = out;
    get(name, value);
    out = value.value_or(std::numeric_limits<double>::quiet_NaN());
  }

  /// For what earlier versions have written.
  void ignore(std::string_view name) { known_.insert(std::string(name)); }

  void check_all_known() const {
    for (const auto& [name, value] : json_.members()) {
      if (known_.contains(name)) continue;
      throw InvalidData(fmt::format(
          "\"{}\" is unknown; the file is damaged, or written by a newer conflux: update.", name));
    }
  }

 private:
  const Json& json_;
  std::set<std::string> known_;
};

LayerRecord layer_from_json(const Json& json, std::string_view name) {
  LayerRecord layer;
  Fields fields(json, name);
  visit_layer_record(layer, [&](const char* field, auto& value) {
    if constexpr (std::same_as<decltype(value), double&>) {
      fields.get_number_or_nan(field, value);
    } else {
      fields.get(field, value);
    }
  });
  fields.check_all_known();
  return layer;
}

void read(const Json& json, std::string_view name, PredictionRecord& out) {
  Fields fields(json, name);
  fields.get("layer", out.layer);
  fields.get_number_or_nan("auc", out.auc);
  fields.get_number_or_nan("by_chance", out.by_chance);
  fields.check_all_known();
}

void read(const Json& json, std::string_view name, GroupMatch& out) {
  Fields fields(json, name);
  fields.get_number_or_nan("matched", out.matched);
  fields.get_number_or_nan("distance", out.distance);
  fields.get("parts", out.parts);
  fields.get("shares", out.shares);
  fields.check_all_known();
}

void read(const Json& json, std::string_view name, ClustersRecord& out) {
  Fields fields(json, name);
  fields.get("reason", out.reason);
  fields.get("groups", out.groups);
  fields.get("sentences", out.sentences);
  fields.check_all_known();
}

void read(const Json& json, std::string_view name, RungRecord& out) {
  Fields fields(json, name);
  fields.get("name", out.name);
  fields.get("transfer", out.transfer);
  fields.get("transfer_error", out.transfer_error);
  fields.get_number_or_nan("auc", out.auc);
  fields.get_number_or_nan("auc_by_chance", out.auc_by_chance);
  fields.get_number_or_nan("moved", out.moved);
  fields.check_all_known();
}

void read(const Json& json, std::string_view name, LadderRecord& out) {
  Fields fields(json, name);
  fields.get("goal", out.goal);
  fields.get("rungs", out.rungs);
  fields.get("chosen", out.chosen);
  fields.get("sentences", out.sentences);
  fields.check_all_known();
}

void read(const Json& json, std::string_view name, WithinRecord& out) {
  Fields fields(json, name);
  fields.get("label", out.label);
  fields.get("rows", out.rows);
  fields.get("method", out.method);
  fields.get("layers", out.layers);
  fields.get("stop", out.stop);
  fields.check_all_known();
}

void read(const Json& json, std::string_view name, CheckRecord& out) {
  Fields fields(json, name);
  fields.get("differ", out.differ);
  fields.get_number_or_nan("p_value", out.p_value);
  fields.get_number_or_nan("auc", out.auc);
  fields.get_number_or_nan("auc_by_chance", out.auc_by_chance);
  fields.get_number_or_nan("overlap", out.overlap);
  fields.get("advice", out.advice);
  fields.get("rows", out.rows);
  fields.get("sentences", out.sentences);
  fields.check_all_known();
}

void read(const Json& json, std::string_view name, LabelNeighborhood& out) {
  Fields fields(json, name);
  fields.get("label", out.label);
  fields.get("rows", out.rows);
  fields.get("before", out.before);
  fields.get("after", out.after);
  fields.check_all_known();
}

// Whoever reads a table of them may rely on its shape.
void check_neighborhoods(const std::vector<LabelNeighborhood>& neighborhoods) {
  for (const LabelNeighborhood& each : neighborhoods) {
    if (each.before.size() != neighborhoods.size() || each.after.size() != neighborhoods.size()) {
      wrong("neighborhoods", "no square table");
    }
  }
}

void read(const Json& json, std::string_view name, FitSummary& out) {
  Fields fields(json, name);
  fields.get("verdict", out.verdict);
  // Words of models that were written before the verdicts had their present names.
  if (out.verdict == "better") out.verdict = "reduced";
  if (out.verdict == "already aligned") out.verdict = "worse";
  fields.get_number_or_nan("auc_before", out.auc_before);
  fields.get_number_or_nan("auc_after", out.auc_after);
  fields.get_number_or_nan("auc_by_chance", out.auc_by_chance);
  fields.get_number_or_nan("auc_low", out.auc_low);
  fields.get_number_or_nan("auc_high", out.auc_high);
  fields.get("worst_group", out.worst_group);
  fields.get_number_or_nan("worst_before", out.worst_before);
  fields.get_number_or_nan("worst_after", out.worst_after);
  fields.get("within_labels", out.within_labels);
  fields.get_number_or_nan("neighbors_kept", out.neighbors_kept);
  fields.get_number_or_nan("neighbors_by_chance", out.neighbors_by_chance);
  fields.get("moved_most", out.moved_most);
  fields.get("moved_by", out.moved_by);
  fields.get_number_or_nan("energy_after", out.energy_after);
  fields.get_number_or_nan("energy_low", out.energy_low);
  fields.get_number_or_nan("energy_high", out.energy_high);
  fields.get("beyond_knots", out.beyond_knots);
  fields.get("reach_low", out.reach_low);
  fields.get("reach_high", out.reach_high);
  fields.get("judged_rows", out.judged_rows);
  fields.get("unseen_rows", out.unseen_rows);
  fields.get("sentences", out.sentences);
  fields.check_all_known();
}

void read(const Json& json, std::string_view name, LayerRecord& out) {
  out = layer_from_json(json, name);
}

}  // namespace

Json options_to_json(const FitOptions& options) {
  Json out = Json::object();
  visit_options(options, [&](const OptionInfo& info, const auto& value) {
    // The same model whatever the number of threads.
    out.add(std::string(info.name), info.name == "threads" ? Json(0) : to_json(value));
  });
  return out;
}

FitOptions options_from_json(const Json& json) {
  FitOptions options;
  // Files without gates come from before there were any.
  options.gate = Gating::kNone;
  // Nor did they leave out rows.
  options.fit_rows = RowLimit();
  Fields fields(json, "options");
  // Names of version 0.1. Scales belong to columns now; layers of scores are in the file.
  std::string scale;
  fields.get("scale", scale);
  fields.get("cells", options.clusters);
  fields.get("min_cell", options.min_cluster);
  // Options of networks, which were methods of the library in earlier files.
  for (const char* name : {"couplings", "hidden", "epochs", "likelihood_weight"}) {
    fields.ignore(name);
  }
  visit_options(options,
                [&](const OptionInfo& info, auto& value) { fields.get(info.name, value); });
  fields.check_all_known();
  // Files of version 0.1 say auto for this gate; the options of a finished fit leave nothing open.
  if (options.gate == Gating::kAuto) options.gate = Gating::kClusters;
  try {
    validate(options);
  } catch (const InvalidOption& error) {
    throw InvalidData(fmt::format("the options cannot be: {} The file is damaged.", error.what()));
  }
  return options;
}

FitRecord record_from_json(const Json& json) {
  FitRecord record;
  Fields fields(json, "record");
  fields.get("group_sizes", record.group_sizes);
  fields.get("given_sizes", record.given_sizes);
  fields.get("warnings", record.warnings);
  fields.get_number_or_nan("seconds", record.seconds);
  fields.get("held_out_at_start", record.held_out_at_start);
  fields.get("held_out_nb", record.held_out_nb);
  if (!json.contains("layers")) wrong("layers", "missing");
  fields.get("layers", record.layers);
  fields.get("dropped_layers", record.dropped_layers);
  fields.get("predictions", record.predictions);
  fields.get("stop", record.stop);
  fields.get("clusters", record.clusters);
  fields.get("ladder", record.ladder);
  fields.get("within", record.within);
  fields.get("check", record.check);
  fields.get("summary", record.summary);
  fields.get("neighborhoods", record.neighborhoods);
  check_neighborhoods(record.neighborhoods);
  return record;
}

std::vector<std::string> texts_from_json(const Json& json, const std::string& name) {
  std::vector<std::string> out;
  read(json, name, out);
  return out;
}

}  // namespace conflux
