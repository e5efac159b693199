// A pool (conflux/training/fit.h) drawn in one pass over rows that need not fit into memory.
//
// The draw needs neither sizes nor labels in advance, and is the same for any size of blocks.
// Callers keep the rows: the draw returns which of the offered rows, and later which of the kept
// ones, are still in the sample. Memory holds at most about 1.5 times the final sample.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conflux/comm/communicator.h"
#include "conflux/options/options.h"
#include "conflux/training/fit.h"
#include "conflux/training/fit_record.h"

namespace conflux {

class PoolDraw {
 public:
  PoolDraw(RowLimit rows_per_group, std::uint64_t seed) : limit_(rows_per_group), seed_(seed) {}

  /// Which of some more rows to keep: row i is of group groups[i], counted from 0, and shows
  /// labels[i], counted from -1; without labels, all show the same.
  std::vector<Index> offer(std::span<const Index> groups, std::span<const Index> labels);

  /// Whether many kept rows have left the sample: calling thin() then saves memory.
  bool should_thin() const;
  /// Which of the kept rows stay.
  std::vector<Index> thin();

  /// After a last thin(): positions among the kept rows.
  Pool finish() const;

  /// Before the first offer: so many rows of each group come before those that are offered here.
  void begin_at(const std::vector<Index>& positions);
  /// Makes this the draw of the rows that were kept on all processes, one after the other, and
  /// thins it. Returns which of the rows that were kept here stay. All processes have begun with
  /// the same groups and have labels below `num_labels`.
  std::vector<Index> merge(Index num_labels, Communicator& comm);

 private:
  struct Drawn {
    /// Position of the next row, and rows that were offered.
    Index next = 0;
    Index seen = 0;
    /// Rows with larger numbers are not wanted for the sake of the group, or of a label in it.
    double limit = 1;
    std::vector<double> label_limits = {};
    /// How many labels rows have shown.
    Index labels = 0;
  };
  struct Kept {
    double number;
    std::size_t group;
    std::size_t label;
  };

  Drawn& drawn_of(std::size_t group, std::size_t label);
  bool is_wanted(const Kept& row) const;
  void set_limits();
  std::vector<std::vector<double>> numbers_of_groups() const;

  RowLimit limit_;
  std::uint64_t seed_;
  std::vector<Drawn> groups_ = {};
  std::vector<Kept> kept_ = {};
  std::size_t kept_after_thinning_ = 0;
};

/// Offers the rows of one group that lie in memory; returns those that stay.
std::vector<Index> offer_all(PoolDraw& draw, Index rows, std::span<const Index> labels);

/// The rows of one group that are fitted, in order, by its size and its labels alone (of which
/// there may be none): all if they are not more than the limit.
std::vector<Index> draw_rows_of_group(RowLimit limit, std::uint64_t seed, Index rows,
                                      std::span<const Index> labels);

/// The pool size, as given or chosen automatically.
RowLimit rows_to_fit(const FitOptions& options);

/// Groups that count by their sizes do so by all of their rows, not by those of the pool.
void fix_size_weights(FitOptions& options, const std::vector<Index>& sizes);

/// "Fitted on 50000 of 1000000 rows ..."; empty when all rows were fitted.
std::string pool_sentence(const FitRecord& record);

}  // namespace conflux
