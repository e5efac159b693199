#include "judging/new_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace conflux {

namespace {

// More features would make records long.
constexpr Index kMostFeatures = 1'000;
constexpr double kFarRange = 0.5;
constexpr double kManyFar = 0.1;
constexpr Index kFewRows = 100;
// Features of groups that hold the same clusters keep their spread to about this factor,
// unless units differ.
constexpr double kSpreadMuch = 2;

Eigen::RowVectorXd variances(const Matrix& rows) {
  const Eigen::RowVectorXd mean = rows.colwise().mean();
  return (rows.rowwise() - mean).colwise().squaredNorm();
}

}  // namespace

void note_reach(FitSummary& summary, const Matrix& fitted) {
  summary.reach_low.clear();
  summary.reach_high.clear();
  if (fitted.rows() == 0 || fitted.cols() > kMostFeatures) return;
  for (Index j = 0; j < fitted.cols(); ++j) {
    summary.reach_low.push_back(fitted.col(j).minCoeff());
    summary.reach_high.push_back(fitted.col(j).maxCoeff());
  }
}

void FarRows::add(const FitSummary& summary, const Matrix& coordinates) {
  const Index dim = coordinates.cols();
  if (std::ssize(summary.reach_low) != dim || std::ssize(summary.reach_high) != dim) return;
  far_in_.resize(static_cast<std::size_t>(dim), 0);
  rows_ += coordinates.rows();
  for (Index i = 0; i < coordinates.rows(); ++i) {
    bool far = false;
    for (Index j = 0; j < dim; ++j) {
      const double low = summary.reach_low[j], high = summary.reach_high[j];
      const double beyond = kFarRange * (high - low);
      // A missing cell is nowhere.
      if (!(coordinates(i, j) < low - beyond || coordinates(i, j) > high + beyond)) continue;
      ++far_in_[j];
      far = true;
    }
    far_ += far ? 1 : 0;
  }
}

std::string FarRows::warning(const std::vector<std::string>& features) const {
  if (rows_ == 0 || static_cast<double>(far_) <= kManyFar * static_cast<double>(rows_)) return "";
  const Index worst = std::max_element(far_in_.begin(), far_in_.end()) - far_in_.begin();
  const std::string name =
      worst < std::ssize(features) ? features[worst] : std::to_string(worst + 1);
  return fmt::format(
      "{} of {} rows lie far beyond the rows of the fit ({} of them in \"{}\"), where maps are "
      "extrapolated linearly: check their units and groups, or fit again with rows like these",
      far_, rows_, far_in_[worst], name);
}

std::vector<std::string> doubts_about_new_group(const std::string& name, const Matrix& rows,
                                                const Matrix& moved,
                                                const std::vector<std::string>& features,
                                                bool gated) {
  std::vector<std::string> out;
  if (rows.rows() < kFewRows) {
    out.push_back(fmt::format(
        "group \"{}\" has {} rows: its maps follow single rows; add it with at least {}, or move "
        "its rows as those of a group like it",
        name, rows.rows(), kFewRows));
  }
  const Eigen::RowVectorXd before = variances(rows), after = variances(moved);
  Index feature = 0;
  double ratio = 1;
  for (Index j = 0; j < rows.cols(); ++j) {
    if (!(before(j) > 0) || std::sqrt(after(j) / before(j)) <= ratio) continue;
    ratio = std::sqrt(after(j) / before(j));
    feature = j;
  }
  if (ratio > kSpreadMuch) {
    out.push_back(fmt::format(
        "rows of group \"{}\" have {:.1f} times the standard deviation after the map in \"{}\": "
        "unless its unit differs, the group does not hold the same clusters as the groups of the "
        "fit, and rows of one cluster are moved onto another; {}",
        name, ratio,
        feature < std::ssize(features) ? features[feature] : std::to_string(feature + 1),
        gated ? "fit again with its rows among the others"
              : "fit again with its rows among the others, and --gate clusters or labels"));
  }
  return out;
}

}  // namespace conflux
