#include "comparing/repeated_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "metrics/nearest_neighbors.h"

namespace conflux {

namespace {

constexpr Index kNeighbors = 20;
// Nearer neighbors may be twins, and say nothing of the space around.
constexpr Index kMostTwins = 5;
// A twin is nearer than chance would bring a given neighbor in this share of all cases.
constexpr double kRare = 1e-3;
// The same where a table is known to repeat rows: to lose some rows does little harm.
constexpr double kRareAmongTwins = 3e-2;
// Chance gives a twin to some percent of the rows.
constexpr double kManyHaveTwins = 0.2;
// Rows with a twin elsewhere for each with a twin at home, at most.
constexpr double kFewElsewhere = 0.2;
// Rows of each group that look for twins elsewhere.
constexpr Index kRowsThatLook = 300;
// Sets of twins are small; larger ones are chains.
constexpr Index kLargestSet = 20;
constexpr double kLargestShare = 0.02;
struct RowsOfGroup {
  Matrix rows;
  std::vector<Index> positions;
};

std::vector<RowsOfGroup> groups_of(const JudgedRows& judged) {
  std::vector<RowsOfGroup> out;
  auto position = judged.position_of.begin();
  Index begin = 0;
  for (const Index size : judged.sizes) {
    out.push_back({judged.rows.middleRows(begin, size), {position, position + size}});
    begin += size;
    position += size;
  }
  return out;
}

// Space around a row.
struct Around {
  double far = 0;
  double dimension = 0;

  /// Within which distance a neighbor is so rare.
  double reach(double rare) const {
    return dimension > 0 ? far * std::pow(rare, 1 / dimension) : 0;
  }
};

// The log of how much further the last neighbor is than the k-th is a sum of exponential variables
// with means 1 / (i D), i = k .. last - 1 (Renyi). No dimension where values are so few that
// distances say nothing.
Around look_around(const Eigen::Ref<const Eigen::RowVectorXd>& distances) {
  const double far = distances(kNeighbors - 1);
  if (!(distances(kMostTwins) > 0)) return {};
  double sum = 0, expected = 0, of_place = 0;
  for (Index k = kNeighbors - 1; k > kMostTwins; --k) {
    of_place += 1 / static_cast<double>(k);
    expected += of_place;
    sum += std::log(far / distances(k - 1));
  }
  return {.far = far, .dimension = sum > 0 ? expected / sum : 0};
}

class Twins {
 public:
  Twins(const RowsOfGroup& group, const Workers& workers)
      : group_(group), leader_(static_cast<std::size_t>(group.rows.rows())) {
    std::iota(leader_.begin(), leader_.end(), Index{0});
    const Neighbors near = nearest_neighbors(ConstRows(group.rows), kNeighbors, workers);
    for (Index i = 0; i < group.rows.rows(); ++i) {
      const Around around = look_around(near.distances.row(i));
      reach_.push_back(around.reach(kRare));
      if (near.distances(i, 0) < reach_.back()) ++with_twin_;
      const double joined = around.reach(kRareAmongTwins);
      for (Index k = 0; k < kNeighbors && near.distances(i, k) < joined; ++k) {
        join(i, near.rows(i, k));
      }
    }
  }

  Index with_twin() const { return with_twin_; }

  /// Number of these rows that have a near copy among those of another group.
  Index with_twin_in(const RowsOfGroup& other) const {
    Index out = 0;
    const Index looking = rows_that_look();
    for (Index k = 0; k < looking; ++k) {
      const Index i = k * group_.rows.rows() / looking;
      const double nearest =
          (other.rows.rowwise() - group_.rows.row(i)).rowwise().squaredNorm().minCoeff();
      if (std::sqrt(nearest) < reach_[static_cast<std::size_t>(i)]) ++out;
    }
    return out;
  }
  Index rows_that_look() const { return std::min(kRowsThatLook, group_.rows.rows()); }

  /// The first row of each set; empty if a set is too large to be one subject.
  std::vector<Index> once() {
    std::vector<Index> out, sizes(leader_.size(), 0);
    for (std::size_t i = 0; i < leader_.size(); ++i) {
      const Index first = find(static_cast<Index>(i));
      if (first == static_cast<Index>(i)) out.push_back(group_.positions[i]);
      ++sizes[static_cast<std::size_t>(first)];
    }
    const auto most = std::max(
        kLargestSet, static_cast<Index>(kLargestShare * static_cast<double>(sizes.size())));
    return *std::max_element(sizes.begin(), sizes.end()) <= most ? out : std::vector<Index>();
  }

 private:
  Index find(Index i) {
    while (leader_[static_cast<std::size_t>(i)] != i) i = leader_[static_cast<std::size_t>(i)];
    return i;
  }

  void join(Index a, Index b) {
    const Index first = std::min(find(a), find(b)), second = std::max(find(a), find(b));
    leader_[static_cast<std::size_t>(second)] = first;
  }

  const RowsOfGroup& group_;
  std::vector<Index> leader_;  // of each row: an earlier one of its set, or itself
  std::vector<double> reach_;
  Index with_twin_ = 0;
};

// Share of rows with a twin in another group.
double share_elsewhere(const std::vector<RowsOfGroup>& groups, const std::vector<Twins>& twins) {
  Index with = 0, looked = 0;
  for (std::size_t m = 0; m < groups.size(); ++m) {
    // The largest other group has most chances.
    const RowsOfGroup* other = nullptr;
    for (const RowsOfGroup& each : groups) {
      if (&each == &groups[m]) continue;
      if (other == nullptr || each.rows.rows() > other->rows.rows()) other = &each;
    }
    with += twins[m].with_twin_in(*other);
    looked += twins[m].rows_that_look();
  }
  return static_cast<double>(with) / static_cast<double>(looked);
}

}  // namespace

Index rows_to_compare(Index features, Index groups) {
  constexpr double kMostProducts = 1e9;
  return static_cast<Index>(std::sqrt(kMostProducts / static_cast<double>(features * groups)));
}

std::optional<RepeatedRows> find_repeated_rows(const JudgedRows& judged, const Workers& workers) {
  const Index smallest = *std::min_element(judged.sizes.begin(), judged.sizes.end());
  if (judged.sizes.size() < 2 || smallest <= 2 * kNeighbors) return std::nullopt;
  JudgedRows scaled = judged;
  standardize_within_groups(scaled);
  const std::vector<RowsOfGroup> groups = groups_of(scaled);
  RepeatedRows out;
  std::vector<Twins> twins;
  Index with_twin = 0;
  for (const RowsOfGroup& group : groups) {
    const Twins& added = twins.emplace_back(group, workers);
    with_twin += added.with_twin();
    out.rows += group.rows.rows();
  }
  out.share = static_cast<double>(with_twin) / static_cast<double>(out.rows);
  if (out.share < kManyHaveTwins) return std::nullopt;
  out.share_elsewhere = share_elsewhere(groups, twins);
  if (out.share_elsewhere > kFewElsewhere * out.share) return std::nullopt;
  for (Twins& each : twins) {
    out.once.push_back(each.once());
    if (out.once.back().empty()) return std::nullopt;
  }
  return out;
}

}  // namespace conflux
