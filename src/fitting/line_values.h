// Values of chosen rows along lines: what maps of the line are fitted on.

#pragma once

#include <span>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "fitting/line_maps.h"
#include "stiefel/frame.h"

namespace conflux {

/// Values of the chosen rows of some groups along some lines, line by line, with the rows' masses.
template <class Scalar>
struct LineValuesOf {
  std::vector<MatrixOf<Scalar>> values;
  std::vector<std::vector<double>> masses;

  Index num_groups() const { return static_cast<Index>(values.size()); }
  Index num_lines() const { return values.front().rows(); }
  std::span<Scalar> line(Index group, Index k) {
    const auto count = static_cast<std::size_t>(values[group].cols());
    return {values[group].data() + k * values[group].cols(), count};
  }
};
using LineValues = LineValuesOf<double>;

/// Values of the lines `first` to `first + count`: coordinates along the frame, or features if
/// there is none.
LineValues read_lines(const GroupSet& groups, const RowChoice& chosen, const Frame* frame,
                      Index first, Index count, const Workers& workers);

/// Features `first` to `first + count` of one group, in a precision that holds them.
template <class Scalar>
MatrixOf<Scalar> read_features(const Group& group, const RowList& chosen, Index first, Index count,
                               const Workers& workers);

/// Lines that are read at once at most.
inline constexpr Index kMostLinesAtATime = 32;

/// How many lines to send to other processes at a time, if no process has more rows in all.
Index lines_to_exchange(Index most_rows);

/// How many lines of one group, with so many rows, to read at a time.
Index lines_of_group(Index rows, const Workers& workers);
/// How many lines to read at a time: few enough for memory, and enough to keep all threads busy.
/// What is fitted does not depend on it.
Index lines_at_a_time(const RowChoice& chosen, const Workers& workers);

}  // namespace conflux
