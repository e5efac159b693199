#include "storage/layer_tensors.h"

#include <fmt/format.h>

#include <map>

#include "conflux/core/error.h"
#include "storage/damaged.h"
#include "storage/layer_codecs.h"

namespace conflux {

namespace {

const LayerCodec* find_codec(std::string_view kind) {
  for (const LayerCodec& each : layer_codecs()) {
    if (each.kind == kind) return &each;
  }
  return nullptr;
}

}  // namespace

Json write_layer(const Layer& layer, const std::string& prefix, TensorWriter& out) {
  const LayerCodec* codec = find_codec(layer.kind());
  if (codec == nullptr) {
    throw Error(fmt::format("layers of kind {} cannot be saved.", layer.kind()));
  }
  std::map<std::string, std::string> texts;
  codec->write(layer, {prefix, texts, out});
  Json about = {{"kind", layer.kind()}};
  for (const auto& [key, text] : texts) about[key] = text;
  return about;
}

std::shared_ptr<const Layer> read_layer(const Json& about, const std::string& prefix, Index groups,
                                        Index dim, TensorFile& file) {
  std::map<std::string, std::string> texts;
  if (about.is_object()) {
    for (const auto& [key, value] : about.members()) {
      if (value.is_text()) texts[key] = value.text();
    }
  }
  const std::string kind = texts["kind"];
  const LayerCodec* codec = find_codec(kind);
  if (codec == nullptr) {
    damaged(prefix, fmt::format("is a layer of the unknown kind \"{}\"", kind));
  }
  return codec->read({prefix, texts, groups, dim, file});
}

}  // namespace conflux
