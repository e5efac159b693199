#include "reproduce/networks.h"

#include <fmt/format.h>

namespace conflux::app {

namespace {

std::string network_of(const RowResult& result, const Json& options) {
  if (result.row.cyclegan) {
    return fmt::format(
        "two generators x + network(x), two critics; two hidden layers of {} | {} steps",
        options.at("hidden").whole(), options.at("steps").whole());
  }
  const std::string hidden = options.at("hidden").text(), epochs = options.at("epochs").text();
  if (result.row.networks == NetworkKind::kAlignflow) {
    return fmt::format(
        "{} couplings and a critic for each group; two hidden layers of {} | {} passes",
        options.at("couplings").text(), hidden, epochs);
  }
  return fmt::format(
      "{} couplings for each group{}; two hidden layers of {} | until held-out rows gain no more, "
      "at "
      "most {} passes",
      options.at("couplings").text(),
      result.row.to_one_group() ? " that moves, and as many that all share" : "", hidden, epochs);
}

}  // namespace

std::string networks_text(const std::vector<RowResult>& results) {
  std::string rows;
  for (const RowResult& result : results) {
    if (!result.row.cyclegan && !result.row.networks) continue;
    double cpu_seconds = 0;
    for (const Json& cell : result.cells) {
      cpu_seconds += cell.at("fit_cpu_seconds").number() / static_cast<double>(result.cells.size());
    }
    rows += fmt::format("| {} | {} | {} | {:.3g} |\n", result.set.title, result.row.label,
                        network_of(result, result.cells.front().at("options")), cpu_seconds);
  }
  if (rows.empty()) return "";
  return "\n## Networks\n\nOurs are dense; the published AlignFlow is convolutional, and was "
         "trained "
         "for 200 passes on a graphics card.\n\n"
         "| data | method | network | trained for | CPU s |\n|---|---|---|---|---|\n" +
         rows;
}

}  // namespace conflux::app
