#include "component_input.h"

#include <fmt/format.h>

#include "conflux/core/error.h"
#include "core/stopwatch.h"
#include "table_flags.h"
#include "tables/sparse_rows.h"
#include "tagged_table.h"

namespace conflux::app {

namespace {

constexpr Index kUsualCount = 50;
// More columns than this are rather aligned through their principal components.
constexpr std::size_t kWide = 200;

bool is_wide(const TaggedTableFlags& tables) {
  // Who names what the features are gets them.
  if (!tables.table.array.empty() || tables.paths.front() == "-") return false;
  const auto reader =
      open_sparse(tables.paths.front(), read_options(tables.table, "", tables.threads));
  return reader && reader->measured() && reader->features().size() > kWide;
}

}  // namespace

std::vector<Flag> component_flags(ComponentFlags& flags) {
  return {{.names = "--pca",
           .value = "K",
           .help = "mtx, h5ad: align K components; 0: genes [50 of over 200 genes]",
           .target = &flags.count,
           .least = 0},
          {.names = "--normalize",
           .value = "WORD",
           .help = "mtx, h5ad: log1p-cp10k takes log(1 + counts per 10,000 of the cell) before the "
                   "components [none]",
           .target = &flags.normalize,
           .choices = {"none", std::string(name_of(Normalization::kLog1pCp10k))},
           .shown = Shown::kToExperts}};
}

std::shared_ptr<const Components> find_components(const ComponentFlags& flags,
                                                  const TaggedTableFlags& tables,
                                                  std::uint64_t seed, const Console& console) {
  ComponentOptions options{
      .count = flags.count, .normalization = normalization_called(flags.normalize), .seed = seed};
  const bool normalized = options.normalization != Normalization::kNone;
  if (flags.count == 0 && normalized) {
    throw InvalidOption(
        "--normalize is a step before components, and --pca 0 takes none; leave out one of them.");
  }
  if (flags.count == 0 || (flags.count < 0 && !normalized && !is_wide(tables))) return nullptr;
  options.or_fewer = flags.count < 0;
  if (flags.count < 0) options.count = kUsualCount;
  TableOptions table = read_options(tables.table, "", tables.threads);
  if (table.use_rep.empty()) table.use_rep = "X";
  console.progress("principal components");
  const Stopwatch watch;
  auto out = std::make_shared<Components>(fit_components(tables.paths, options, table));
  console.info(fmt::format("the features are {}{}", out->describe(),
                           flags.count < 0 ? "; --pca 0 takes genes themselves" : ""));
  console.detail(fmt::format("components in {:.2f} s", watch.seconds()));
  if (out->of_counts && !normalized) {
    console.warn(
        "all numbers are whole, like counts, whose components show above all how deeply cells were "
        "sequenced; add --normalize log1p-cp10k");
  }
  return out;
}

std::shared_ptr<const Components> components_of(const Model& model) {
  if (model.components.empty()) return nullptr;
  return {std::shared_ptr<const void>(), &model.components};
}

std::unique_ptr<TableReader> open_rows(const std::string& path, const TableOptions& options,
                                       const Components* components) {
  if (components != nullptr && !components->empty()) {
    if (auto projected = open_projected(path, options, *components)) return projected;
  }
  return open_table(path, options);
}

}  // namespace conflux::app
