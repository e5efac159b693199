// Flags on the columns of a table.

#pragma once

#include <string>
#include <vector>

#include "conflux/columns/find_columns.h"
#include "support/flag.h"

namespace conflux::app {

struct ColumnChoice {
  /// Empty texts are choices that were left to us.
  std::string scale = {};
  std::string repeats = {};
  std::string missing = {};
  /// COLUMN=WORD
  std::vector<std::string> as = {};
  std::vector<std::string> support = {};
  std::string arcsinh = {};
  /// A JSON file with words for columns.
  std::string file = {};
  /// Column that names the rows.
  std::string key = {};

  bool empty() const {
    return scale.empty() && repeats.empty() && missing.empty() && as.empty() && support.empty() &&
           arcsinh.empty() && file.empty() && key.empty();
  }
};

/// --scale, --repeats, --missing, --as, --support, --arcsinh, --columns and --key
std::vector<Flag> column_choice_flags(ColumnChoice& choice);

/// Reads the file, too. Throws InvalidOption or InvalidData.
ColumnOptions column_options(const ColumnChoice& choice);

}  // namespace conflux::app
