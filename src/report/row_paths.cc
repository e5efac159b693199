#include "report/row_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "metrics/thinning.h"
#include "report/facts.h"

namespace conflux {

namespace {

constexpr std::size_t kFeaturesElsewhere = 12;
constexpr std::size_t kGroupsElsewhere = 12;

std::vector<std::string> named_features(const GroupSet& groups) {
  if (!groups.feature_names().empty()) return groups.feature_names();
  std::vector<std::string> out;
  for (Index j = 0; j < groups.dim(); ++j) out.push_back(fmt::format("x{}", j));
  return out;
}

// The direction in which group means differ most, then the longest one at right angles to it.
Plane plane_of_difference(const Matrix& rows, const std::vector<Index>& group_of,
                          std::size_t groups) {
  Matrix means = Matrix::Zero(static_cast<Index>(groups), rows.cols());
  Vector counts = Vector::Zero(static_cast<Index>(groups));
  for (Index i = 0; i < rows.rows(); ++i) {
    means.row(group_of[i]) += rows.row(i);
    counts(group_of[i]) += 1;
  }
  const Eigen::RowVectorXd middle = rows.colwise().mean();
  for (Index m = 0; m < means.rows(); ++m) {
    means.row(m) = counts(m) > 0 ? (means.row(m) / counts(m) - middle).eval()
                                 : Eigen::RowVectorXd::Zero(rows.cols()).eval();
  }
  const Vector first = largest_directions(means).directions.col(0);
  Matrix rest = rows.rowwise() - middle;
  if (first.norm() < 0.5) return largest_directions(rest);
  const double all = rest.squaredNorm();
  const double along = (rest * first).squaredNorm();
  rest -= (rest * first) * first.transpose();
  Plane out = largest_directions(rest);
  const double beside = (rest * out.directions.col(0)).squaredNorm();
  out.directions.col(1) = out.directions.col(0).eval();
  out.directions.col(0) = first;
  out.share = all > 0 ? (along + beside) / all : 1;
  return out;
}

Plane plane_of_features() { return {.directions = Matrix::Identity(2, 2), .share = 1}; }

double mean_distance(const Matrix& from, const Matrix& to) {
  return from.rows() == 0 ? 0 : (to - from).rowwise().norm().mean();
}

// Positions of frames from the first to the last that are equally far apart along the way.
std::vector<std::size_t> steady_positions(const std::vector<double>& way, Index most) {
  std::vector<std::size_t> out = {0};
  for (std::size_t k = 1; k + 1 < way.size(); ++k) {
    const double step = way.back() / static_cast<double>(most - 1);
    const double next = way[out.back()] + step;
    // The nearer of two neighbors of the place where the next frame should be.
    const bool enough = way[k] >= next || (way[k + 1] > next && next - way[k] < way[k + 1] - next);
    if (enough && static_cast<Index>(out.size()) + 1 < most) out.push_back(k);
  }
  if (way.size() > 1) out.push_back(way.size() - 1);
  return out;
}

}  // namespace

RowPaths::RowPaths(const GroupSet& groups, Index most, std::uint64_t seed, int threads)
    : workers_(threads), groups_(groups.names()), features_(named_features(groups)) {
  std::vector<Index> sizes;
  for (Index m = 0; m < groups.num_groups(); ++m) sizes.push_back(groups[m].rows.rows());
  before_ = draw_rows(groups, rows_per_group(sizes, most), Purpose::kDiagnosis, seed);
  JudgedRows copy = before_;
  factors_ = standardize_within_groups(copy);
  now_ = before_.rows;
  const bool features_themselves = before_.rows.cols() == 2;
  if (features_themselves) factors_.setOnes();
  const Matrix shown = in_standard_deviations(before_.rows);
  plane_ = features_themselves ? plane_of_features()
                               : plane_of_difference(shown, before_.group_of, groups_.size());
  start_ = {.x_name = features_themselves ? features_[0]
                                          : direction_name(features_, plane_.directions.col(0)),
            .y_name = features_themselves ? features_[1]
                                          : direction_name(features_, plane_.directions.col(1)),
            .share = plane_.share,
            .share_of = features_themselves ? "all features" : "the variance",
            .layers = {0},
            .places = {shown * plane_.directions}};
}

Matrix RowPaths::in_standard_deviations(const Matrix& rows) const {
  return rows * factors_.asDiagonal();
}

void RowPaths::move(const Flow& flow, const Layer& layer, Matrix& rows) const {
  Index at = 0;
  for (std::size_t m = 0; m < groups_.size(); ++m) {
    const Index size = before_.sizes[m];
    forward_in_place(layer, flow.group_index(groups_[m]), Rows(rows).middle_rows(at, size),
                     workers_);
    at += size;
  }
}

Matrix RowPaths::follow(const Flow& flow) {
  const auto& layers = flow.moving_layers();
  const bool goes_on =
      behind_.size() <= layers.size() && std::equal(behind_.begin(), behind_.end(), layers.begin());
  if (!goes_on) {
    now_ = before_.rows;
    behind_.clear();
  }
  for (std::size_t l = behind_.size(); l < layers.size(); ++l) {
    move(flow, *layers[l], now_);
    behind_.push_back(layers[l]);
  }
  return in_standard_deviations(now_) * plane_.directions;
}

PathFrames RowPaths::key_frames(const Flow& flow, Index most) const {
  PathFrames out = start_;
  Plane plane = plane_;
  const Matrix before = in_standard_deviations(before_.rows);
  if (before_.rows.cols() != 2) {
    Matrix after = before_.rows;
    for (const auto& layer : flow.moving_layers()) move(flow, *layer, after);
    bool moved = false;
    plane = plane_of_moves(before, in_standard_deviations(after), moved);
    out.x_name = direction_name(features_, plane.directions.col(0));
    out.y_name = direction_name(features_, plane.directions.col(1));
    out.share = plane.share;
    out.share_of = moved ? "the squared moves" : "the variance";
  }
  std::vector<Matrix> all = {before * plane.directions};
  std::vector<double> way = {0};
  Matrix rows = before_.rows;
  for (const auto& layer : flow.moving_layers()) {
    move(flow, *layer, rows);
    all.push_back(in_standard_deviations(rows) * plane.directions);
    way.push_back(way.back() + mean_distance(all[all.size() - 2], all.back()));
  }
  out.layers.clear();
  out.places.clear();
  for (const std::size_t at : steady_positions(way, most)) {
    out.layers.push_back(static_cast<Index>(at));
    out.places.push_back(std::move(all[at]));
  }
  return out;
}

std::vector<Index> some_rows(const RowPaths& paths, Index most) {
  const Index all = paths.rows().rows.rows();
  const Index count = std::min(all, most);
  std::vector<Index> out;
  for (Index k = 0; k < count; ++k) out.push_back(k * all / count);
  return out;
}

namespace {

// The chosen rows as every group: places[k][m] is row chosen[k] as the m-th of `groups`. Rows of
// one group go together.
std::vector<std::vector<Eigen::RowVectorXd>> translated(const Flow& flow, const RowPaths& paths,
                                                        const std::vector<Index>& chosen,
                                                        const std::vector<Index>& groups) {
  const JudgedRows& rows = paths.rows();
  std::vector<std::vector<Eigen::RowVectorXd>> out(chosen.size(),
                                                   std::vector<Eigen::RowVectorXd>(groups.size()));
  for (Index own = 0; own < static_cast<Index>(rows.sizes.size()); ++own) {
    std::vector<std::size_t> of_group;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      if (rows.group_of[chosen[k]] == own) of_group.push_back(k);
    }
    Matrix before(static_cast<Index>(of_group.size()), rows.rows.cols());
    for (std::size_t i = 0; i < of_group.size(); ++i) {
      before.row(static_cast<Index>(i)) = rows.rows.row(chosen[of_group[i]]);
    }
    for (std::size_t m = 0; m < groups.size() && !of_group.empty(); ++m) {
      const Matrix after =
          groups[m] == own ? before
                           : flow.translate(own, groups[m], SampleRows(before), paths.workers());
      for (std::size_t i = 0; i < of_group.size(); ++i) {
        out[of_group[i]][m] = after.row(static_cast<Index>(i));
      }
    }
  }
  return out;
}

// Features in the order of how far they take rows on the way to other groups.
std::vector<Index> most_moved_features(const JudgedRows& rows, const std::vector<Index>& chosen,
                                       const std::vector<std::vector<Eigen::RowVectorXd>>& places) {
  JudgedRows copy = rows;
  const Vector factors = standardize_within_groups(copy);
  Vector moves = Vector::Zero(rows.rows.cols());
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    for (const Eigen::RowVectorXd& place : places[k]) {
      moves += (place - rows.rows.row(chosen[k])).transpose().cwiseProduct(factors).cwiseAbs();
    }
  }
  std::vector<Index> out(static_cast<std::size_t>(moves.size()));
  std::iota(out.begin(), out.end(), Index{0});
  std::stable_sort(out.begin(), out.end(), [&](Index a, Index b) { return moves(a) > moves(b); });
  return out;
}

}  // namespace

RowsElsewhere rows_elsewhere(const Model& model, const RowPaths& paths,
                             const std::vector<Index>& chosen) {
  const JudgedRows& rows = paths.rows();
  RowsElsewhere out;
  const auto groups = std::min<std::size_t>(rows.sizes.size(), kGroupsElsewhere);
  for (std::size_t m = 0; m < groups; ++m) out.groups.push_back(static_cast<Index>(m));
  const auto places = translated(model.flow, paths, chosen, out.groups);
  out.features = most_moved_features(rows, chosen, places);
  if (out.features.size() > kFeaturesElsewhere) out.features.resize(kFeaturesElsewhere);
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    auto& row = out.values.emplace_back();
    for (std::size_t m = 0; m < groups; ++m) {
      auto& as_group = row.emplace_back();
      const bool own = out.groups[m] == rows.group_of[chosen[k]];
      for (const Index j : out.features) {
        as_group.push_back(value_text(model, j, places[k][m](j), 6, own ? -1 : out.groups[m]));
      }
    }
  }
  return out;
}

}  // namespace conflux
