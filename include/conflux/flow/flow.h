// Layers one after the other: the fitted maps of all groups into the shared space.
//
// Applying a flow needs neither the data it was fitted on nor any fitting code. Rows pass through
// all layers in blocks that fit into the cache: memory beside the rows is bounded, and a row's
// image has the same bits in any block and on any number of threads.

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conflux/core/error.h"
#include "conflux/core/group_set.h"
#include "conflux/core/index.h"
#include "conflux/core/parallel.h"
#include "conflux/flow/layer.h"

namespace conflux {

// Where rows of mixed groups come from, where they go, and where a caller keeps them.

/// The groups that rows leave and enter. Each list has one group per row, a single one for all
/// rows, or none: rows without a group to leave are in the shared space, rows without a group to
/// enter stay there. The lists are borrowed.
struct Route {
  std::span<const Index> from = {};
  std::span<const Index> to = {};
  /// For each row, the position of its label among Flow::within(), or -1; a single one for all
  /// rows; empty: no label is known.
  std::span<const Index> labels = {};

  static Route to_shared(std::span<const Index> from) { return {.from = from}; }
  static Route from_shared(std::span<const Index> to) { return {.to = to}; }
  static Route between(std::span<const Index> from, std::span<const Index> to) {
    return {.from = from, .to = to};
  }
  Route of_labels(std::span<const Index> of_rows) const { return {from, to, of_rows}; }
};

/// Rows wherever a caller keeps them: in an array with gaps, or in the columns of a table. Both
/// functions are called from several threads, each time for another row.
struct RowStore {
  Index rows = 0;
  Index cols = 0;
  /// Copies a row into `out`.
  std::function<void(Index row, double* out)> read;
  /// Takes the moved row; may overwrite the row that was read. Unset: moved rows are not wanted.
  std::function<void(Index row, const double* moved)> write = {};
};

/// A value that no map can move, NaN or an infinity, and its place, so that a caller can name the
/// file and the column.
class NotFinite : public InvalidData {
 public:
  NotFinite(Index row, Index col, double value);

  Index row() const { return row_; }
  Index col() const { return col_; }
  double value() const { return value_; }

 private:
  Index row_;
  Index col_;
  double value_;
};

struct LabelFlow;

// A flow may have further flows for the rows of one label each, which were fitted within that
// label. Rows whose label is known take these; all others, and rows of groups that such a flow
// lacks, take the layers.
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
  /// Adds the flow of the rows of a label. Its groups are some of the groups of this flow, by name.
  void add_within(std::string label, Flow flow);
  const std::vector<std::shared_ptr<const LabelFlow>>& within() const { return within_; }
  /// Position of a label in within(); -1 if no flow is of this label.
  Index label_index(const std::string& label) const;
  /// For labels that are positions in `names`, the positions in within(). Empty if there is no flow
  /// of a label.
  std::vector<Index> label_codes(const std::vector<std::string>& names,
                                 std::span<const Index> labels) const;

  /// The flow that rows of a group and a label (a position in within(), or -1) take, and the place
  /// of the group in it.
  std::pair<const Flow*, Index> flow_of(Index group, Index label) const;

  /// Whether rows may move.
  bool moves() const { return !layers_.empty() || !within_.empty(); }
  /// Whether all layers take rows with missing coordinates, which are NaN.
  bool takes_gaps() const;

  /// How far rows are moved. 1: all the way. 0: no row is moved, to the bit. Between them, each
  /// layer that differs between groups moves rows by this fraction of its own way (Layer::part), so
  /// that the flow is inverted as exactly as ever; layers that all groups share stay what they are.
  double amount() const { return amount_; }
  /// Throws InvalidOption for an amount outside [0, 1], and if a layer has no part.
  void set_amount(double amount);
  /// The layers that rows pass: layers() if the amount is 1.
  const std::vector<std::shared_ptr<const Layer>>& moving_layers() const { return moving_; }
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
  /// Rows of one group along a route, moved into a new matrix.
  Matrix moved(const SampleRows& rows, const Route& route, const Workers& workers) const;

 private:
  void check(Index group, Index cols) const;
  void move_forward(Index group, Rows block, double* log_det) const;
  void move_back(Index group, Rows block, double* log_det) const;
  void check_groups(std::span<const Index> groups, Index rows, Index cols) const;
  void move_labeled(Index label, Index from, Index to, Rows block, double* log_det) const;
  void move_block(Index from, Index to, Rows block, double* log_det) const;
  void check_labels(std::span<const Index> labels, Index rows) const;
  void move_across(Index from, Index to, Rows block, double* log_det) const;

  std::vector<std::string> group_names_;
  Index dim_ = 0;
  std::vector<std::shared_ptr<const Layer>> layers_;
  std::vector<std::shared_ptr<const Layer>> moving_;
  double amount_ = 1;
  std::vector<std::shared_ptr<const LabelFlow>> within_;
};

/// The flow of the rows of one label.
struct LabelFlow {
  std::string label = {};
  Flow flow = {};
  /// For each group of the enclosing flow, its position among the groups of this one, or -1.
  std::vector<Index> group_in_flow = {};
};

/// Moves rows through one layer, in blocks and on all workers.
void forward_in_place(const Layer& layer, Index group, Rows rows, const Workers& workers);

}  // namespace conflux
