#include "matched_clusters.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace conflux::app {

namespace {

// As many lines as are read.
constexpr std::size_t kMostGroupsShown = 6;

}  // namespace

std::vector<std::string> matched_clusters(const FitRecord& record) {
  const ClustersRecord& clusters = record.clusters;
  const std::size_t groups = clusters.groups.size();
  if (record.options.gate != Gating::kClusters || clusters.sentences.size() < groups) return {};
  // The sentences of the groups come first.
  std::vector<std::size_t> shown(groups);
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  if (groups > kMostGroupsShown) {
    std::stable_sort(shown.begin(), shown.end(), [&](std::size_t a, std::size_t b) {
      return clusters.groups[a].matched < clusters.groups[b].matched;
    });
    shown.resize(kMostGroupsShown);
  }
  std::vector<std::string> out;
  for (const std::size_t m : shown) out.push_back("  " + clusters.sentences[m]);
  if (shown.size() < groups) {
    out.push_back(fmt::format("  {} other groups found more partners.", groups - shown.size()));
  }
  for (std::size_t i = groups; i < clusters.sentences.size(); ++i) {
    out.push_back("  " + clusters.sentences[i]);
  }
  return out;
}

}  // namespace conflux::app
