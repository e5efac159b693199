#include "storage/model_tensors.h"

#include <fmt/format.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "conflux/storage/model_file.h"
#include "files/json.h"
#include "options/option_table.h"
#include "storage/columns_tensors.h"
#include "storage/components_tensors.h"
#include "storage/damaged.h"
#include "storage/layer_tensors.h"
#include "storage/record_json.h"

namespace conflux {

namespace {

constexpr std::string_view kFormat = "conflux";
constexpr Index kMostFeatures = Index{1} << 40;
// Fits end after some hundreds of layers.
constexpr std::size_t kMostLayers = 100'000;
constexpr int kDepth = 8;  // of JSON texts in the metadata

std::string layer_prefix(std::size_t l) { return fmt::format("layer.{}", l); }

Json json_of(const TensorFile& file, const std::string& key) {
  return parse_json(file.text(key), kDepth, fmt::format("metadata \"{}\"", key));
}

Index read_dim(const TensorFile& file) {
  const Json json = json_of(file, "dim");
  const bool fits = json.is_count() && json.count() >= 1 &&
                    json.count() <= static_cast<std::uint64_t>(kMostFeatures);
  if (!fits) damaged("the number of features is out of range");
  return static_cast<Index>(json.count());
}

// Rows are given to groups, and columns to features, by name.
std::vector<std::string> read_names(const TensorFile& file, const std::string& key) {
  std::vector<std::string> names = texts_from_json(json_of(file, key), key);
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) damaged(fmt::format("{} has the name \"{}\" twice", key, *twice));
  return names;
}

void read_layers(const Json& layers, const std::string& before, TensorFile& file, Flow& flow) {
  if (!layers.is_array()) damaged("metadata \"layers\" is no list");
  if (layers.size() > kMostLayers) {
    damaged(
        fmt::format("metadata \"layers\" has {} layers, more than {}", layers.size(), kMostLayers));
  }
  for (std::size_t l = 0; l < layers.size(); ++l) {
    flow.append(
        read_layer(layers[l], before + layer_prefix(l), flow.num_groups(), flow.dim(), file));
  }
}

Json write_layers(const Flow& flow, const std::string& before, TensorWriter& out) {
  Json layers = Json::array();
  for (std::size_t l = 0; l < flow.layers().size(); ++l) {
    layers.push_back(write_layer(*flow.layers()[l], before + layer_prefix(l), out));
  }
  return layers;
}

std::string within_prefix(std::size_t label) { return fmt::format("within.{}.", label); }

Json write_within(const Flow& flow, TensorWriter& out) {
  Json all = Json::array();
  for (std::size_t c = 0; c < flow.within().size(); ++c) {
    const LabelFlow& each = *flow.within()[c];
    all.push_back(Json{{"label", each.label},
                       {"groups", each.flow.group_names()},
                       {"layers", write_layers(each.flow, within_prefix(c), out)}});
  }
  return all;
}

void read_within(const Json& all, TensorFile& file, Flow& flow) {
  if (!all.is_array() || all.size() > kMostLayers) damaged("metadata \"within\" is no list");
  for (std::size_t c = 0; c < all.size(); ++c) {
    const Json* label = all[c].is_object() ? all[c].find("label") : nullptr;
    const Json* groups = all[c].is_object() ? all[c].find("groups") : nullptr;
    const Json* layers = all[c].is_object() ? all[c].find("layers") : nullptr;
    if (label == nullptr || groups == nullptr || layers == nullptr || !label->is_text()) {
      damaged("metadata \"within\" lacks a label, its groups or its layers");
    }
    if (flow.label_index(label->text()) >= 0) {
      damaged(fmt::format("label \"{}\" has two flows", label->text()));
    }
    std::vector<std::string> names = texts_from_json(*groups, "groups");
    for (std::size_t k = 0; k < names.size(); ++k) {
      const auto& known = flow.group_names();
      if (std::find(known.begin(), known.end(), names[k]) == known.end() ||
          std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(k), names[k]) !=
              names.begin() + static_cast<std::ptrdiff_t>(k)) {
        damaged(
            fmt::format("the flow of label \"{}\" has the group \"{}\" twice, or the model "
                        "has no such group",
                        label->text(), names[k]));
      }
    }
    if (names.empty()) damaged("a flow of a label has no groups");
    Flow own(std::move(names), flow.dim());
    read_layers(*layers, within_prefix(c), file, own);
    flow.add_within(label->text(), std::move(own));
  }
}

Flow read_flow(TensorFile& file) {
  std::vector<std::string> groups = read_names(file, "groups");
  if (groups.empty()) damaged("there are no groups");
  Flow flow(std::move(groups), read_dim(file));
  read_layers(json_of(file, "layers"), "", file, flow);
  if (!file.text_or("within", "").empty()) read_within(json_of(file, "within"), file, flow);
  return flow;
}

// Equal fits must give equal files, but they never take equally long. Checkpoints keep the times,
// so that a resumed fit can tell how long all of it took.
Json record_without_times(const FitRecord& record) {
  Json json = record_to_json(record);
  json.erase("seconds");
  for (const char* name : {"layers", "dropped_layers"}) {
    Json layers = Json::array();
    for (Json layer : json[name].items()) {
      for (const char* key : {"seconds", "product_seconds", "sort_seconds"}) layer.erase(key);
      layers.push_back(std::move(layer));
    }
    json[name] = std::move(layers);
  }
  return json;
}

// The first version that knows everything in the model.
int version_of(const Model& model) {
  if (!model.columns.kept.empty() || !model.flow.within().empty()) return kModelFormatVersion;
  if (!model.components.empty()) return 3;
  return model.columns.empty() ? 1 : 2;
}

void check_counts(const Model& model) {
  const auto groups = static_cast<std::size_t>(model.flow.num_groups());
  const auto features = static_cast<std::size_t>(model.flow.dim() - model.columns.num_covariates());
  const GroupWeights& weights = model.record.options.weights;
  if (model.record.group_sizes.size() != groups)
    damaged("group_sizes has not one number per group");
  if (weights.kind == GroupWeights::Kind::kList && weights.list.size() != groups) {
    damaged("weights has not one number per group");
  }
  if (!model.feature_names.empty() && model.feature_names.size() != features) {
    damaged("features has not one name per feature");
  }
}

}  // namespace

TensorWriter write_model(const Model& model, const std::optional<std::string>& data_digest) {
  TensorWriter out;
  const Json layers = write_layers(model.flow, "", out);
  out.set("format", std::string(kFormat));
  out.set("format_version", std::to_string(version_of(model)));
  out.set("conflux_version", CONFLUX_VERSION);
  out.set("kind", data_digest ? "checkpoint" : "model");
  if (data_digest) out.set("data_digest", *data_digest);
  out.set("method", std::string(name_of(model.record.options.method)));
  out.set("dim", std::to_string(model.flow.dim()));
  out.set("groups", to_text(model.flow.group_names()));
  out.set("features", to_text(model.feature_names));
  out.set("group_column", model.group_column);
  out.set("label_column", model.label_column);
  if (!model.columns.empty()) out.set("columns", to_text(write_columns(model.columns, out)));
  if (!model.components.empty()) {
    out.set("components", to_text(write_components(model.components, out)));
  }
  out.set("options", to_text(options_to_json(model.record.options)));
  out.set("layers", to_text(layers));
  if (!model.flow.within().empty()) out.set("within", to_text(write_within(model.flow, out)));
  out.set("record",
          to_text(data_digest ? record_to_json(model.record) : record_without_times(model.record)));
  out.set("metadata", to_text(Json(model.metadata)));
  return out;
}

StoredModel read_model(Bytes bytes) {
  StoredModel out;
  out.size = static_cast<Index>(bytes.size());
  TensorFile file = TensorFile::parse(std::move(bytes), kFormat, kModelFormatVersion);
  out.format_version = std::stoi(file.text("format_version"));
  out.conflux_version = file.text_or("conflux_version", "");
  out.checksum = file.text("checksum");
  Model& model = out.model;
  const std::string& kind = file.text("kind");
  if (kind != "model" && kind != "checkpoint") damaged("the kind is neither model nor checkpoint");
  if (kind == "checkpoint") out.data_digest = file.text("data_digest");
  model.flow = read_flow(file);
  if (!file.text_or("columns", "").empty()) {
    model.columns =
        read_columns(json_of(file, "columns"), model.flow.num_groups(), model.flow.dim(), file);
  }
  if (!file.text_or("components", "").empty()) {
    model.components = read_components(json_of(file, "components"), file);
  }
  file.check_all_read();
  model.record = record_from_json(json_of(file, "record"));
  model.record.options = options_from_json(json_of(file, "options"));
  model.flow.set_amount(model.record.options.amount);
  model.feature_names = read_names(file, "features");
  model.group_column = file.text("group_column");
  model.label_column = file.text("label_column");
  const Json metadata = json_of(file, "metadata");
  if (!metadata.is_object()) damaged("\"metadata\" is no object");
  for (const auto& [key, text] : metadata.members()) {
    if (!text.is_text()) damaged(fmt::format("\"{}\" of the metadata is no text", key));
    model.metadata[key] = text.text();
  }
  check_counts(model);
  return out;
}

StoredModel load_stored_model(const std::string& path) {
  Bytes bytes = read_whole_file(path);
  try {
    return read_model(std::move(bytes));
  } catch (const InvalidData& error) {
    throw InvalidData(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace conflux
