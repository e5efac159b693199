#include "reproduce/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "conflux/core/error.h"
#include "files/whole_file.h"
#include "reproduce/features.h"
#include "reproduce/figures.h"
#include "reproduce/networks.h"
#include "reproduce/published.h"

namespace conflux::app {

namespace {

constexpr const char* kNothing = "–";

/// Mean and deviation of a number over runs; unset when the cells do not have it.
std::optional<Figure> figure_of(const std::vector<Json>& cells, const std::string& name) {
  double sum = 0, squares = 0;
  for (const Json& cell : cells) {
    if (!cell.contains(name)) return std::nullopt;
    const double value = cell.at(name).number();
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(cells.size());
  const double mean = sum / count;
  return Figure{mean, std::sqrt(std::max(0.0, squares / count - mean * mean))};
}

std::string number(double value) {
  return std::abs(value) < 1 ? fmt::format("{:.4f}", value) : fmt::format("{:.3f}", value);
}

std::string with_deviation(const Figure& figure, bool several) {
  if (!several) return number(figure.value);
  return std::abs(figure.value) < 1
             ? fmt::format("{:.4f} ± {:.4f}", figure.value, figure.deviation)
             : fmt::format("{:.3f} ± {:.3f}", figure.value, figure.deviation);
}

std::string ours_text(const std::optional<Figure>& figure, std::size_t runs) {
  return figure ? with_deviation(*figure, runs > 1) : kNothing;
}

// "26.744 ± 0.077 (printed 40.116 ± 0.115)" where the printed mean has a wrong divisor.
std::string published_text(const std::optional<Figure>& printed, double divisor, bool stored) {
  if (!printed) return kNothing;
  const Figure right{printed->value / divisor, printed->deviation / divisor};
  std::string out = with_deviation(right, right.deviation > 0);
  if (divisor != 1) {
    out += fmt::format(" ({} {})", stored ? "stored" : "printed",
                       with_deviation(*printed, printed->deviation > 0));
  }
  return stored ? out + " *" : out;
}

std::string ratio_text(const std::optional<Figure>& ours, const std::optional<Figure>& printed,
                       double divisor) {
  if (!ours || !printed) return kNothing;
  return fmt::format("{:.3f}", ours->value / (printed->value / divisor));
}

std::string seconds_text(double seconds) {
  return seconds < 10 ? fmt::format("{:.2g}", seconds) : fmt::format("{:.0f}", seconds);
}

std::string table_row(const RowResult& result) {
  const std::size_t runs = result.cells.size();
  const auto wd = figure_of(result.cells, "paper_wd");
  const auto tc = figure_of(result.cells, "tc");
  const auto exact = figure_of(result.cells, "exact");
  const auto largest = [&](const char* name) -> std::string {
    double out = 0;
    for (const Json& cell : result.cells) {
      if (!cell.contains(name)) return kNothing;
      out = std::max(out, cell.at(name).number());
    }
    return fmt::format("{:.0e}", out);
  };
  const Published* found = find_published(result.set.name, result.row.label);
  const Published published = found != nullptr ? *found : Published{};
  const double divisor = divisor_error(result.set.name);
  return fmt::format(
      "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} / {} | {} | {} ({}) |\n",
      result.set.title, result.row.label, runs,
      published_text(published.wd, divisor, published.stored_only), ours_text(wd, runs),
      ratio_text(wd, published.wd, divisor), published_text(published.tc, 1, published.stored_only),
      ours_text(tc, runs), ratio_text(tc, published.tc, 1), ours_text(exact, runs),
      largest("round_trip"), largest("two_translations"),
      published.seconds ? seconds_text(*published.seconds) : kNothing,
      seconds_text(figure_of(result.cells, "fit_seconds")->value),
      seconds_text(figure_of(result.cells, "fit_cpu_seconds")->value));
}

std::string table_text(const std::vector<RowResult>& results) {
  std::string out =
      "| data | method | runs | paper_wd published | ours | ratio | TC published | ours | ratio | "
      "exact W2² ours | round trip | fit s published | ours (CPU s) |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const RowResult& result : results) out += table_row(result);
  return out;
}

// Rows: from, columns: to; means over runs.
std::string matrix_text(const RowResult& result) {
  const std::size_t groups = result.cells.front().at("paper_wd_matrix").size();
  std::string out = fmt::format("\n`{}`:\n\n| |", result.row.label);
  for (std::size_t to = 0; to < groups; ++to) out += fmt::format(" {} |", result.set.classes[to]);
  out += "\n|---|";
  for (std::size_t to = 0; to < groups; ++to) out += "---|";
  for (std::size_t from = 0; from < groups; ++from) {
    out += fmt::format("\n| {} |", result.set.classes[from]);
    for (std::size_t to = 0; to < groups; ++to) {
      double mean = 0;
      for (const Json& cell : result.cells) {
        mean += cell.at("paper_wd_matrix")[from][to].number() /
                static_cast<double>(result.cells.size());
      }
      out += from == to ? fmt::format(" {:.0e} |", mean) : fmt::format(" {:.1f} |", mean);
    }
  }
  return out + "\n";
}

std::string matrices_text(const std::vector<RowResult>& results) {
  std::string out;
  for (const RowResult& result : results) {
    if (result.set.classes.size() < 10) continue;
    if (out.empty()) {
      out =
          "\n## Pairs\n\npaper_wd of class (row) translated to class (column), against the real "
          "ones, mean over runs. The diagonal is the mean squared error of a row that goes to the "
          "shared space and back; the paper printed such matrices with 0.02 to 1.1 there.\n";
    }
    out += matrix_text(result);
  }
  return out;
}

// Trained and other direction of a SINF curve, or the mean of both in every other one.
std::string curve_text(const Experiment& experiment, const std::vector<RowResult>& results) {
  const bool both = experiment.name != "convergence";
  std::string out = both ? "| method | layers | paper_wd published, trained / other | ours | exact "
                           "W2² ours, trained / other |\n|---|---|---|---|---|\n"
                         : "| method | layers | paper_wd published (read off) | ours | exact W2² "
                           "ours |\n|---|---|---|---|---|\n";
  for (const RowResult& result : results) {
    const auto curve = mean_curve(result.cells);
    const auto published = published_curve(experiment.name, result.row.label);
    for (const CurvePoint& point : curve) {
      const auto known = std::find_if(published.begin(), published.end(),
                                      [&](const auto& p) { return p.layers == point.layers; });
      // All methods begin at the same place.
      if (point.layers == 0 && &result != &results.front()) continue;
      const bool shown = both || known != published.end() || point.layers == curve.back().layers ||
                         point.layers <= 1 || point.layers == 15;
      if (!shown) continue;
      if (both) {
        // The model of a=>b was trained from a to b.
        const std::size_t a = result.row.target == "1" ? 0 : 1;
        const std::string print =
            known == published.end()
                ? kNothing
                : fmt::format("{:.1f} / {:.1f}", known->trained, *known->other);
        out +=
            fmt::format("| {} | {} | {} | {:.1f} / {:.1f} | {:.1f} / {:.1f} |\n", result.row.label,
                        point.layers, print, point.paper_wd[a].value, point.paper_wd[1 - a].value,
                        point.exact[a].value, point.exact[1 - a].value);
      } else {
        out += fmt::format("| {} | {} | {} | {} | {} |\n", result.row.label, point.layers,
                           known == published.end() ? kNothing : number(known->trained),
                           with_deviation(point.mean_wd, true),
                           with_deviation(point.mean_exact, true));
      }
    }
  }
  return out;
}

/// Machines and dates of the cells, most often there is one of each.
std::string origin_text(const std::vector<RowResult>& results) {
  std::set<std::string> machines, dates;
  bool busy = false;
  for (const RowResult& result : results) {
    for (const Json& cell : result.cells) {
      const Json& machine = cell.at("machine");
      const auto cores = machine.at("cores").number();
      machines.insert(fmt::format("{}, {} cores", machine.at("processor").text(), cores));
      dates.insert(machine.at("date").text());
      // A fit of our own before this one accounts for a load of as many as there are cores.
      busy = busy || machine.at("load").number() > cores + 0.5;
    }
  }
  return fmt::format("{}, {}{}", fmt::join(dates, ", "), fmt::join(machines, "; "),
                     busy ? ", busy with other work: wall-clock seconds are upper limits" : "");
}

std::string rows_text(const std::vector<RowResult>& results) {
  std::string out, last;
  for (const RowResult& result : results) {
    if (result.set.name == last) continue;
    last = result.set.name;
    const Json& cell = result.cells.front();
    out +=
        fmt::format("{}{}: {} rows per group for the fit, {} for the test", out.empty() ? "" : "; ",
                    result.set.title, cell.at("train_rows").whole(), cell.at("test_rows").whole());
  }
  return out;
}

std::string explanation(const std::vector<RowResult>& results) {
  const bool images = results.front().set.images();
  const double divisor = divisor_error(results.front().set.name);
  std::string out =
      "`auto` is the default of conflux, all other rows have the paper's settings unless they say "
      "so. `paper_wd` is the paper's figure, which is no distance; rank by exact W2². Ratios are "
      "ours to published. ";
  if (images) {
    out +=
        "Both distances are means over blocks of 500 rows. Runs differ by the seed, those of nb, "
        "gb "
        "and dd, which draw nothing, by the split; split 0 has the generator and seed of the "
        "paper. "
        "Round trip: largest error of any pixel (range 0 to 1) of a test row that goes to the "
        "shared "
        "space and back / to another group and back. ";
  } else {
    out +=
        "Runs differ by the seed. Round trip: largest error of any coordinate of a test row that "
        "goes "
        "to the shared space and back / to another group and back. ";
  }
  if (divisor != 1) {
    out += fmt::format(
        "Printed distances are sums over all ordered pairs divided by too small a number; they are "
        "divided by {:.4g} here, and follow in brackets. ",
        divisor);
  }
  out += "Figures with * are from the authors' stored output, the paper has none. ";
  if (images) out += "Published seconds: CPU, SINF: a P100, AlignFlow: a GTX 1080 Ti. ";
  return out;
}

Json both(const Figure& figure) { return Json::array({figure.value, figure.deviation}); }

Json record_of(const Experiment& experiment, const std::vector<RowResult>& results,
               const std::string& command) {
  Json rows = Json::array();
  for (const RowResult& result : results) {
    Json row = {{"set", result.set.name}, {"row", result.row.label}};
    if (const Published* published = find_published(result.set.name, result.row.label)) {
      Json values = {{"stored_only", published->stored_only},
                     {"divisor_error", divisor_error(result.set.name)}};
      if (published->wd) values["paper_wd"] = both(*published->wd);
      if (published->tc) values["tc"] = both(*published->tc);
      if (published->seconds) values["seconds"] = *published->seconds;
      if (const PublishedFid* fid = find_published_fid(result.set.name, result.row.label)) {
        values["fid"] = fid->value;
        values["fid_is_valid"] = fid->valid;
      }
      row["published"] = values;
    }
    row["runs"] = Json::array();
    for (const Json& cell : result.cells) {
      Json run = cell;
      run.erase("samples");
      if (cell.at("run").whole() != 0) run.erase("options");
      run.erase("experiment");
      run.erase("set");
      run.erase("row");
      row["runs"].push_back(std::move(run));
    }
    rows.push_back(std::move(row));
  }
  return {{"experiment", experiment.name},
          {"title", experiment.title},
          {"command", command},
          {"rows", rows}};
}

}  // namespace

void write_report(const Experiment& experiment, const std::vector<RowResult>& results,
                  const std::string& command, const std::filesystem::path& folder) {
  const bool curve = experiment.kind == Experiment::Kind::kCurve;
  std::string page = fmt::format("# {}\n\n```sh\n{}\n```\n\n{}. {}.\n\n", experiment.title, command,
                                 origin_text(results), rows_text(results));
  page += curve ? curve_text(experiment, results) : table_text(results);
  if (!curve) page += "\n" + explanation(results) + "\n";
  if (!experiment.note.empty()) page += "\n" + experiment.note + "\n";
  if (!curve) page += networks_text(results) + features_text(results) + matrices_text(results);
  for (const Drawing& drawing : drawings_of(experiment, results)) {
    replace_file(folder / drawing.file, drawing.contents);
    page += fmt::format("\n![{}]({})\n\n*{}*\n", drawing.file, drawing.file, drawing.caption);
  }
  replace_file(folder / (experiment.name + ".md"), page);
  replace_file(folder / (experiment.name + ".json"),
               record_of(experiment, results, command).dump() + "\n");
}

}  // namespace conflux::app
