#include "comparing/check_sentences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace conflux {

namespace {

// Rows of a group below which a sentence warns that its maps would follow single rows.
constexpr Index kSmallGroup = 30;
constexpr std::size_t kMostNames = 5;
// If chance alone makes so large a difference in composition, a real one cannot be seen.
constexpr double kUnclearComposition = 0.15;

std::string percent(double share) {
  return share < 0.1 ? fmt::format("{:.2g} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

std::string prediction_phrase(const GroupPrediction& prediction) {
  const auto left_out = std::count_if(prediction.per_group.begin(), prediction.per_group.end(),
                                      [](double auc) { return std::isnan(auc); });
  const auto groups = std::ssize(prediction.per_group);
  return fmt::format(
      "predicting the group from a row reaches an AUC of {:.3f} (chance: 0.5; 95 % of random "
      "assignments score below {:.3f}{})",
      prediction.auc, prediction.by_chance(),
      left_out == 0 ? ""
                    : fmt::format("; judged on {} of the {} groups", groups - left_out, groups));
}

std::string verdict(const CheckReport& report, double error_rate) {
  const auto named = std::count_if(report.features.begin(), report.features.end(),
                                   [](const FeatureDifference& each) { return each.differs; });
  const std::size_t all = report.features.size();
  if (!report.differ) {
    return fmt::format(
        "The groups do not differ beyond chance: {}, and none of {} features differs by itself "
        "(false discovery rate {}). Leave the rows as they are: an alignment would fit noise.",
        prediction_phrase(report.prediction), all, percent(error_rate));
  }
  const std::string features =
      named > 0 ? fmt::format("{} of {} features differ by themselves", named, all)
                : fmt::format("no feature differs by itself, only combinations of the {} do", all);
  return fmt::format("The groups differ: {}; {} (false discovery rate {}).",
                     prediction_phrase(report.prediction), features, percent(error_rate));
}

bool any_is_shared(const Composition& labels) {
  const auto holders = (labels.shares.array() > 0).cast<Index>().colwise().sum();
  return holders.maxCoeff() > 1;
}

std::pair<Advice, std::string> advice_on_labels(const Composition& labels) {
  if (!any_is_shared(labels)) {
    return {
        Advice::kLeave,
        "No label occurs in two groups: nothing can be aligned within labels, and differences of "
        "groups and of labels cannot be separated. Leave the rows as they are, or give labels that "
        "groups share."};
  }
  if (unlike(labels)) {
    return {
        Advice::kGateLabels,
        fmt::format("The proportions of labels differ between groups: {} of the rows of one group "
                    "would need another label to match another group (chance: {}). Aligning whole "
                    "groups would mix labels; aligning within labels does not.",
                    percent(labels.difference.value), percent(labels.difference.by_chance))};
  }
  return {Advice::kAlign,
          "The groups hold the same labels in similar proportions: whole groups can be aligned."};
}

// Adds which fraction of each group found a matching cluster, and at what distance: how far the
// matching can be trusted.
void describe_matching(CheckReport& report, const Matching& matching) {
  if (matching.groups.size() > kMostNames) return;
  std::vector<std::string> lines = describe(matching);
  // The clusters come last; their shares are shown as a table.
  lines.resize(lines.size() - static_cast<std::size_t>(matching.num_clusters()));
  report.sentences.insert(report.sentences.end(), lines.begin(), lines.end());
}

void advise_on_clusters(CheckReport& report, const Compositions& found, const KnownLabels& known) {
  const GateChoice choice = choose_gate(found);
  const auto say = [&](Advice advice, std::string sentence) {
    report.advice = advice;
    report.sentences.push_back(std::move(sentence));
  };
  if (known.in_part) {
    say(Advice::kGateLabels,
        fmt::format("Labels of {} are known and guide the matching of clusters: clusters with "
                    "different labels are not matched, and rows without a label belong to the "
                    "nearest cluster. Proportions of labels count labeled rows only.",
                    known_phrase(known)));
  } else if (report.labels) {
    const auto [advice, sentence] = advice_on_labels(*report.labels);
    say(advice, sentence);
  } else if (report.overlap < kLeastOverlap) {
    say(choice.gate ? Advice::kGateClusters : Advice::kAlign,
        fmt::format(
            "Only {} of the rows lie near rows of another group: the rows alone cannot tell "
            "a shift from a difference in composition. {} Labels, or controls that are the "
            "same in every group, would settle it.",
            percent(report.overlap),
            choice.gate
                ? "A fit matches clusters by their positions; if the groups hold the same "
                  "clusters in the same proportions, whole groups can be aligned."
                : "No group has separate clusters, so whole groups would be aligned; if they "
                  "hold different classes, leave them as they are."));
  } else if (unlike(report.clusters) && choice.gate) {
    say(Advice::kGateClusters,
        fmt::format("The proportions of clusters differ between groups by {} of the rows (chance: "
                    "{}). A fit aligns within clusters; labels would be surer.",
                    percent(report.clusters.difference.value),
                    percent(report.clusters.difference.by_chance)));
  } else if (unlike(report.clusters)) {
    say(Advice::kAlign,
        fmt::format(
            "The proportions of clusters differ between groups by {} of the rows (chance: {}), but "
            "the clusters are not separate, so a fit aligns whole groups. If clusters must not be "
            "mixed, give labels, or choose --gate clusters.",
            percent(report.clusters.difference.value),
            percent(report.clusters.difference.by_chance)));
  } else if (choice.gate) {
    say(Advice::kGateClusters, choice.reason);
  } else if (report.clusters.difference.by_chance > kUnclearComposition) {
    say(Advice::kAlign,
        fmt::format("The rows are too few to compare the proportions of clusters: by chance they "
                    "differ by {}. A fit aligns whole groups; labels would settle it.",
                    percent(report.clusters.difference.by_chance)));
  } else {
    say(Advice::kAlign,
        "The groups hold the same clusters in similar proportions: whole groups can be aligned.");
  }
}

void warn_of_small_groups(CheckReport& report, const GroupSet& groups) {
  std::vector<std::string> small;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (groups[m].rows.rows() >= kSmallGroup) continue;
    small.push_back(fmt::format("\"{}\" ({})", groups[m].name, groups[m].rows.rows()));
  }
  if (small.empty()) return;
  const std::size_t count = small.size();
  small.resize(std::min(count, kMostNames));
  report.sentences.push_back(fmt::format(
      "{} of {} groups have fewer than {} rows: {}{}. Their maps would follow single rows; give "
      "them more rows, or choose a small strength.",
      count, groups.num_groups(), kSmallGroup, fmt::join(small, ", "),
      count > kMostNames ? ", ..." : ""));
}

}  // namespace

std::string_view name_of(Advice advice) {
  switch (advice) {
    case Advice::kLeave:
      return "leave";
    case Advice::kAlign:
      return "align";
    case Advice::kGateClusters:
      return "gate clusters";
    case Advice::kGateLabels:
      return "gate label";
  }
  return "?";
}

void advise(CheckReport& report, const GroupSet& groups, const Compositions& found,
            double error_rate) {
  report.sentences = {verdict(report, error_rate)};
  report.advice = Advice::kLeave;
  if (!report.differ) return;
  const KnownLabels known = known_labels(groups);
  advise_on_clusters(report, found, known);
  if (report.advice == Advice::kGateClusters || known.in_part)
    describe_matching(report, found.matching);
  warn_of_small_groups(report, groups);
}

}  // namespace conflux
