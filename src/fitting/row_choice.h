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

/// The first `count` rows of a random order; fewer of them are a random choice too.
std::vector<Index> draw_rows(const std::vector<Index>& rows, Index count, Stream stream);

/// What is left of `rows` without `taken`; both increase.
std::vector<Index> without(const std::vector<Index>& rows, const std::vector<Index>& taken);

/// Rows for layer `layer`, drawn from this process's rows with mass `usable`, which must outlive
/// the result. `group_sizes` counts the usable rows of all processes.
LayerRows choose_rows(const RowChoice& usable, const std::vector<Index>& group_sizes, Index layer,
                      const FitOptions& options, const Communicator& comm);

/// Rows in which a conditional layer looks for differences: those of a search, but never all.
/// `draw` names the choice.
RowChoice draw_evidence(const RowChoice& usable, const std::vector<Index>& group_sizes,
                        std::uint64_t draw, const FitOptions& options, const Communicator& comm);

/// Rows of each group over all processes.
std::vector<Index> count_rows(const RowChoice& chosen, Communicator& comm);

/// Throws InvalidOption unless both halves of a split have rows of every group.
void check_rows(const GroupSet& groups, const LayerRows& rows, Split split, Communicator& comm);

/// Rows times columns, for the chosen rows of a group.
Matrix project_rows(const Group& group, const std::vector<Index>& chosen, const Matrix& columns,
                    const Workers& workers);

}  // namespace conflux
