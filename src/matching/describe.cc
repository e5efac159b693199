#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "matching/matching.h"

namespace conflux {

namespace {

// Pairs and groups that a sentence names; more would not be read.
constexpr std::size_t kMostNamed = 5;

double relative_distance(const MatchedGroup& group) {
  return group.own_distance > 0 ? group.partner_distance / group.own_distance : 0;
}

bool far_from_others(const MatchedGroup& group) { return relative_distance(group) > kFarPartner; }

// Groups without a direct link, when links are there for others.
std::vector<std::string> linked_through_others(const Matching& matching) {
  std::vector<std::string> out;
  const auto count = static_cast<Index>(matching.groups.size());
  for (Index a = 0; a < count; ++a) {
    for (Index b = a + 1; b < count; ++b) {
      if (matching.linked(a, b)) continue;
      out.push_back(fmt::format("{} and {}", matching.groups[a].name, matching.groups[b].name));
    }
  }
  return out;
}

std::string shares_of_kind(const Matching& matching, Index kind) {
  std::vector<std::string> parts;
  const auto count = static_cast<Index>(matching.groups.size());
  if (matching.groups.size() <= kMostNamed) {
    for (Index m = 0; m < count; ++m) {
      parts.push_back(
          fmt::format("{:.0f} % of {}", 100 * matching.shares(m, kind), matching.groups[m].name));
    }
    return fmt::format("Kind {}: {}.", kind + 1, fmt::join(parts, ", "));
  }
  Index least = 0;
  Index most = 0;
  const double smallest = matching.shares.col(kind).minCoeff(&least);
  const double largest = matching.shares.col(kind).maxCoeff(&most);
  return fmt::format("Kind {}: from {:.0f} % of {} to {:.0f} % of {}.", kind + 1, 100 * smallest,
                     matching.groups[least].name, 100 * largest, matching.groups[most].name);
}

}  // namespace

GateChoice choose_gate(const Matching& matching) {
  const auto parted =
      std::max_element(matching.groups.begin(), matching.groups.end(),
                       [](const auto& a, const auto& b) { return a.islands < b.islands; });
  const bool far = std::any_of(matching.groups.begin(), matching.groups.end(), far_from_others);
  GateChoice out{.gate = parted != matching.groups.end() && parted->islands > 1, .certain = !far};
  if (out.gate) {
    out.reason = fmt::format(
        "Rows are aligned with rows of their kind ({} kinds, found without labels), because {} "
        "holds {} parts that lie apart, which groups may hold in different shares. With gate none "
        "whole groups would be made alike, and rows of one kind moved onto another where shares "
        "differ.",
        matching.num_kinds(), parted->name, parted->islands);
    if (far) {
      out.reason +=
          " Some groups lie far from the others, so which kinds correspond is a guess from how "
          "they lie; labels (gate label) would tell.";
    }
    return out;
  }
  out.reason = far ? "Whole groups are made alike: they do not overlap and each is a single cloud, "
                     "so the rows cannot tell a shift from a difference in what the groups hold. "
                     "If they hold different things, give labels (gate label) or leave them as "
                     "they are."
                   : "Whole groups are made alike: each is a single cloud, without parts that a "
                     "gate could keep apart. If kinds of rows must not be mixed, give labels (gate "
                     "label) or ask for kinds.";
  return out;
}

std::vector<std::string> describe(const Matching& matching) {
  std::vector<std::string> out;
  for (const MatchedGroup& group : matching.groups) {
    out.push_back(fmt::format(
        "{}: {:.0f} % of its rows found a partner in another group, at {:.2g} times the distance "
        "between its own clusters; it has {} that lie apart.",
        group.name, 100 * group.matched, relative_distance(group),
        group.islands == 1 ? "no parts" : fmt::format("{} parts", group.islands)));
  }
  std::vector<std::string> indirect = linked_through_others(matching);
  if (!indirect.empty()) {
    const std::size_t all = indirect.size();
    indirect.resize(std::min(all, kMostNamed));
    out.push_back(fmt::format(
        "Linked only through other groups: {}{}.", fmt::join(indirect, ", "),
        all > kMostNamed ? fmt::format(" and {} more", all - kMostNamed) : std::string()));
  }
  for (Index kind = 0; kind < matching.num_kinds(); ++kind) {
    out.push_back(shares_of_kind(matching, kind));
  }
  return out;
}

}  // namespace conflux
