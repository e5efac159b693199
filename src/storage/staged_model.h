// A model beside its name, for commands that replace a model and another file together.

#pragma once

#include <memory>
#include <string>

#include "conflux/model/model.h"
#include "files/atomic_file.h"

namespace conflux {

/// As save_model(), but the file gets its name by commit() only; until then an older model of this
/// name stays.
std::unique_ptr<AtomicFile> stage_model(const std::string& path, const Model& model);

}  // namespace conflux
