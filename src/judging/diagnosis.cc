#include "conflux/judging/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "conflux/core/error.h"
#include "fitting/gates.h"
#include "slicing/direction_search.h"
#include "univariate/wasserstein.h"

namespace conflux {

namespace {

// More directions than one find the largest difference more surely.
constexpr Index kDirections = 4;
constexpr Index kSearchSteps = 4;
constexpr Index kGatingBasis = 30;
constexpr Index kGating = 15;
constexpr Index kRowsPerCell = 150;
constexpr Index kMostCells = 8;
constexpr double kRowsToShare = 5;
constexpr double kAtom = 0.05;
constexpr double kChance = 0.95;

// Rows of all groups, one under the other, and what each is.
struct Pool {
  Matrix rows;
  std::vector<Index> group_of;
  std::vector<Index> label_of;
  std::vector<Index> sizes;
};

Pool draw(const GroupSet& groups, const DiagnosisOptions& options) {
  Pool out;
  std::vector<std::vector<Index>> chosen;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    Stream stream(options.seed, Purpose::kDiagnosis, static_cast<std::uint64_t>(m));
    std::vector<Index>& rows = chosen.emplace_back(stream.permutation(groups[m].rows.rows()));
    rows.resize(static_cast<std::size_t>(std::min(options.max_rows, groups[m].rows.rows())));
    std::sort(rows.begin(), rows.end());
    out.sizes.push_back(static_cast<Index>(rows.size()));
    if (out.sizes.back() < 2) {
      throw InvalidData(fmt::format("group \"{}\" has {} rows; give it at least 2.", groups[m].name,
                                    out.sizes.back()));
    }
  }
  out.rows.resize(std::accumulate(out.sizes.begin(), out.sizes.end(), Index{0}), groups.dim());
  for (Index m = 0; m < groups.num_groups(); ++m) {
    for (const Index i : chosen[m]) {
      groups[m].rows.copy_row(i, out.rows.row(static_cast<Index>(out.group_of.size())).data());
      out.group_of.push_back(m);
      out.label_of.push_back(groups[m].label(i));
    }
  }
  return out;
}

std::vector<Index> find_atoms(const Matrix& rows) {
  std::vector<Index> out;
  for (Index j = 0; j < rows.cols(); ++j) {
    std::vector<double> values(rows.col(j).begin(), rows.col(j).end());
    std::sort(values.begin(), values.end());
    const auto apart =
        static_cast<std::size_t>(std::ceil(kAtom * static_cast<double>(values.size())));
    for (std::size_t i = 0; i + apart < values.size(); ++i) {
      if (values[i] != values[i + apart]) continue;
      out.push_back(j);
      break;
    }
  }
  return out;
}

// A feature that is constant within groups but not between them is divided by its deviation over
// all rows, one that is constant is left alone.
void standardize(Pool& pool) {
  const auto count = static_cast<Index>(pool.sizes.size());
  Matrix means = Matrix::Zero(count, pool.rows.cols());
  for (Index i = 0; i < pool.rows.rows(); ++i) {
    means.row(pool.group_of[i]) +=
        pool.rows.row(i) / static_cast<double>(pool.sizes[pool.group_of[i]]);
  }
  const Eigen::RowVectorXd centre = pool.rows.colwise().mean();
  Eigen::RowVectorXd within = Eigen::RowVectorXd::Zero(pool.rows.cols());
  for (Index i = 0; i < pool.rows.rows(); ++i) {
    within += (pool.rows.row(i) - means.row(pool.group_of[i])).cwiseAbs2();
  }
  pool.rows.rowwise() -= centre;
  for (Index j = 0; j < pool.rows.cols(); ++j) {
    const double all = pool.rows.col(j).squaredNorm();
    const double squares = within(j) > 1e-12 * all ? within(j) : all;
    if (squares > 0) {
      pool.rows.col(j) /= std::sqrt(squares / static_cast<double>(pool.rows.rows()));
    }
  }
}

std::vector<double> even(std::size_t count) {
  return std::vector<double>(count, 1 / static_cast<double>(count));
}

/// The spread of groups that weigh the same is a part of the mean squared distance of two of them.
double distance_from_spread(double spread, std::size_t groups) {
  const auto count = static_cast<double>(groups);
  return std::sqrt(std::max(0.0, spread) * 2 * count / (count - 1));
}

double largest_difference(const Pool& pool, const std::vector<Index>& group_of,
                          const std::vector<Index>& members, std::uint64_t seed,
                          const Workers& workers) {
  SearchSample<float> sample;
  for (const Index m : members) {
    MatrixOf<float>& rows = sample.rows.emplace_back(pool.sizes[m], pool.rows.cols());
    Index at = 0;
    for (Index i = 0; i < pool.rows.rows(); ++i) {
      if (group_of[i] == m) rows.row(at++) = pool.rows.row(i).cast<float>();
    }
  }
  sample.masses.resize(members.size());
  Stream stream(seed, Purpose::kDirections);
  const Frame start =
      Frame::random(pool.rows.cols(), std::min(kDirections, pool.rows.cols()), stream);
  SearchOptions options;
  options.ascent.max_steps = kSearchSteps;
  options.ascent.polar = true;
  const SearchResult found = find_directions(sample, even(members.size()), start, options, workers);
  return distance_from_spread(found.spreads.front(), members.size());
}

std::vector<double> feature_differences(const Pool& pool, const std::vector<Index>& group_of) {
  std::vector<double> out;
  std::vector<std::vector<double>> values(pool.sizes.size());
  for (Index j = 0; j < pool.rows.cols(); ++j) {
    for (auto& each : values) each.clear();
    for (Index i = 0; i < pool.rows.rows(); ++i) values[group_of[i]].push_back(pool.rows(i, j));
    std::vector<SortedSample<double>> sorted;
    for (auto& each : values) {
      std::sort(each.begin(), each.end());
      sorted.push_back({each, {}});
    }
    const double spread = barycenter_spread<double>(sorted, even(values.size()), {});
    out.push_back(distance_from_spread(spread, values.size()));
  }
  return out;
}

Matrix shares_by_kind(const std::vector<Index>& kind_of, const std::vector<Index>& group_of,
                      Index kinds, Index groups) {
  Matrix out = Matrix::Zero(groups, kinds);
  for (std::size_t i = 0; i < kind_of.size(); ++i) {
    if (kind_of[i] >= 0) out(group_of[i], kind_of[i]) += 1;
  }
  for (Index m = 0; m < groups; ++m) out.row(m) /= std::max(1.0, out.row(m).sum());
  return out;
}

double largest_total_variation(const Matrix& shares) {
  double out = 0;
  for (Index a = 0; a < shares.rows(); ++a) {
    for (Index b = 0; b < a; ++b) {
      // Groups without labels have no shares.
      if (shares.row(a).sum() == 0 || shares.row(b).sum() == 0) continue;
      out = std::max(out, 0.5 * (shares.row(a) - shares.row(b)).cwiseAbs().sum());
    }
  }
  return out;
}

Difference compared(double value, std::vector<double> dealt) {
  std::sort(dealt.begin(), dealt.end());
  const auto at = static_cast<std::size_t>(std::ceil(kChance * static_cast<double>(dealt.size()))) -
                  (dealt.empty() ? 0 : 1);
  const auto beyond = dealt.end() - std::lower_bound(dealt.begin(), dealt.end(), value);
  return {.value = value,
          .by_chance = dealt.empty() ? 0 : dealt[at],
          .p_value = static_cast<double>(beyond + 1) / static_cast<double>(dealt.size() + 1)};
}

struct Cells {
  std::vector<Index> cell_of = {};
  Index count = 0;
  double overlap = 1;
};

Cells find_cells(const Pool& pool, const DiagnosisOptions& options, const Workers& workers) {
  GroupSet groups;
  RowChoice chosen;
  Index at = 0;
  for (std::size_t m = 0; m < pool.sizes.size(); ++m) {
    groups.add(std::to_string(m), Matrix(pool.rows.middleRows(at, pool.sizes[m])));
    chosen.emplace_back(static_cast<std::size_t>(pool.sizes[m]));
    std::iota(chosen.back().begin(), chosen.back().end(), Index{0});
    at += pool.sizes[m];
  }
  SelfCommunicator comm;
  Stream stream(options.seed, Purpose::kGate);
  const std::vector<double> weights = even(pool.sizes.size());
  const Matrix basis = gating_basis(groups, chosen, weights, kGatingBasis, comm, workers);
  const GateSettings settings{
      .cells = std::clamp<Index>(pool.rows.rows() / kRowsPerCell, 2, kMostCells),
      .gating = std::min(kGating, basis.cols()),
      .min_cell = kRowsToShare};
  const Gate gate = fit_gate(groups, chosen, basis, settings, stream, comm, workers);
  const std::vector<Matrix> shares = shares_of(gate, groups, chosen, settings, workers);
  Cells out{.count = gate.cells(), .overlap = shared_mass(shares, weights, settings, comm)};
  for (const Matrix& part : shares) {
    for (Index i = 0; i < part.rows(); ++i) {
      part.row(i).maxCoeff(&out.cell_of.emplace_back());
    }
  }
  return out;
}

std::vector<PairOfGroups> compare_pairs(const Pool& pool, std::uint64_t seed,
                                        const Workers& workers) {
  std::vector<PairOfGroups> out;
  for (Index a = 0; a < static_cast<Index>(pool.sizes.size()); ++a) {
    for (Index b = a + 1; b < static_cast<Index>(pool.sizes.size()); ++b) {
      out.push_back({a, b, largest_difference(pool, pool.group_of, {a, b}, seed, workers)});
    }
  }
  return out;
}

}  // namespace

Diagnosis diagnose(const GroupSet& groups, const DiagnosisOptions& options) {
  if (groups.num_groups() < 2) throw InvalidData("there is one group only; give at least two.");
  groups.validate();
  const Workers workers(options.threads);
  Pool pool = draw(groups, options);
  Diagnosis out{.rows = pool.sizes, .features_with_atoms = find_atoms(pool.rows)};
  standardize(pool);
  const Index count = groups.num_groups();
  const auto labels = static_cast<Index>(groups.label_names().size());
  const Cells cells = find_cells(pool, options, workers);
  out.overlap = cells.overlap;
  out.pairs = compare_pairs(pool, options.seed, workers);

  std::vector<Index> everyone(static_cast<std::size_t>(count));
  std::iota(everyone.begin(), everyone.end(), Index{0});
  const auto deals = static_cast<std::size_t>(options.deals);
  std::vector<double> differences(deals), largest_features(deals), of_cells(deals),
      of_labels(deals);
  workers.for_each_block(options.deals, 1, [&](Index deal, Index) {
    Stream stream(options.seed, Purpose::kDiagnosis, static_cast<std::uint64_t>(deal), 1);
    const std::vector<Index> order = stream.permutation(pool.rows.rows());
    std::vector<Index> dealt(pool.group_of.size());
    for (std::size_t i = 0; i < dealt.size(); ++i) dealt[i] = pool.group_of[order[i]];
    differences[deal] = largest_difference(pool, dealt, everyone, options.seed, Workers(1));
    const std::vector<double> features = feature_differences(pool, dealt);
    largest_features[deal] = *std::max_element(features.begin(), features.end());
    of_cells[deal] =
        largest_total_variation(shares_by_kind(cells.cell_of, dealt, cells.count, count));
    of_labels[deal] = largest_total_variation(shares_by_kind(pool.label_of, dealt, labels, count));
  });

  out.difference = compared(
      largest_difference(pool, pool.group_of, everyone, options.seed, workers), differences);
  for (const double value : feature_differences(pool, pool.group_of)) {
    out.features.push_back(compared(value, largest_features));
  }
  out.cells.shares = shares_by_kind(cells.cell_of, pool.group_of, cells.count, count);
  for (Index c = 0; c < cells.count; ++c) out.cells.kinds.push_back(fmt::format("cell {}", c + 1));
  out.cells.difference = compared(largest_total_variation(out.cells.shares), of_cells);
  if (labels > 1) {
    out.labels = Composition{.kinds = groups.label_names(),
                             .shares = shares_by_kind(pool.label_of, pool.group_of, labels, count),
                             .difference = {}};
    out.labels->difference = compared(largest_total_variation(out.labels->shares), of_labels);
  }
  return out;
}

}  // namespace conflux
