// Principal components of wide tables as features: --pca and --normalize.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conflux/components/components.h"
#include "conflux/tables/table.h"
#include "conflux/model/model.h"
#include "support/console.h"
#include "support/flag.h"

namespace conflux::app {

struct TaggedTableFlags;

struct ComponentFlags {
  /// -1: as many as usual if the table is wide; 0: none.
  Index count = -1;
  std::string normalize;
};

/// --pca and --normalize
std::vector<Flag> component_flags(ComponentFlags& flags);

/// Components of all rows of the tables; nothing when columns are to be taken as they are.
std::shared_ptr<const Components> find_components(const ComponentFlags& flags,
                                                  const TaggedTableFlags& tables,
                                                  std::uint64_t seed, const Console& console);

/// Those of a model, or nothing. The model must outlive them.
std::shared_ptr<const Components> components_of(const Model& model);

/// A table whose genes become components, if there are any; otherwise the table itself.
std::unique_ptr<TableReader> open_rows(const std::string& path, const TableOptions& options,
                                       const Components* components);

}  // namespace conflux::app
