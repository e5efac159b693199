// Which rows a layer looks for directions on, and which it fits its maps on.

#pragma once

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "conflux/options/options.h"
#include "core/rng.h"
#include "fitting/line_maps.h"

namespace conflux {

struct LayerRows {
  RowChoice search;
  RowChoice others;  // than those of a split; empty without one
  const RowChoice* usable = nullptr;

  /// Rows to fit maps on.
  const RowChoice& maps() const { return others.empty() ? *usable : others; }
};

/// Where this process's rows with mass stand among those of all processes, which are numbered
/// through in the order of ranks: so a draw does not depend on where rows lie.
struct RowPlaces {
  /// Rows of each group over all processes, and on those before this one.
  std::vector<Index> sizes;
  std::vector<Index> before;
  /// Rows in all of the process that has most.
  Index most = 0;
};

RowPlaces place_rows(const RowChoice& usable, Communicator& comm);

/// The rows of this process among some positions in a group, in the same order.
std::vector<Index> own_rows(const std::vector<Index>& places, Index group, const RowChoice& usable,
                            const RowPlaces& all);

/// Rows for layer `layer`, drawn from the rows with mass `usable`, which must outlive the result.
LayerRows choose_rows(const RowChoice& usable, const RowPlaces& places, Index layer,
                      const FitOptions& options);

/// Rows in which a conditional layer looks for differences: those of a search, but never all.
/// `draw` names the choice.
RowChoice draw_evidence(const RowChoice& usable, const std::vector<Index>& group_sizes,
                        std::uint64_t draw, const FitOptions& options, const Communicator& comm);

/// Rows of each group over all processes.
std::vector<Index> count_rows(const RowChoice& chosen, Communicator& comm);

/// Throws InvalidOption unless both halves of a split have rows of every group.
void check_split(const std::vector<std::string>& names, const RowPlaces& places, Split split);

/// Rows times columns, for the chosen rows of a group.
Matrix project_rows(const Group& group, const RowList& chosen, const Matrix& columns,
                    const Workers& workers);

}  // namespace conflux
