// Moves rows with missing coordinates into the shared space.
//
// There, a missing coordinate has the value that is expected given the others, the same for all
// groups. Wanted is the row of the shared space whose way back into its group passes through what
// is known of the row. The way back therefore needs no search: it fills what is missing and follows
// the flow. The search may end at any such row, so that flows which fold, as all do when
// coordinates are left out, lose none.
//
// The search is Broyden's: secants of the flow, from a step on. Where a flow jumps there may be no
// such row; values that repeat are then spread anew within their cells, which changes what is
// sought and not what it stands for.
//
// Cost: some twenty moves of a row for most, some hundreds for a few.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "columns/expectation.h"
#include "conflux/model/model.h"

namespace conflux {

/// Distribution of rows in the shared space of a model, from which missing coordinates are filled.
ExpectedRow expected_in_shared(const Model& model);

class IncompleteRows {
 public:
  /// All must outlive this.
  IncompleteRows(const Model& model, const ExpectedRow& shared, const Workers& workers)
      : model_(model), shared_(shared), workers_(workers) {}

  /// Replaces coordinates of a group, NaN where they are missing, by complete rows of the shared
  /// space. names[i] seeds the random streams of row i, and `label` is as in Flow::flow_of().
  /// Returns the rows for which none was found, increasing; they are as near as the search came.
  std::vector<Index> to_shared(Index group, Index label, Rows rows,
                               std::span<const std::uint64_t> names) const;

 private:
  struct Search;
  /// The maps of the rows, and their group in the model.
  struct Maps {
    const Flow& flow;
    Index place;
    Index group;
  };

  void begin(const Maps& maps, std::vector<Search>& searches, int attempt) const;
  void advance(const Maps& maps, std::vector<Search>& searches) const;
  /// Rows of the group at the given places of the shared space.
  Matrix rows_at(const Maps& maps, const std::vector<const Search*>& searches,
                 std::span<const Vector> places) const;
  void add_jacobians(const Maps& maps, std::vector<Search>& searches) const;
  bool settled(const Search& search, const Vector& there) const;

  const Model& model_;
  const ExpectedRow& shared_;
  const Workers& workers_;
};

}  // namespace conflux
