// Layers one after the other: the fitted maps of all groups into the shared space.
//
// Applying a flow needs neither the data it was fitted on nor any fitting code. Rows pass through
// all layers in blocks that fit into the cache: memory beside the rows is bounded, and a row's
// image has the same bits in any block and on any number of threads.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conflux/core/parallel.h"
#include "conflux/core/sample_rows.h"
#include "conflux/flow/layer.h"
#include "conflux/flow/route.h"

namespace conflux {

class Flow {
 public:
  Flow() = default;
  Flow(std::vector<std::string> group_names, Index dim);

  /// Throws InvalidData when the layer has another number of columns or of groups.
  void append(std::shared_ptr<const Layer> layer);

  Index dim() const { return dim_; }
  Index num_groups() const { return static_cast<Index>(group_names_.size()); }
  Index num_layers() const { return static_cast<Index>(layers_.size()); }
  const std::vector<std::string>& group_names() const { return group_names_; }
  const Layer& layer(Index l) const { return *layers_[static_cast<std::size_t>(l)]; }
  const std::vector<std::shared_ptr<const Layer>>& layers() const { return layers_; }
  /// Whether all layers take rows with missing coordinates, which are NaN.
  bool takes_gaps() const;
  /// Throws InvalidOption that lists the groups when there is none of this name.
  Index group_index(const std::string& name) const;

  /// Moves rows of a group into the shared space, in place. `log_det` is null or holds one number
  /// per row, which is set to log |det J|.
  void forward_in_place(Index group, Rows rows, double* log_det, const Workers& workers) const;
  /// From the shared space into a group.
  void inverse_in_place(Index group, Rows rows, double* log_det, const Workers& workers) const;
  /// Rows of group `from` as if they were of group `to`.
  void translate_in_place(Index from, Index to, Rows rows, double* log_det,
                          const Workers& workers) const;

  /// Moves rows of mixed groups along a route into `out`, which may be the rows themselves.
  /// `log_det` as above. Beside input and output, memory holds one block of rows per thread. Throws
  /// NotFinite for the first row with a value that is NaN or infinite; other rows have been moved
  /// then.
  void move(const SampleRows& rows, const Route& route, Rows out, double* log_det,
            const Workers& workers) const;
  /// The same for rows that are no matrix.
  void move(const RowStore& rows, const Route& route, double* log_det,
            const Workers& workers) const;

  /// Rows of one group, moved into a new matrix.
  Matrix forward(Index group, SampleRows rows, const Workers& workers) const;
  Matrix inverse(Index group, SampleRows rows, const Workers& workers) const;
  Matrix translate(Index from, Index to, SampleRows rows, const Workers& workers) const;

 private:
  void check(Index group, Index cols) const;
  void move_forward(Index group, Rows block, double* log_det) const;
  void move_back(Index group, Rows block, double* log_det) const;
  void check_groups(std::span<const Index> groups, Index rows, Index cols) const;
  void move_block(Index from, Index to, Rows block, double* log_det) const;
  Matrix moved(const SampleRows& rows, const Route& route, const Workers& workers) const;
  void move_across(Index from, Index to, Rows block, double* log_det) const;

  std::vector<std::string> group_names_;
  Index dim_ = 0;
  std::vector<std::shared_ptr<const Layer>> layers_;
};

/// Moves rows through one layer, in blocks and on all workers.
void forward_in_place(const Layer& layer, Index group, Rows rows, const Workers& workers);

}  // namespace conflux
