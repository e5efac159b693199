// Checks of the files that a verb will write, before it works: no work is lost, no file is harmed.

#pragma once

#include <string>
#include <vector>

#include "conflux/core/group_set.h"
#include "support/flag.h"

namespace conflux::app {

/// Models and checkpoints are one kind.
enum class FileKind { kModel, kTable };

/// Throws before anything is written: InvalidOption when `path` is one of the inputs (also by
/// another name or a link), or would replace a file of the other kind and `force` is not given;
/// Error when its folder does not exist or cannot be written.
void check_output(const std::string& path, FileKind kind, const std::vector<std::string>& inputs,
                  bool force);

/// Throws InvalidOption when the table stands where the model belongs and the other way round.
void check_model_comes_first(const std::string& model, const std::string& table);

/// Throws InvalidData when a model file could not hold the names: they must be UTF-8.
void check_names(const std::vector<std::string>& groups, const std::vector<std::string>& features);

/// --force
Flag force_flag(bool& force);

}  // namespace conflux::app
