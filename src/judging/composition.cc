#include "judging/composition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conflux/comm/communicator.h"

namespace conflux {

namespace {

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

Matching match(const JudgedRows& judged, const std::vector<std::string>& group_names,
               std::uint64_t seed, const Workers& workers) {
  GroupSet groups;
  Index at = 0;
  for (std::size_t m = 0; m < judged.sizes.size(); ++m) {
    groups.add(group_names[m], Matrix(judged.rows.middleRows(at, judged.sizes[m])));
    at += judged.sizes[m];
  }
  SelfCommunicator comm;
  return match_groups(groups, {.seed = seed}, comm, workers);
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

Compositions compare_compositions(const JudgedRows& judged, const GroupSet& groups, Index deals,
                                  std::uint64_t seed, const Workers& workers) {
  Compositions out{.matching = match(judged, groups.names(), seed, workers)};
  std::vector<std::string> names;
  for (Index c = 0; c < out.matching.num_kinds(); ++c)
    names.push_back(fmt::format("kind {}", c + 1));
  std::vector<Index> kind_of;
  for (const auto& of_group : out.matching.kinds) {
    kind_of.insert(kind_of.end(), of_group.begin(), of_group.end());
  }
  out.kinds = composition_of(kind_of, names, judged, deals, seed, workers);
  for (const MatchedGroup& group : out.matching.groups) {
    out.overlap += group.near / static_cast<double>(out.matching.groups.size());
  }
  if (groups.label_names().size() > 1) {
    out.labels =
        composition_of(judged.label_of, groups.label_names(), judged, deals, seed, workers);
  }
  return out;
}

}  // namespace conflux
