// Tables as groups of rows that a model knows: for whoever applies, judges or shows it.

#pragma once

#include "conflux/dataset/dataset.h"
#include "conflux/model/model.h"

namespace conflux {

/// Fills unset options from the model: the columns of groups, features and labels.
DatasetOptions options_for(const Model& model, DatasetOptions options);

/// Reads rows of the groups that the model knows, with the columns that it has: options about the
/// meaning of columns and about components are ignored. Missing cells have their expected values.
Dataset read_dataset_for(const Model& model, const DatasetOptions& options,
                         const DatasetHooks& hooks = {});

}  // namespace conflux
