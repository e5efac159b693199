// The paths of some rows through the layers of a flow, for pictures.
//
// While a fit runs, follow() is called with the flow so far: layers that are new since the last
// call are applied to the rows, all of them if the flow began anew. At the end, key_frames() shows
// the paths on the plane along which rows moved most: frames after layers between which rows moved
// equally far, so that stepping through them shows a steady motion.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/model/model.h"
#include "metrics/judged_rows.h"
#include "report/plane.h"

namespace conflux {

/// Frames of a plane: positions of rows, one line per row.
struct PathFrames {
  std::string x_name = {};
  std::string y_name = {};
  /// Share of the squared moves, or of the variance, that the plane shows.
  double share = 1;
  std::string share_of = {};
  /// Layers that each frame has behind it, from 0 on.
  std::vector<Index> layers = {};
  std::vector<Matrix> places = {};
};

class RowPaths {
 public:
  /// Draws at most `most` rows, of the largest groups fewer.
  RowPaths(const GroupSet& groups, Index most, std::uint64_t seed, int threads);

  const JudgedRows& rows() const { return before_; }
  const Workers& workers() const { return workers_; }
  const std::vector<std::string>& feature_names() const { return features_; }

  /// Where the rows are before any layer: along the difference of the group means and the longest
  /// direction beside it, or on the features themselves if there are two.
  const PathFrames& start() const { return start_; }
  /// Places on that plane after all layers of a flow.
  Matrix follow(const Flow& flow);

  /// At most `most` frames of the whole way.
  PathFrames key_frames(const Flow& flow, Index most) const;

 private:
  /// Applies one layer to rows of all groups, which are known by their names.
  void move(const Flow& flow, const Layer& layer, Matrix& rows) const;
  Matrix in_standard_deviations(const Matrix& rows) const;

  Workers workers_;
  std::vector<std::string> groups_;
  std::vector<std::string> features_;
  JudgedRows before_;
  Vector factors_;
  Plane plane_;
  PathFrames start_;
  Matrix now_;
  std::vector<std::shared_ptr<const Layer>> behind_;
};

/// Rows as every group, in the units of the data: row i, group m, feature j is at values[i][m][j].
struct RowsElsewhere {
  std::vector<Index> features = {};
  std::vector<Index> groups = {};
  std::vector<std::vector<std::vector<std::string>>> values = {};
};

/// Some rows of a paths, by their positions there, through a model of its groups in their order;
/// features that change most, and the first groups.
RowsElsewhere rows_elsewhere(const Model& model, const RowPaths& paths,
                             const std::vector<Index>& chosen);

/// Positions of at most `most` rows of a paths, evenly.
std::vector<Index> some_rows(const RowPaths& paths, Index most);

}  // namespace conflux
