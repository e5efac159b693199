// The positions of all groups during a fit: rows that layers move, in the precision of the data.
//
// A sliced layer needs the projections of all rows twice, to fit its maps and to move the rows;
// they are made once. Moving doubles has the bits of Layer::forward().
//
// Rows on disk are passed once a layer: what a sliced layer has to move waits until the next layer
// projects the rows, and is done block by block then. A few layers may wait together, so that fits
// of few layers write no rows at all; more of them are written to a scratch now and then.

#pragma once

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "core/disk_scratch.h"
#include "core/row_list.h"
#include "fitting/line_maps.h"
#include "flow/sliced_layer.h"
#include "slicing/work.h"

namespace conflux {

/// Values of all rows of each group on lines, in the precision of the rows.
class Projections {
 public:
  /// One matrix per group; its row k holds the values on line k.
  template <class Scalar>
  using Lines = std::vector<MatrixView<Scalar>>;

  /// `memory` is what the lines are in.
  template <class Scalar>
  Projections(Lines<Scalar> lines, std::shared_ptr<const void> memory)
      : lines_(std::move(lines)), memory_(std::move(memory)) {}

  Index num_lines() const;
  bool single() const { return lines_.index() == 1; }
  /// The values of some rows, in the precision of the rows or in doubles.
  template <class T>
  void copy(Index group, Index line, const RowList& chosen, std::span<T> out) const;

 private:
  friend class Latent;
  std::variant<Lines<double>, Lines<float>> lines_;
  std::shared_ptr<const void> memory_;
  std::shared_ptr<const SlicedLayer> moved_by_;  // after which lines still have to be moved
};

class Latent {
 public:
  /// Moves rows that `groups` alone owns, and copies of others. With a scratch, which must outlive
  /// this, it moves copies that are there, and projections are there too.
  explicit Latent(GroupSet groups, DiskScratch* scratch = nullptr);

  const GroupSet& groups() const {
    if (!waiting_.empty()) write_what_waits(Workers(1));
    return groups_;
  }
  /// The same without what waits: names and masses, and rows that need not have moved.
  const GroupSet& given() const { return groups_; }
  /// Some rows where the layers so far have left them: which of which groups.
  struct Some {
    GroupSet groups;
    RowChoice rows;
  };
  Some some(const RowChoice& chosen) const;

  void move(const Layer& layer, const Workers& workers);

  /// One pass over the rows, which is added to `work`.
  Projections project(const Frame& frame, const Workers& workers, Work& work) const;
  /// The same as move(), with the projections on the layer's frame. They are moved too: what they
  /// hold afterwards are the projections of the moved rows.
  void move_along(const SlicedLayer& layer, Projections& projections, const Workers& workers,
                  Work& work);

  /// Products are counted as those of so many rows, which several processes have together.
  void count_as(Index rows) { counted_rows_ = static_cast<double>(rows); }

  /// Sliced layers that wait together at most: a fit of one more writes no rows to its scratch.
  static constexpr Index kMostWaiting = 4;

 private:
  /// Rows of each group to write on.
  template <class Scalar>
  using Writable = std::vector<MatrixView<Scalar>>;

  template <class Scalar>
  Writable<Scalar> room_for_rows() const;
  template <class Scalar>
  void pass(const Frame* frame, const Projections::Lines<Scalar>* lines,
            const Workers& workers) const;
  void write_what_waits(const Workers& workers) const;
  template <class Scalar>
  Projections room_for_lines(Index lines) const;
  void count_product(Index directions, double touches, double seconds, Work& work) const;

  DiskScratch* scratch_;
  GroupSet given_;  // with a scratch: what its groups borrow labels and masses from
  mutable GroupSet groups_;
  bool single_;
  double counted_rows_ = 0;
  /// With a scratch: empty as long as rows are where they were given.
  mutable std::variant<Writable<double>, Writable<float>> rows_;
  mutable std::shared_ptr<void> memory_;
  mutable std::vector<std::shared_ptr<const SlicedLayer>> waiting_;
  /// Projections of one layer after the other are in the same scratch.
  mutable std::shared_ptr<void> lines_memory_;
  mutable std::size_t lines_bytes_ = 0;
};

}  // namespace conflux
