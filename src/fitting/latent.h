// The groups on their way to the shared space: rows that layers move, in the precision of the data.
//
// A sliced layer needs the projections of all rows twice, to fit its maps and to move the rows;
// they are made once. Moving doubles has the bits of Layer::forward().

#pragma once

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "core/disk_scratch.h"
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
  /// The values of some rows, in double precision.
  void copy(Index group, Index line, std::span<const Index> chosen, std::span<double> out) const;

 private:
  friend class Latent;
  std::variant<Lines<double>, Lines<float>> lines_;
  std::shared_ptr<const void> memory_;
};

class Latent {
 public:
  /// Moves rows that `groups` alone owns, and copies of others. With a scratch, which must outlive
  /// this, it moves copies that are there, and projections are there too.
  explicit Latent(GroupSet groups, DiskScratch* scratch = nullptr);

  const GroupSet& groups() const { return groups_; }

  void move(const Layer& layer, const Workers& workers);

  /// One pass over the rows, which is added to `work`.
  Projections project(const Frame& frame, const Workers& workers, Work& work) const;
  /// The same as move(), with the projections on the layer's frame. They are moved too: what they
  /// hold afterwards are the projections of the moved rows.
  void move_along(const SlicedLayer& layer, Projections& projections, const Workers& workers,
                  Work& work);

 private:
  /// Rows of each group to write on.
  template <class Scalar>
  using Writable = std::vector<MatrixView<Scalar>>;

  template <class Scalar>
  Writable<Scalar> copy_to_scratch();
  template <class Scalar>
  Projections room_for_lines(Index lines) const;
  void count_product(Index directions, double touches, double seconds, Work& work) const;

  DiskScratch* scratch_;
  GroupSet given_;  // with a scratch: what its groups borrow labels and masses from
  GroupSet groups_;
  bool single_;
  std::variant<Writable<double>, Writable<float>> rows_;
  std::shared_ptr<void> memory_;
  /// Projections of one layer after the other are in the same scratch.
  mutable std::shared_ptr<void> lines_memory_;
  mutable std::size_t lines_bytes_ = 0;
};

}  // namespace conflux
