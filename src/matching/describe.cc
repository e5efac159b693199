#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "matching/matching.h"

namespace conflux {

namespace {

// Pairs and groups that a sentence names; more would not be read.
constexpr std::size_t kMostNamed = 5;

double relative_distance(const MatchedGroup& group) {
  return group.own_distance > 0 ? group.partner_distance / group.own_distance : 0;
}

// Pairs of groups that share no matched cluster directly, only through a third group: how many, and
// the first ones.
struct Indirect {
  std::size_t count = 0;
  std::vector<std::string> named = {};
};

Indirect linked_through_others(const Matching& matching) {
  const std::set<std::pair<Index, Index>> links(matching.links.begin(), matching.links.end());
  Indirect out;
  const auto count = static_cast<Index>(matching.groups.size());
  for (Index a = 0; a < count; ++a) {
    for (Index b = a + 1; b < count; ++b) {
      if (links.contains({a, b}) || ++out.count > kMostNamed) continue;
      out.named.push_back(
          fmt::format("{} and {}", matching.groups[a].name, matching.groups[b].name));
    }
  }
  return out;
}

std::string name_of_cluster(const Matching& matching, Index cluster) {
  const bool known = !matching.labels.empty() && !matching.labels[cluster].empty();
  return fmt::format("Cluster {}{}", cluster + 1,
                     known ? fmt::format(" ({})", matching.labels[cluster]) : "");
}

std::string shares_of_cluster(const Matching& matching, Index cluster) {
  std::vector<std::string> parts;
  const auto count = static_cast<Index>(matching.groups.size());
  if (matching.groups.size() <= kMostNamed) {
    for (Index m = 0; m < count; ++m) {
      parts.push_back(fmt::format("{:.0f} % of {}", 100 * matching.shares(m, cluster),
                                  matching.groups[m].name));
    }
    return fmt::format("{}: {}.", name_of_cluster(matching, cluster), fmt::join(parts, ", "));
  }
  Index least = 0;
  Index most = 0;
  const double smallest = matching.shares.col(cluster).minCoeff(&least);
  const double largest = matching.shares.col(cluster).maxCoeff(&most);
  return fmt::format("{}: from {:.0f} % of {} to {:.0f} % of {}.",
                     name_of_cluster(matching, cluster), 100 * smallest,
                     matching.groups[least].name, 100 * largest, matching.groups[most].name);
}

}  // namespace

std::vector<std::string> describe(const Matching& matching) {
  std::vector<std::string> out;
  for (const MatchedGroup& group : matching.groups) {
    out.push_back(
        fmt::format("{}: {:.0f} % of its rows are in clusters that match one of another group, at "
                    "{:.2g} times the "
                    "distance between its own clusters; {}.",
                    group.name, 100 * group.matched, relative_distance(group),
                    group.islands == 1 ? "no separate clusters"
                                       : fmt::format("{} separate clusters", group.islands)));
  }
  if (const Indirect indirect = linked_through_others(matching); indirect.count > 0) {
    const std::size_t more = indirect.count - indirect.named.size();
    out.push_back(fmt::format("Matched only through other groups: {}{}.",
                              fmt::join(indirect.named, ", "),
                              more > 0 ? fmt::format(" and {} more", more) : std::string()));
  }
  for (Index cluster = 0; cluster < matching.num_clusters(); ++cluster) {
    out.push_back(shares_of_cluster(matching, cluster));
  }
  return out;
}

}  // namespace conflux
