#include "model/incomplete_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/rng.h"
#include "kernels/dense.h"
#include "options/methods.h"

namespace conflux {

namespace {

// Rows that are sought together: enough to keep the workers busy.
constexpr Index kRowsPerBatch = 512;
constexpr int kRounds = 60;
// Places are sought from so many starts before a row is given up.
constexpr int kAttempts = 12;
// A coordinate is found when it is this near, in deviations; what is promised of numbers is 1e-9.
constexpr double kNear = 1e-11;
// A value that repeats is found when all points within this distance belong to its cell.
constexpr double kWithinCell = 1e-8;
// Secants of this length, in deviations, see a slope that is not one of a single knot.
constexpr double kSecant = 0.05;
// Slopes whose reciprocal condition is below this are taken for singular: no digit of their inverse
// would be right.
constexpr double kLeastCondition = 1e-14;
// Second part of the name of a stream: apart from those of features and draws.
constexpr std::uint64_t kAgain = std::uint64_t{1} << 33;

double deviation_of(const ExpectedRow& expected, Index j) {
  if (expected.covariance.size() == 0) return 1;
  const double variance = expected.covariance(j, j);
  return variance > 0 ? std::sqrt(variance) : 1;
}

}  // namespace

ExpectedRow expected_in_shared(const Model& model) {
  const FitOptions& options = model.record.options;
  if (method_info(options.method).to_uniform) {
    return {Vector::Constant(model.flow.dim(), 0.5), Matrix()};
  }
  if (!options.target.empty()) {
    return model.columns.expected[static_cast<std::size_t>(model.flow.group_index(options.target))];
  }
  return model.columns.shared;
}

struct IncompleteRows::Search {
  Index row = 0;
  std::uint64_t name = 0;
  const Regression* regression = nullptr;
  Vector deviations;  // of what is there
  Vector wanted;      // what is known of the row
  Vector place;       // in the shared space, as near as was found
  Vector left;        // from where the place leads to what is wanted
  Matrix inverse_slopes;
  double step = 1;
  bool found = false;

  double distance(const Vector& missed) const { return missed.cwiseQuotient(deviations).norm(); }
};

Matrix IncompleteRows::rows_at(const Maps& maps, const std::vector<const Search*>& searches,
                               std::span<const Vector> places) const {
  Matrix rows(static_cast<Index>(searches.size()), model_.flow.dim());
  for (std::size_t k = 0; k < searches.size(); ++k) {
    const Regression& regression = *searches[k]->regression;
    auto row = rows.row(static_cast<Index>(k));
    row(regression.pattern.there) = places[k].transpose();
    row(regression.pattern.missing) = expected_missing(shared_, regression, row.data()).transpose();
  }
  maps.flow.inverse_in_place(maps.place, Rows(rows), nullptr, workers_);
  return rows;
}

bool IncompleteRows::settled(const Search& search, const Vector& there) const {
  const std::vector<Index>& features = search.regression->pattern.there;
  for (Index k = 0; k < there.size(); ++k) {
    const Feature& feature = model_.columns.features[static_cast<std::size_t>(features[k])];
    const double unit = search.deviations[k], wanted = search.wanted[k], at = there[k];
    if (std::abs(at - wanted) <= kNear * unit) continue;
    const double value = feature.gathered(feature.point(wanted));
    if (!feature.has_cell(value)) return false;
    for (const double margin : {-kWithinCell * unit, kWithinCell * unit}) {
      if (feature.gathered(feature.point(at + margin)) != value) return false;
    }
  }
  return true;
}

// Starts where the row would go if what is missing had its expected value in the group, or later a
// value drawn around it: a flow that jumps hides some places from others.
void IncompleteRows::begin(const Maps& maps, std::vector<Search>& searches, int attempt) const {
  const ExpectedRow& expected = model_.columns.expected[static_cast<std::size_t>(maps.group)];
  Matrix rows = Matrix::Constant(static_cast<Index>(searches.size()), model_.flow.dim(),
                                 std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < searches.size(); ++k) {
    Search& search = searches[k];
    const std::vector<Index>& there = search.regression->pattern.there;
    Stream noise(model_.columns.seed, Purpose::kJitter, search.name,
                 kAgain + static_cast<std::uint64_t>(attempt));
    for (Index j = 0; attempt > 0 && j < search.wanted.size(); ++j) {
      const Feature& feature = model_.columns.features[static_cast<std::size_t>(there[j])];
      const double value = feature.gathered(feature.point(search.wanted[j]));
      const double place = noise.uniform();
      if (feature.has_cell(value)) {
        search.wanted[j] = feature.coordinate(feature.spread(value, place));
      }
    }
    rows.row(static_cast<Index>(k))(there) = search.wanted.transpose();
  }
  if (attempt == 0) {
    fill_expected(expected, Rows(rows));
  } else {
    std::vector<std::uint64_t> names;
    names.reserve(searches.size());
    for (const Search& search : searches) names.push_back(search.name);
    draw_expected(expected, Rows(rows), names,
                  model_.columns.seed + static_cast<std::uint64_t>(attempt));
  }
  maps.flow.forward_in_place(maps.place, Rows(rows), nullptr, workers_);
  std::vector<const Search*> all;
  std::vector<Vector> places;
  for (std::size_t k = 0; k < searches.size(); ++k) {
    const std::vector<Index>& there = searches[k].regression->pattern.there;
    all.push_back(&searches[k]);
    places.emplace_back(rows.row(static_cast<Index>(k))(there).transpose());
  }
  const Matrix back = rows_at(maps, all, places);
  for (std::size_t k = 0; k < searches.size(); ++k) {
    Search& search = searches[k];
    const std::vector<Index>& there = search.regression->pattern.there;
    const Vector at = back.row(static_cast<Index>(k))(there).transpose();
    search.place = places[k];
    search.left = search.wanted - at;
    search.step = 1;
    search.found = settled(search, at);
    const auto known = static_cast<Index>(there.size());
    search.inverse_slopes = Matrix::Identity(known, known);
  }
}

// Slopes from one secant per coordinate, for rows that slopes of 1 have not led to their goal.
void IncompleteRows::add_jacobians(const Maps& maps, std::vector<Search>& searches) const {
  for (Search& search : searches) {
    const auto known = search.place.size();
    const std::vector<const Search*> same(static_cast<std::size_t>(known), &search);
    std::vector<Vector> places;
    for (Index j = 0; j < known; ++j) {
      places.push_back(search.place);
      places.back()[j] += kSecant * search.deviations[j];
    }
    const Matrix rows = rows_at(maps, same, places);
    Matrix slopes(known, known);
    for (Index j = 0; j < known; ++j) {
      const Vector at = rows.row(j)(search.regression->pattern.there).transpose();
      slopes.col(j) = (at - (search.wanted - search.left)) / (kSecant * search.deviations[j]);
    }
    std::optional<Matrix> inverse = kernels::inverse(std::move(slopes), kLeastCondition);
    if (inverse) search.inverse_slopes = std::move(*inverse);
  }
}

void IncompleteRows::advance(const Maps& maps, std::vector<Search>& searches) const {
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Search*> open;
    std::vector<const Search*> seen;
    std::vector<Vector> places;
    for (Search& search : searches) {
      if (search.found) continue;
      open.push_back(&search);
      seen.push_back(&search);
      places.emplace_back(search.place + search.step * (search.inverse_slopes * search.left));
    }
    if (open.empty()) return;
    const Matrix rows = rows_at(maps, seen, places);
    for (std::size_t k = 0; k < open.size(); ++k) {
      Search& search = *open[k];
      const Vector at =
          rows.row(static_cast<Index>(k))(search.regression->pattern.there).transpose();
      const Vector left = search.wanted - at;
      const Vector moved = places[k] - search.place;
      const Vector gained = search.left - left;
      const Vector told = search.inverse_slopes * gained;
      const double along = moved.dot(told);
      if (std::abs(along) > 1e-12 * moved.norm() * told.norm()) {
        search.inverse_slopes +=
            (moved - told) * (moved.transpose() * search.inverse_slopes) / along;
      }
      search.found = settled(search, at);
      const bool nearer = search.distance(left) < search.distance(search.left);
      search.step = nearer ? std::min(1.0, 2 * search.step) : std::max(0.5 * search.step, 1e-4);
      if (!nearer && !search.found) continue;
      search.place = places[k];
      search.left = left;
    }
  }
}

std::vector<Index> IncompleteRows::to_shared(Index group, Index label, Rows rows,
                                             std::span<const std::uint64_t> names) const {
  const auto [flow, place] = model_.flow.flow_of(group, label);
  const Maps maps{.flow = *flow, .place = place, .group = group};
  std::vector<Index> lost;
  for (Index first = 0; first < rows.rows(); first += kRowsPerBatch) {
    Regressions regressions(shared_);
    std::vector<Search> searches;
    for (Index i = first; i < std::min(rows.rows(), first + kRowsPerBatch); ++i) {
      Search& search = searches.emplace_back();
      search.row = i;
      search.name = names[static_cast<std::size_t>(i)];
      search.regression = &regressions.of(rows.row(i), rows.cols());
      const std::vector<Index>& there = search.regression->pattern.there;
      search.wanted.resize(static_cast<Index>(there.size()));
      search.deviations.resize(search.wanted.size());
      for (Index k = 0; k < search.wanted.size(); ++k) {
        search.wanted[k] = rows.row(i)[there[k]];
        search.deviations[k] = deviation_of(shared_, there[k]);
      }
    }
    for (int attempt = 0; attempt < kAttempts && !searches.empty(); ++attempt) {
      begin(maps, searches, attempt);
      if (attempt > 0) add_jacobians(maps, searches);
      advance(maps, searches);
      for (const Search& search : searches) {
        if (!search.found && attempt + 1 < kAttempts) continue;
        const Pattern& pattern = search.regression->pattern;
        double* out = rows.row(search.row);
        for (Index k = 0; k < search.place.size(); ++k) {
          out[pattern.there[k]] = search.place[k];
        }
        const Vector missing = expected_missing(shared_, *search.regression, out);
        for (Index k = 0; k < missing.size(); ++k) {
          out[pattern.missing[k]] = missing[k];
        }
      }
      std::erase_if(searches, [](const Search& search) { return search.found; });
    }
    for (const Search& search : searches) lost.push_back(search.row);
  }
  return lost;
}

}  // namespace conflux
