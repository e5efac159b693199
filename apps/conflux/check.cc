// conflux check: what an alignment would have to do, and what it would risk.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "conflux/judging/diagnosis.h"
#include "grouped_input.h"
#include "verbs.h"

namespace conflux::app {

namespace {

// Below this p-value a difference is taken to be one.
constexpr double kSurely = 0.05;
// Of a group's rows; a smaller difference in composition does little harm.
constexpr double kUnlikeComposition = 0.1;
constexpr double kLeastOverlap = 0.5;
constexpr Index kSmallGroup = 30;
constexpr std::size_t kMostShown = 10;

struct CheckFlags {
  GroupedInputFlags input;
  DiagnosisOptions options;
};

/// The composition that speaks of what rows are: labels if there are any.
const Composition& composition_of(const Diagnosis& found) {
  return found.labels ? *found.labels : found.cells;
}

bool differ(const Diagnosis& found) { return found.difference.p_value <= kSurely; }

bool unlike(const Composition& composition) {
  return composition.difference.beyond_chance() &&
         composition.difference.value > kUnlikeComposition;
}

std::string names_of(const std::vector<Index>& positions, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < std::min(positions.size(), kMostShown); ++i) {
    out.push_back(names[positions[i]]);
  }
  return fmt::format("{}{}", fmt::join(out, ", "), positions.size() > kMostShown ? ", ..." : "");
}

/// What the figures mean, and what to do.
std::vector<std::string> advice_of(const Diagnosis& found, const GroupSet& groups) {
  std::vector<std::string> out;
  if (!differ(found)) {
    out.push_back(
        fmt::format("No difference between the groups that chance would not make (p = {:.2g}): "
                    "leave the rows as they are, or give more rows.",
                    found.difference.p_value));
  } else {
    out.push_back(fmt::format(
        "The groups differ: by {:.2g} deviations where they differ most (chance: {:.2g}; p = "
        "{:.2g}).",
        found.difference.value, found.difference.by_chance, found.difference.p_value));
  }
  if (found.labels && unlike(*found.labels)) {
    out.push_back(fmt::format(
        "Labels have different shares in the groups: {:.0f} % of the rows of one would need "
        "another "
        "label to be like another group. Aligned as wholes, rows of different labels would be made "
        "alike; use conflux fit --label COLUMN --gate label.",
        100 * found.labels->difference.value));
  } else if (found.overlap < kLeastOverlap && differ(found)) {
    out.push_back(fmt::format(
        "Only {:.0f} % of the rows lie where another group has rows, too: the rows alone cannot "
        "tell "
        "a shift from a difference in composition. If you know that the groups hold the same kinds "
        "of rows in the same shares, align them; otherwise give labels (--label, --gate label) or "
        "fit on controls (--fit-where).",
        100 * found.overlap));
  } else if (!found.labels && unlike(found.cells) && differ(found)) {
    out.push_back(
        fmt::format("{:.0f} % of the rows of one group lie in other cells than those of another: "
                    "the groups may "
                    "hold different shares of the same kinds of rows. Use conflux fit --gate auto, "
                    "which aligns "
                    "like with like, or give labels.",
                    100 * found.cells.difference.value));
  } else if (differ(found)) {
    out.push_back(
        "The groups hold the same kinds of rows in similar shares: an alignment is safe.");
  }
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (groups[m].rows.rows() >= kSmallGroup) continue;
    out.push_back(fmt::format(
        "Group \"{}\" has {} rows only: its maps will follow single rows. Choose few knots or a "
        "small --strength.",
        groups[m].name, groups[m].rows.rows()));
  }
  if (!found.features_with_atoms.empty()) {
    out.push_back(fmt::format(
        "One value holds more than 5 % of the rows in: {}. Equal values stay equal within a group, "
        "and cannot be spread out to look like another group's; conflux convert --jitter spreads "
        "them.",
        names_of(found.features_with_atoms, groups.feature_names())));
  }
  return out;
}

Json difference_json(const Difference& difference) {
  return {{"value", difference.value},
          {"by_chance", difference.by_chance},
          {"p_value", difference.p_value}};
}

Json composition_json(const Composition& composition, const std::vector<std::string>& groups) {
  Json shares;
  for (std::size_t m = 0; m < groups.size(); ++m) {
    for (std::size_t c = 0; c < composition.kinds.size(); ++c) {
      shares[groups[m]][composition.kinds[c]] =
          composition.shares(static_cast<Index>(m), static_cast<Index>(c));
    }
  }
  return {{"difference", difference_json(composition.difference)}, {"shares", shares}};
}

Json json_of(const Diagnosis& found, const GroupSet& groups,
             const std::vector<std::string>& advice) {
  const std::vector<std::string> names = groups.names();
  Json rows, features, pairs = Json::array(), atoms = Json::array();
  for (std::size_t m = 0; m < names.size(); ++m) rows[names[m]] = found.rows[m];
  for (std::size_t j = 0; j < found.features.size(); ++j) {
    features[groups.feature_names()[j]] = difference_json(found.features[j]);
  }
  for (const PairOfGroups& pair : found.pairs) {
    pairs.push_back(
        {{"groups", Json::array({names[pair.a], names[pair.b]})}, {"distance", pair.distance}});
  }
  for (const Index j : found.features_with_atoms) atoms.push_back(groups.feature_names()[j]);
  Json out = {{"rows", rows},
              {"difference", difference_json(found.difference)},
              {"features", features},
              {"pairs", pairs},
              {"overlap", found.overlap},
              {"cells", composition_json(found.cells, names)},
              {"features_with_atoms", atoms},
              {"advice", advice}};
  if (found.labels) out["labels"] = composition_json(*found.labels, names);
  return out;
}

void print_features(const Diagnosis& found, const std::vector<std::string>& names) {
  std::vector<std::size_t> order(found.features.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return found.features[a].value > found.features[b].value;
  });
  const auto beyond = static_cast<std::size_t>(
      std::count_if(found.features.begin(), found.features.end(),
                    [](const Difference& each) { return each.beyond_chance(); }));
  fmt::print("\n{} of {} features differ more than by chance ({:.2g} deviations)\n", beyond,
             order.size(), found.features.front().by_chance);
  for (std::size_t i = 0; i < std::min(beyond, kMostShown); ++i) {
    fmt::print("  {:<24}{:>10.3g}\n", names[order[i]], found.features[order[i]].value);
  }
  if (beyond > kMostShown) fmt::print("  ...\n");
}

void print_pairs(const Diagnosis& found, const std::vector<std::string>& names) {
  std::vector<PairOfGroups> pairs = found.pairs;
  std::stable_sort(pairs.begin(), pairs.end(), [](const PairOfGroups& a, const PairOfGroups& b) {
    return a.distance > b.distance;
  });
  fmt::print("\npairs of groups, in deviations where they differ most\n");
  for (std::size_t i = 0; i < std::min(pairs.size(), kMostShown); ++i) {
    fmt::print("  {:<24}{:>10.3g}\n", fmt::format("{}, {}", names[pairs[i].a], names[pairs[i].b]),
               pairs[i].distance);
  }
  if (pairs.size() > kMostShown) fmt::print("  ...\n");
}

void print_composition(const Composition& composition, const std::vector<std::string>& names) {
  std::size_t width = 12;
  for (const std::string& name : names) width = std::max(width, name.size() + 1);
  fmt::print("\nshares of {:<14}", composition.kinds.front() == "cell 1" ? "cells" : "labels");
  for (const std::string& name : names) fmt::print("{:>{}}", name, width);
  fmt::print("\n");
  for (std::size_t c = 0; c < composition.kinds.size(); ++c) {
    fmt::print("  {:<22}", composition.kinds[c]);
    for (Index m = 0; m < composition.shares.rows(); ++m) {
      fmt::print("{:>{}.1f} %", 100 * composition.shares(m, static_cast<Index>(c)), width - 2);
    }
    fmt::print("\n");
  }
  fmt::print("  largest difference {:.1f} % (chance: {:.1f} %)\n",
             100 * composition.difference.value, 100 * composition.difference.by_chance);
}

void run_check(const CheckFlags& flags, const Console& console) {
  const GroupedInput input = read_groups(flags.input, console);
  const GroupSet& groups = input.groups;
  DiagnosisOptions options = flags.options;
  options.threads = flags.input.threads;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (groups[m].rows.rows() <= options.max_rows) continue;
    console.info(fmt::format("group \"{}\": {} of {} rows, drawn with seed {} (--max-rows)",
                             groups[m].name, options.max_rows, groups[m].rows.rows(),
                             options.seed));
  }
  const Diagnosis found = diagnose(groups, options);
  const std::vector<std::string> advice = advice_of(found, groups);
  if (console.json) {
    print_json(json_of(found, groups, advice));
    return;
  }
  for (const std::string& sentence : advice) fmt::print("{}\n", sentence);
  print_features(found, groups.feature_names());
  print_pairs(found, groups.names());
  print_composition(composition_of(found), groups.names());
}

}  // namespace

Verb check_verb() {
  const auto flags = std::make_shared<CheckFlags>();
  Verb verb{.name = "check",
            .description = "see how groups differ, and whether aligning them is safe",
            .example = "conflux check cells.csv --group batch --label cell_type",
            .run = [flags](const Console& console) { run_check(*flags, console); }};
  verb.add({tables_flag(flags->input),
            group_flag(flags->input.group, "column that tells the groups"),
            label_flag(flags->input, "column that tells what rows are"),
            features_flag(flags->input.features,
                          "columns to look at, with commas [every numeric column]"),
            drop_flag(flags->input),
            where_flag(flags->input),
            {.names = "--deals",
             .value = "N",
             .help = "random deals of the rows to groups to compare with [99]",
             .target = &flags->options.deals,
             .least = 19,
             .most = 1e6},
            {.names = "--max-rows",
             .value = "N",
             .help = "rows of each group at most, drawn by seed [500]",
             .target = &flags->options.max_rows,
             .least = 2},
            {.names = "--seed",
             .value = "N",
             .help = "names the random streams [0]",
             .target = &flags->options.seed},
            threads_flag(flags->input.threads)});
  verb.add(input_flags(flags->input.table));
  return verb;
}

}  // namespace conflux::app
