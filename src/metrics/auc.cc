#include "metrics/auc.h"

#include <algorithm>

#include "kernels/normal.h"
#include "metrics/ranks.h"

namespace conflux {

double area_under_curve(std::span<const double> scores, const std::vector<char>& is_member) {
  const std::vector<double> ranks = midranks(scores);
  double sum = 0, members = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!is_member[i]) continue;
    sum += ranks[i];
    members += 1;
  }
  const double others = static_cast<double>(ranks.size()) - members;
  return (sum / members - 0.5 * (members + 1)) / others;
}

std::vector<double> auc_influences(std::span<const double> scores,
                                   const std::vector<char>& is_member) {
  const std::vector<double> ranks = midranks(scores);
  std::vector<double> by_class[2];
  for (std::size_t i = 0; i < ranks.size(); ++i)
    by_class[is_member[i] ? 1 : 0].push_back(scores[i]);
  const std::vector<double> own[2] = {midranks(by_class[0]), midranks(by_class[1])};
  const double sizes[2] = {static_cast<double>(own[0].size()), static_cast<double>(own[1].size())};
  std::vector<double> out;
  out.reserve(ranks.size());
  std::size_t at[2] = {0, 0};
  double sums[2] = {0, 0};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::size_t c = is_member[i] != 0 ? 1 : 0;
    // The share of the other class that lies below this row.
    const double below = (ranks[i] - own[c][at[c]++]) / sizes[1 - c];
    out.push_back(c == 1 ? below : 1 - below);
    sums[c] += out.back();
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t c = is_member[i] != 0 ? 1 : 0;
    out[i] = (out[i] - sums[c] / sizes[c]) / sizes[c];
  }
  return out;
}

std::vector<double> normal_scores(std::span<const double> values) {
  std::vector<double> out = midranks(values);
  const auto count = static_cast<double>(out.size());
  for (double& rank : out) {
    rank = kernels::normal_quantile((rank - 0.5) / count, (count - rank + 0.5) / count);
  }
  return out;
}

}  // namespace conflux
