#include "conflux/storage/model_file.h"

#include "conflux/core/error.h"
#include "storage/model_tensors.h"
#include "storage/staged_model.h"

namespace conflux {

namespace {

// A checkpoint has not left the unit cube, and maybe not arrived anywhere.
Model finished(StoredModel stored) {
  if (!stored.data_digest) return std::move(stored.model);
  throw InvalidData("this is the checkpoint of an unfinished fit; resume the fit to get a model.");
}

}  // namespace

void save_model(const std::string& path, const Model& model) {
  write_model(model, std::nullopt).save(path);
}

std::unique_ptr<AtomicFile> stage_model(const std::string& path, const Model& model) {
  return write_model(model, std::nullopt).stage(path);
}

std::vector<std::byte> model_bytes(const Model& model) {
  return write_model(model, std::nullopt).bytes();
}

Model load_model(const std::string& path) {
  StoredModel stored = load_stored_model(path);
  try {
    return finished(std::move(stored));
  } catch (const InvalidData& error) {
    throw InvalidData(path + ": " + error.what());
  }
}

ModelFile inspect_model_file(const std::string& path) {
  StoredModel stored = load_stored_model(path);
  return {.model = std::move(stored.model),
          .finished = !stored.data_digest.has_value(),
          .format_version = stored.format_version,
          .conflux_version = std::move(stored.conflux_version),
          .checksum = std::move(stored.checksum),
          .size = stored.size};
}

Model parse_model(std::span<const std::byte> file) {
  return finished(read_model(Bytes(file.begin(), file.end())));
}

}  // namespace conflux
