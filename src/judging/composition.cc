#include "judging/composition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "conflux/comm/communicator.h"
#include "fitting/gates.h"

namespace conflux {

namespace {

constexpr Index kGating = 15;
// A cell of fewer rows is found by accident; with more cells the kinds of rows fall apart.
constexpr Index kRowsPerCell = 150;
constexpr Index kMostCells = 8;
constexpr double kRowsToShare = 5;
constexpr double kChance = 0.95;

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

Cells find_cells(const JudgedRows& judged, std::uint64_t seed, const Workers& workers) {
  GroupSet groups;
  RowChoice chosen;
  Index at = 0;
  for (std::size_t m = 0; m < judged.sizes.size(); ++m) {
    groups.add(std::to_string(m), Matrix(judged.rows.middleRows(at, judged.sizes[m])));
    chosen.emplace_back(static_cast<std::size_t>(judged.sizes[m]));
    std::iota(chosen.back().begin(), chosen.back().end(), Index{0});
    at += judged.sizes[m];
  }
  SelfCommunicator comm;
  Stream stream(seed, Purpose::kGate);
  const std::vector<double> weights(judged.sizes.size(),
                                    1 / static_cast<double>(judged.sizes.size()));
  const Matrix basis = gating_basis(groups, chosen, weights, kGatingBasis, comm, workers);
  const GateSettings settings{
      .kinds = std::clamp<Index>(judged.rows.rows() / kRowsPerCell, 2, kMostCells),
      .gating = std::min(kGating, basis.cols()),
      .min_kind = kRowsToShare};
  const Gate gate = fit_gate(groups, chosen, basis, settings, stream, comm, workers);
  const std::vector<Matrix> shares = shares_of(gate, groups, chosen, settings, workers);
  Cells out{.count = gate.kinds(), .overlap = shared_mass(shares, weights, settings, comm)};
  for (const Matrix& part : shares) {
    for (Index i = 0; i < part.rows(); ++i) {
      part.row(i).maxCoeff(&out.cell_of.emplace_back());
    }
  }
  return out;
}

// Shares of kinds, and how far apart they are when rows are dealt to the groups at random.
Composition composition_of(const std::vector<Index>& kind_of, std::vector<std::string> names,
                           const JudgedRows& judged, Index deals, std::uint64_t seed,
                           const Workers& workers) {
  const auto kinds = static_cast<Index>(names.size());
  const auto groups = static_cast<Index>(judged.sizes.size());
  std::vector<double> dealt(static_cast<std::size_t>(deals));
  workers.for_each(deals, [&](Index deal) {
    Stream stream(seed, Purpose::kDiagnosis, static_cast<std::uint64_t>(deal), 1);
    const std::vector<Index> order = stream.permutation(judged.rows.rows());
    std::vector<Index> group_of(judged.group_of.size());
    for (std::size_t i = 0; i < group_of.size(); ++i) group_of[i] = judged.group_of[order[i]];
    dealt[deal] = largest_total_variation(shares_by_kind(kind_of, group_of, kinds, groups));
  });
  Composition out{.kinds = std::move(names),
                  .shares = shares_by_kind(kind_of, judged.group_of, kinds, groups),
                  .difference = {}};
  out.difference = compared(largest_total_variation(out.shares), std::move(dealt));
  return out;
}

}  // namespace

Compositions compare_compositions(const JudgedRows& judged,
                                  const std::vector<std::string>& label_names, Index deals,
                                  std::uint64_t seed, const Workers& workers) {
  Compositions out;
  const Cells cells = find_cells(judged, seed, workers);
  std::vector<std::string> names;
  for (Index c = 0; c < cells.count; ++c) names.push_back(fmt::format("cell {}", c + 1));
  out.cells = composition_of(cells.cell_of, names, judged, deals, seed, workers);
  out.overlap = cells.overlap;
  if (label_names.size() > 1) {
    out.labels = composition_of(judged.label_of, label_names, judged, deals, seed, workers);
  }
  return out;
}

}  // namespace conflux
