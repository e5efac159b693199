// A model as arrays and texts, finished or not.

#pragma once

#include <optional>
#include <string>

#include "conflux/model/model.h"
#include "storage/tensor_file.h"

namespace conflux {

/// `data_digest` marks a checkpoint.
TensorWriter write_model(const Model& model, const std::optional<std::string>& data_digest);

struct StoredModel {
  Model model;
  std::optional<std::string> data_digest;
  int format_version = 0;
  std::string conflux_version = {};
  std::string checksum = {};
  Index size = 0;
};

/// Throws InvalidData unless the bytes are a model or a checkpoint.
StoredModel read_model(Bytes bytes);
/// The same from a file, which messages name.
StoredModel load_stored_model(const std::string& path);

}  // namespace conflux
