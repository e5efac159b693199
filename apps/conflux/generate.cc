// conflux generate: small synthetic data sets.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "conflux/tables/table_groups.h"
#include "conflux/toys/toy.h"
#include "file_checks.h"
#include "table_flags.h"
#include "verbs.h"

namespace conflux::app {

namespace {

struct GenerateFlags {
  std::string name;
  OutputFlags output;
  Index samples = 1000;
  std::uint64_t seed = 0;
};

Table table_of(const GroupSet& groups) {
  Table table;
  for (Index j = 0; j < groups.dim(); ++j) {
    std::vector<double> numbers;
    for (Index m = 0; m < groups.num_groups(); ++m) {
      for (Index i = 0; i < groups[m].rows.rows(); ++i) numbers.push_back(groups[m].rows(i, j));
    }
    table.add(groups.feature_names()[j], std::move(numbers));
  }
  std::vector<std::string> names;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    names.insert(names.end(), static_cast<std::size_t>(groups[m].rows.rows()), groups[m].name);
  }
  table.add("group", std::move(names));
  return table;
}

void run_generate(const GenerateFlags& flags, const Console& console) {
  check_standard_output(flags.output, console.json);
  ResultFiles({}, flags.output.force).add(flags.output.path, FileKind::kTable);
  const GroupSet groups = make_toy(flags.name, flags.samples, flags.seed);
  Table table = table_of(groups);
  if (kept_columns(flags.output) == Keeps::kFeatures) {
    table.columns.pop_back();
    console.warn("this format holds no group column; choose .csv or .npz to keep it");
  }
  write_table(flags.output.path, table, write_options({}, flags.output, "group", 0));
  console.info(fmt::format("{}: {} rows of {} groups", flags.output.path, table.num_rows(),
                           groups.num_groups()));
  if (console.json) {
    print_json(
        {{"output", flags.output.path}, {"rows", table.num_rows()}, {"groups", groups.names()}});
  }
}

}  // namespace

Verb generate_verb() {
  const auto flags = std::make_shared<GenerateFlags>();
  Verb verb{.name = "generate",
            .description = "write a small synthetic data set",
            .example = "conflux generate moons -o moons.csv",
            .run = [flags](const Console& console) { run_generate(*flags, console); }};
  verb.add({.names = "NAME",
            .help = fmt::format("one of {}", fmt::join(toy_names(), ", ")),
            .target = &flags->name,
            .required = true});
  verb.add(output_flags(flags->output));
  verb.add({{.names = "--samples",
             .value = "N",
             .help = "rows of each group [1000]",
             .target = &flags->samples},
            {.names = "--seed", .value = "N", .help = "random seed [0]", .target = &flags->seed}});
  return verb;
}

}  // namespace conflux::app
