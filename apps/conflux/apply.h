// Rows of tables through a model, in blocks: what transform, inverse, translate and align share.

#pragma once

#include <string>
#include <vector>

#include "conflux/model/model.h"
#include "dataset/model_table.h"
#include "dataset/table_rows.h"
#include "row_mover.h"
#include "support/console.h"
#include "table_flags.h"

namespace conflux::app {

struct MovedRows {
  Index rows = 0;
  /// Those of them whose way back is not exact; a warning has named them.
  Index inexact = 0;
};

struct ApplyFlags {
  std::optional<Direction> direction = Direction::kToShared;
  std::string model;
  std::vector<std::string> inputs;
  InputFlags table;
  OutputFlags output;
  ModelColumnChoice columns;
  std::string to;
  /// As the model has it if unset.
  std::optional<double> amount = {};
  bool log_density = false;
  /// Genes through the moved components instead of the components.
  bool expression = false;
  int threads = 0;
  /// Set if these inputs are a part of a longer list: rows of the inputs before them, and whether
  /// they are the last.
  Index rows_before = 0;
  bool are_last = true;
};

/// Moves files one after the other into one table, or each into its own if the output is a folder;
/// the file
/// `flags.model` is named in messages only.
MovedRows move_tables(const Model& model, const ApplyFlags& flags, const Console& console);

/// The same for a table that was put together in memory.
Index move_table(const Model& model, TableRows rows, const ApplyFlags& flags,
                 const Console& console);

}  // namespace conflux::app
