// Models on disk.
//
// A model file has the safetensors layout: the length of a header, the header in JSON, and arrays
// of numbers, which numpy reads in a few lines (docs/file_format.md). A model that is saved and
// loaded moves rows to the same bits.
//
// Writing: a killed process leaves the old file or the new one, never half a model. Reading trusts
// nothing: a file that is truncated, damaged or forged throws InvalidData with the fault and a
// remedy, and takes memory in proportion to its length only. Files of all versions up to this one
// are read.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "conflux/model/model.h"

namespace conflux {

/// Newest version of the layout and names. Models without components are written in version 2, and
/// those without columns in version 1, which older releases read.
inline constexpr int kModelFormatVersion = 4;

/// Throws Error with path and reason when the file cannot be written, InvalidData when a name is
/// not UTF-8. Equal fits give equal bytes: how long the fit took is not part of the file. A file
/// that is replaced keeps its permissions; a symbolic link keeps pointing to where the model is.
void save_model(const std::string& path, const Model& model);

/// The bytes that save_model() would write, for parse_model().
std::vector<std::byte> model_bytes(const Model& model);

/// Throws Error when the file cannot be read, InvalidData when it is no model.
Model load_model(const std::string& path);

/// A model or a checkpoint, with the metadata of the file.
struct ModelFile {
  Model model;
  /// False for the checkpoint of an unfinished fit.
  bool finished = true;
  int format_version = 0;
  /// Version of conflux that wrote the file.
  std::string conflux_version = {};
  std::string checksum = {};
  /// Size in bytes.
  Index size = 0;
};

/// As load_model(), for checkpoints too.
ModelFile inspect_model_file(const std::string& path);

/// As load_model(), from bytes in memory.
Model parse_model(std::span<const std::byte> file);

}  // namespace conflux
