#include "report/terminal_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace conflux {

namespace {

constexpr Index kCells = 28;
constexpr Index kMostGroups = 6;
constexpr std::size_t kNameWidth = 14;
constexpr const char* kBlocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

using CellCounts = std::vector<double>;

// Distance of the outermost group means, in deviations within groups.
double distance_of_means(const std::vector<Matrix>& groups, Index feature) {
  double low = INFINITY, high = -INFINITY, within = 0, rows = 0;
  for (const Matrix& group : groups) {
    const double mean = group.col(feature).mean();
    low = std::min(low, mean);
    high = std::max(high, mean);
    within += (group.col(feature).array() - mean).square().sum();
    rows += static_cast<double>(group.rows());
  }
  return within > 0 ? (high - low) / std::sqrt(within / rows) : 0;
}

Index worst_feature(const std::vector<Matrix>& groups) {
  Index worst = 0;
  double largest = -1;
  for (Index j = 0; j < groups.front().cols(); ++j) {
    const double distance = distance_of_means(groups, j);
    if (distance > largest) worst = j;
    largest = std::max(largest, distance);
  }
  return worst;
}

// Where all but a hundredth of the values lie, before and after.
std::pair<double, double> range_of(const std::vector<Matrix>& before,
                                   const std::vector<Matrix>& after, Index feature) {
  std::vector<double> all;
  for (const auto* groups : {&before, &after}) {
    for (const Matrix& group : *groups) {
      all.insert(all.end(), group.col(feature).begin(), group.col(feature).end());
    }
  }
  std::sort(all.begin(), all.end());
  const std::size_t cut = all.size() / 200;
  return {all[cut], all[all.size() - 1 - cut]};
}

CellCounts shares_of(const Matrix& rows, Index feature, double low, double high) {
  CellCounts out(static_cast<std::size_t>(kCells), 0.0);
  for (Index i = 0; i < rows.rows(); ++i) {
    const double place = (rows(i, feature) - low) / (high - low) * static_cast<double>(kCells);
    if (place < 0 || place > static_cast<double>(kCells)) continue;
    out[std::min(static_cast<Index>(place), kCells - 1)] += 1 / static_cast<double>(rows.rows());
  }
  return out;
}

std::string blocks_of(const CellCounts& shares, double most) {
  std::string out;
  for (const double share : shares) {
    out += kBlocks[static_cast<std::size_t>(std::ceil(8 * share / most))];
  }
  return out;
}

// As many letters as the column is wide; a name may have letters of several bytes.
std::string name_cell(const std::string& name) {
  std::string out;
  std::size_t letters = 0;
  for (const char byte : name) {
    const bool begins = (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
    if (begins && letters == kNameWidth - 1) break;
    letters += begins ? 1 : 0;
    out += byte;
  }
  return out + std::string(kNameWidth - letters, ' ');
}

}  // namespace

std::vector<std::string> terminal_picture(const Flow& flow, const GroupSet& groups, int threads) {
  const Index count = std::min(groups.num_groups(), kMostGroups);
  if (count < 2 || !flow.moves()) return {};
  const Workers workers(threads);
  std::vector<Matrix> before, after;
  for (Index m = 0; m < count; ++m) {
    if (groups[m].rows.rows() == 0) return {};
    before.push_back(groups[m].rows.to_matrix());
    const Index group = flow.group_index(groups[m].name);
    const std::vector<Index> labels = flow.label_codes(groups.label_names(), groups[m].labels);
    after.push_back(
        flow.moved(groups[m].rows, Route::to_shared({&group, 1}).of_labels(labels), workers));
  }
  const Index feature = worst_feature(before);
  const auto [low, high] = range_of(before, after, feature);
  if (!(high > low)) return {};
  std::vector<CellCounts> shares;
  double most = 1e-300;
  for (const auto* rows : {&before, &after}) {
    for (const Matrix& each : *rows) {
      shares.push_back(shares_of(each, feature, low, high));
      most = std::max(most, *std::max_element(shares.back().begin(), shares.back().end()));
    }
  }
  const std::string name = groups.feature_names().empty() ? fmt::format("feature {}", feature + 1)
                                                          : groups.feature_names()[feature];
  std::vector<std::string> out = {
      fmt::format("{}{:<{}}  after", name_cell(name), "before", kCells)};
  for (Index m = 0; m < count; ++m) {
    out.push_back(fmt::format("{}{}  {}", name_cell(groups[m].name), blocks_of(shares[m], most),
                              blocks_of(shares[count + m], most)));
  }
  if (groups.num_groups() > count) {
    out.push_back(
        fmt::format("... {} more groups (--report FILE shows them)", groups.num_groups() - count));
  }
  return out;
}

}  // namespace conflux
