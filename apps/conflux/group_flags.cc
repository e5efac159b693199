// What all verbs that read groups can be told.

#include "grouped_input.h"

namespace conflux::app {

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
          .help = "columns that are no features; also PC*, or PC5:PC9",
          .target = &flags.drop};
}

Flag where_flag(GroupedInputFlags& flags) {
  return {.names = "--where",
          .value = "CONDITION",
          .help = "only these rows, say type=control or year<1981",
          .target = &flags.where};
}

std::vector<Flag> meta_flags(std::string& meta, std::string& meta_key) {
  return {
      {.names = "--meta",
       .value = "FILE",
       .help = "table with more columns of the same rows, say groups and labels; a list in a .npy "
               "file is a column called like it",
       .target = &meta,
       .shown = Shown::kToExperts},
      {.names = "--meta-key",
       .value = "COLUMN",
       .help = "column that tells which rows belong together; barcode=cell_id if it is called "
               "otherwise there [their order]",
       .target = &meta_key,
       .shown = Shown::kToExperts}};
}

std::vector<Flag> join_flags(TaggedTableFlags& flags) {
  std::vector<Flag> out = meta_flags(flags.meta, flags.meta_key);
  out.push_back({.names = "--rename",
                 .value = "LIST",
                 .help = "other names for groups, say gcm_c=gcm,rcm_c=rcm; files that are called "
                         "alike then are one group",
                 .target = &flags.rename,
                 .shown = Shown::kToExperts});
  return out;
}

}  // namespace conflux::app
