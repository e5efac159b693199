// How good and how fast a fit is on the sets of the study, one row per fit.
//
//   auto_study [images=DIR] [tables=DIR] [planes=DIR] [sets=mnist01,climate] [split=2021]
//              [pairs=all|ring] [save=DIR] [OPTION=VALUE[/VALUE...]]...
//
// An option with several values is swept; options not named are automatic. Distances are those of
// test rows, translated from group m to m' and compared with rows of m', mean over pairs (a ring of
// M pairs, or all M^2 - M): paper_wd and exact W2^2 in blocks of 500 rows, the energy distance, and
// for cells the median LISI of all groups in the shared space. With `save`, translated and real
// images of each pair go to npy files, for networks that judge them.

#include <sys/resource.h>

#include <charconv>
#include <cmath>

#include "metrics/paper_wd.h"
#include "options/option_table.h"
#include "studies/study_sets.h"

namespace {

using namespace conflux;
using namespace conflux::study;

// ------------------------------------------------------------------ options by name

template <class T>
void read_value(const std::string& text, T& out) {
  if constexpr (std::is_enum_v<T>) {
    for (const auto& [value, name] : EnumNames<T>::kNames) {
      if (text == name) out = value;
    }
  } else if constexpr (std::is_same_v<T, bool>) {
    out = text == "true" || text == "1";
  } else if constexpr (std::is_same_v<T, std::string>) {
    out = text;
  } else if constexpr (std::is_same_v<T, GroupWeights>) {
    out = parse_group_weights(text);
  } else if constexpr (std::is_same_v<T, RowLimit>) {
    out = RowLimit();
    if (text != "all") read_value(text, out.rows);
  } else {
    std::from_chars(text.data(), text.data() + text.size(), out);
  }
}
template <class T>
void read_value(const std::string& text, std::optional<T>& out) {
  if (text != "auto") read_value(text, out.emplace());
}

bool set_option(FitOptions& options, const std::string& name, const std::string& text) {
  bool found = false;
  visit_options(options, [&](const OptionInfo& info, auto& value) {
    if (info.name != name) return;
    read_value(text, value);
    found = true;
  });
  return found;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

struct Sweep {
  std::string name;
  std::vector<std::string> values;
};

// ------------------------------------------------------------------ figures of one fit

struct Figures {
  double paper_wd = 0;
  double exact = 0;
  double energy = 0;
  double cost = 0;
  double lisi = 0;
};

double median_lisi(const std::vector<Matrix>& latent, const Workers& workers) {
  Index rows = 0;
  for (const Matrix& each : latent) rows += each.rows();
  Matrix pooled(rows, latent.front().cols());
  std::vector<Index> kinds;
  for (std::size_t m = 0; m < latent.size(); ++m) {
    pooled.middleRows(static_cast<Index>(kinds.size()), latent[m].rows()) = latent[m];
    kinds.insert(kinds.end(), static_cast<std::size_t>(latent[m].rows()), static_cast<Index>(m));
  }
  std::vector<double> each = lisi(pooled, kinds, {}, workers);
  std::sort(each.begin(), each.end());
  return each[each.size() / 2];
}

void save_rows(const std::filesystem::path& path, const Matrix& rows) {
  Table table;
  for (Index j = 0; j < rows.cols(); ++j) {
    const Vector column = rows.col(j);
    table.add(fmt::format("p{}", j), std::vector<double>(column.begin(), column.end()));
  }
  write_table(path, table, {.single_precision = true});
}

Figures measure(const Flow& flow, const StudySet& set, const std::string& name, bool ring,
                const std::string& save) {
  const Workers workers;
  const Index groups = set.test.num_groups();
  Figures out;
  std::vector<Matrix> latent;
  for (Index m = 0; m < groups; ++m) {
    latent.push_back(flow.forward(m, set.test[m].rows, workers));
    out.cost += transport_cost(set.test[m].rows.doubles(), latent[m], workers) /
                static_cast<double>(groups);
  }
  const bool planar = set.test.dim() == 2;
  const std::optional<Index> block = planar ? std::nullopt : std::optional<Index>(500);
  double pairs = 0;
  for (Index from = 0; from < groups; ++from) {
    for (Index to = 0; to < groups; ++to) {
      if (from == to || (ring && groups > 2 && to != (from + 1) % groups)) continue;
      const Matrix moved = flow.inverse(to, latent[from], workers);
      const ConstRows real = set.test[to].rows.doubles();
      out.paper_wd += paper_wd(real, moved, {.block = block}, workers).value;
      out.exact += exact_w2_squared(real, moved, {.block = block}, workers);
      // Images are judged by the other figures; all their pairs would take longer than the fit.
      if (set.test.dim() < 100) out.energy += energy_distance(real, moved, workers);
      ++pairs;
      if (!save.empty()) {
        const std::filesystem::path folder = save;
        save_rows(folder / fmt::format("{}_{}_as_{}.npy", name, from, to), moved);
        save_rows(folder / fmt::format("{}_{}.npy", name, to), real.eigen());
      }
    }
  }
  out.paper_wd /= pairs;
  out.exact /= pairs;
  out.energy /= pairs;
  if (name == "pbmc") out.lisi = median_lisi(latent, workers);
  return out;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

struct Arguments {
  Sources sources;
  std::vector<std::string> sets = set_names();
  std::vector<Sweep> sweeps;
  bool ring = false;
  std::string save;
};

/// Reads one `name=value`; false if the name is unknown.
bool take(Arguments& arguments, const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
  FitOptions probe;
  if (name == "images") {
    arguments.sources.images = value;
  } else if (name == "tables") {
    arguments.sources.tables = value;
  } else if (name == "planes") {
    arguments.sources.planes = value;
  } else if (name == "sets") {
    arguments.sets = split(value, ',');
  } else if (name == "split") {
    std::from_chars(value.data(), value.data() + value.size(), arguments.sources.split);
  } else if (name == "pairs") {
    arguments.ring = value == "ring";
  } else if (name == "save") {
    arguments.save = value;
  } else if (set_option(probe, name, split(value, '/').front())) {
    arguments.sweeps.push_back({name, split(value, '/')});
  } else {
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  for (int a = 1; a < argc; ++a) {
    if (!take(arguments, argv[a])) {
      fmt::print(stderr, "auto_study: unknown argument {}\n", argv[a]);
      return 2;
    }
  }
  const auto& [sources, sets, sweeps, ring, save] = arguments;
  std::string heading = "| set |";
  for (const Sweep& sweep : sweeps) heading += fmt::format(" {} |", sweep.name);
  fmt::print("{} layers | paper_wd | exact W2² | energy | TC | LISI | fit s | CPU s | held out |\n",
             heading);
  for (std::size_t i = 0; i < sweeps.size() + 10; ++i) fmt::print("|---");
  fmt::print("|\n");
  for (const std::string& name : sets) {
    const StudySet set = read_set(name, sources);
    std::vector<std::size_t> at(sweeps.size(), 0);
    for (bool more = true; more;) {
      FitOptions options;
      std::string row = fmt::format("| {} |", name);
      for (std::size_t s = 0; s < sweeps.size(); ++s) {
        set_option(options, sweeps[s].name, sweeps[s].values[at[s]]);
        row += fmt::format(" {} |", sweeps[s].values[at[s]]);
      }
      const double before = cpu_seconds();
      const Fit fit = fit_flow(set.train, options);
      const double used = cpu_seconds() - before;
      const Figures figures = measure(fit.flow, set, name, ring, save);
      const auto& layers = fit.record.layers;
      fmt::print(
          "{} {} | {:.4f} | {:.4f} | {:.5f} | {:.4f} | {:.3f} | {:.2f} | {:.2f} | {:.5f} |\n", row,
          layers.size(), figures.paper_wd, figures.exact, figures.energy, figures.cost,
          figures.lisi, fit.record.seconds, used,
          layers.empty() ? 0.0 : layers.back().held_out.value_or(0));
      std::fflush(stdout);
      more = false;
      for (std::size_t s = sweeps.size(); s-- > 0 && !more;) {
        at[s] = (at[s] + 1) % sweeps[s].values.size();
        more = at[s] != 0;
      }
    }
  }
}
