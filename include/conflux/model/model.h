// A fit with the names it needs to be used again: what a model file holds.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "conflux/columns/columns.h"
#include "conflux/components/components.h"
#include "conflux/training/fit.h"

namespace conflux {

struct Model {
  Flow flow;
  FitRecord record;
  /// One per column; empty when the features were not named.
  std::vector<std::string> feature_names = {};
  /// Columns of the table that say which group a row is of and what it shows; empty when there are
  /// none.
  std::string group_column = {};
  std::string label_column = {};
  /// What the features are components of; empty when the features themselves were measured.
  Components components = {};
  /// What the columns of a table mean; empty when rows are coordinates already.
  Columns columns = {};
  /// Anything else that a caller wants to keep, as text.
  std::map<std::string, std::string> metadata = {};
};

}  // namespace conflux
