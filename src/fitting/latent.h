// The groups on their way to the shared space: rows that layers move, in the precision of the data.
//
// A sliced layer needs the projections of all rows twice, to fit its maps and to move the rows;
// they are made once. Moving doubles has the bits of Layer::forward().

#pragma once

#include <span>
#include <variant>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "flow/sliced_layer.h"
#include "slicing/work.h"

namespace conflux {

/// Values of all rows of each group on lines, in the precision of the rows.
class Projections {
 public:
  /// One matrix per group; its row k holds the values on line k.
  template <class Scalar>
  using Lines = std::vector<MatrixOf<Scalar>>;

  template <class Scalar>
  explicit Projections(Lines<Scalar> lines) : lines_(std::move(lines)) {}

  Index num_lines() const;
  /// The values of some rows, in double precision.
  void copy(Index group, Index line, std::span<const Index> chosen, std::span<double> out) const;

 private:
  friend class Latent;
  std::variant<Lines<double>, Lines<float>> lines_;
};

class Latent {
 public:
  /// Moves rows that `groups` alone owns, and copies of others.
  explicit Latent(GroupSet groups);

  const GroupSet& groups() const { return groups_; }

  void move(const Layer& layer, const Workers& workers);

  /// One pass over the rows, which is added to `work`.
  Projections project(const Frame& frame, const Workers& workers, Work& work) const;
  /// The same as move(), with the projections on the layer's frame. They are moved too: what they
  /// hold afterwards are the projections of the moved rows.
  void move_along(const SlicedLayer& layer, Projections& projections, const Workers& workers,
                  Work& work);

 private:
  void count_product(Index directions, double touches, double seconds, Work& work) const;

  GroupSet groups_;
  bool single_;
};

}  // namespace conflux
