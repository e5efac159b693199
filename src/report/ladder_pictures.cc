#include "report/ladder_pictures.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/page.h"
#include "report/svg.h"

namespace conflux {

namespace {

/// A value of one rung, with half the width of its interval.
struct Measured {
  std::string rung;
  double value = 0;
  double error = 0;
  bool chosen = false;
};

/// Rungs from left to right; the chosen one is filled, the others hollow. `band`: values that
/// random assignments of the groups stay below.
std::string draw_rungs(const std::vector<Measured>& rungs, const std::optional<double>& band,
                       const Caption& caption) {
  double low = rungs.front().value, high = low;
  for (const Measured& each : rungs) {
    low = std::min(low, each.value - each.error);
    high = std::max(high, each.value + each.error);
  }
  if (band) low = std::min(low, 0.5);
  const double room = std::max(0.05 * (high - low), 1e-3);
  constexpr double kBottom = 190;
  Svg svg(265, caption.title, caption.description);
  const Scale x{-0.5, static_cast<double>(rungs.size()) - 0.5, 48, kPictureWidth - 10};
  const Scale y{low - room, high + room, kBottom, 10};
  if (band && *band > y.low) {
    svg.rect(48, y.at(std::min(*band, y.high)), kPictureWidth - 58,
             kBottom - y.at(std::min(*band, y.high)), "band", "chance");
  }
  svg.vertical_marks(y, 48, kPictureWidth - 10);
  std::vector<std::pair<double, double>> line;
  for (std::size_t r = 0; r < rungs.size(); ++r) {
    line.emplace_back(x.at(static_cast<double>(r)), y.at(rungs[r].value));
  }
  svg.path(polyline(line), "ln s0");
  for (std::size_t r = 0; r < rungs.size(); ++r) {
    const Measured& each = rungs[r];
    const auto [px, py] = line[r];
    if (each.error > 0) {
      svg.line(px, y.at(each.value - each.error), px, y.at(each.value + each.error), "err");
    }
    const std::string hover =
        fmt::format("{}: {:.4f}{}", each.rung, each.value, each.chosen ? ", chosen" : "");
    svg.circle(px, py, 4, each.chosen ? "was" : "is", hover);
    // Names under each other in two lines, so that neighbors do not meet.
    svg.text(px, kBottom + 18 + (r % 2 == 0 ? 0 : 16), each.rung, "small mid", hover);
  }
  svg.text(0.5 * (48 + kPictureWidth - 10), kBottom + 58, caption.axis, "small mid");
  return std::move(svg).finish();
}

}  // namespace

std::vector<std::string> ladder_figures(const LadderRecord& ladder) {
  std::vector<Measured> transfer, auc;
  double by_chance = 0.5;
  for (const RungRecord& each : ladder.rungs) {
    const bool chosen = each.name == ladder.chosen;
    if (each.transfer) {
      transfer.push_back({each.name, *each.transfer, each.transfer_error.value_or(0), chosen});
    }
    auc.push_back({each.name, each.auc, (each.auc_by_chance - 0.5) / 1.6449, chosen});
    by_chance = std::max(by_chance, each.auc_by_chance);
  }
  std::vector<std::string> out;
  if (transfer.size() > 1) {
    out.push_back(figure(
        draw_rungs(transfer, std::nullopt,
                   {"Transfer of held-out features, by correction",
                    "Rank correlation of features that the correction did not see with their "
                    "prediction from rows of the other groups; higher is better.",
                    "correction, from least to most"}),
        "Transfer of held-out features (higher is better), ± one standard error of the difference "
        "to the chosen correction. Filled: chosen."));
  }
  if (auc.size() > 1) {
    out.push_back(figure(
        draw_rungs(auc, by_chance,
                   {"Group AUC on held-out rows, by correction",
                    "How well the group of a row can be predicted after each correction; 0.5 is "
                    "chance.",
                    "correction, from least to most"}),
        "Group AUC on held-out rows (lower is better), ± one standard deviation of random "
        "assignment. Gray: chance. Filled: chosen."));
  }
  return out;
}

}  // namespace conflux
