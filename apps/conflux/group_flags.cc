#include <fmt/format.h>

#include "grouped_input.h"
#include "processes.h"

namespace conflux::app {

namespace {

// More lines than this about columns are left to conflux info.
constexpr std::size_t kMostColumnLines = 30;

}  // namespace

DatasetOptions dataset_options(const GroupedInputFlags& flags) {
  DatasetOptions out{.paths = flags.paths,
                     .table = read_options(flags.table, "", flags.threads),
                     .group = flags.group,
                     .label = flags.label,
                     .row_weights = flags.row_weights,
                     .where = flags.where,
                     .meta = flags.meta,
                     .meta_key = flags.meta_key,
                     .rename = flags.rename,
                     .columns = column_options(flags.choice),
                     .arrays_are_coordinates = flags.choice.empty(),
                     .components = flags.pca.count,
                     .normalization = normalization_called(flags.pca.normalize),
                     .fit_rows = flags.fit_rows,
                     .seed = flags.seed,
                     .threads = flags.threads,
                     .max_memory = flags.max_memory,
                     .fit_on_disk = flags.fit_on_disk,
                     .fit_in_place = flags.fit_in_place,
                     .read_only = flags.read_only};
  out.columns.features = flags.features;
  out.columns.drop = flags.drop;
  out.columns.keep = flags.keep;
  return out;
}

DatasetHooks dataset_hooks(const Console& console) {
  return {.on_message = shown_on(console), .processes = &processes()};
}

std::vector<Flag> component_flags(ComponentFlags& flags) {
  return {{.names = "--pca",
           .value = "K",
           .help = "mtx, h5ad: align K principal components; 0: the genes [50 if over 200 genes]",
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

void show_columns(const Columns& columns, const Console& console) {
  if (columns.empty()) return;
  const std::vector<std::string> lines = columns.describe_briefly();
  const std::size_t shown = lines.size() <= kMostColumnLines ? lines.size() : kMostColumnLines - 1;
  for (std::size_t j = 0; j < shown; ++j) console.info("  " + lines[j]);
  if (shown < lines.size()) {
    console.info(fmt::format("  and {} more; conflux info shows all", lines.size() - shown));
  }
  console.info("  " + columns.scale_reason);
}

std::vector<std::string> files_read(const GroupedInputFlags& flags) {
  std::vector<std::string> out = flags.paths;
  out.insert(out.end(), {flags.meta, flags.choice.file});
  return out;
}

Flag tables_flag(GroupedInputFlags& flags) {
  return {.names = "INPUT",
          .help = "tables of all groups (with --group), or one table per group",
          .target = &flags.paths,
          .required = true};
}

Flag label_flag(GroupedInputFlags& flags, const std::string& help) {
  return {.names = "--label", .value = "COLUMN", .help = help, .target = &flags.label};
}

Flag drop_flag(GroupedInputFlags& flags) {
  return {.names = "--drop",
          .value = "LIST",
          .help = "columns to copy unchanged, say id,PC*,X5:X9",
          .target = &flags.drop};
}

Flag keep_flag(GroupedInputFlags& flags) {
  return {.names = "--keep",
          .value = "LIST",
          .help = "covariates, whose effects stay: age,sex,month:cyclic,dose:category",
          .target = &flags.keep};
}

Flag row_weights_flag(GroupedInputFlags& flags) {
  return {.names = "--row-weights",
          .value = "COLUMN",
          .help =
              "column with the weight of each row in the fit, such as a survey weight; check and "
              "scores count every row once [all rows alike]",
          .target = &flags.row_weights,
          .shown = Shown::kToExperts};
}

Flag where_flag(GroupedInputFlags& flags) {
  return {.names = "--where",
          .value = "CONDITION",
          .help = "use only these rows, say type=control or year<1981",
          .target = &flags.where};
}

std::vector<Flag> meta_flags(std::string& meta, std::string& meta_key) {
  return {{.names = "--meta",
           .value = "FILE",
           .help = "table with more columns for the same rows, such as groups and labels; a .npy "
                   "file is one "
                   "column, named after the file",
           .target = &meta,
           .shown = Shown::kToExperts},
          {.names = "--meta-key",
           .value = "COLUMN",
           .help = "column to join --meta by; barcode=cell_id if the names differ [by row order]",
           .target = &meta_key,
           .shown = Shown::kToExperts}};
}

std::vector<Flag> join_flags(GroupedInputFlags& flags) {
  std::vector<Flag> out = meta_flags(flags.meta, flags.meta_key);
  out.push_back(
      {.names = "--rename",
       .value = "LIST",
       .help = "new names of groups, say gcm_c=gcm,rcm_c=rcm; groups with the same new name are "
               "joined",
       .target = &flags.rename,
       .shown = Shown::kToExperts});
  return out;
}

}  // namespace conflux::app
