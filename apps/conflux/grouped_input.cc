#include "grouped_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <unordered_map>

#include "comm/agreement.h"
#include "conflux/columns/measured_scales.h"
#include "conflux/core/error.h"
#include "conflux/storage/checkpoint.h"
#include "dataset/data_warnings.h"
#include "dataset/name_patterns.h"
#include "label_column.h"
#include "mapped_groups.h"
#include "meta_columns.h"
#include "spooled_groups.h"

namespace conflux::app {

namespace {

constexpr const char* kDefaultGroup = "group";
// More lines than this about columns are left to conflux info.
constexpr std::size_t kMostColumnLines = 30;

std::vector<std::string> names_in(const std::string& path, const GroupedInputFlags& flags) {
  TableOptions options = read_options(flags.table, flags.group, flags.threads);
  // Only names matter here; types would cost a pass over the file.
  options.numeric.emplace();
  const auto reader = open_rows(path, options, flags.components.get());
  std::vector<std::string> out;
  for (const ColumnInfo& column : reader->schema()) out.push_back(column.name);
  return out;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void drop_incomplete(TaggedTable& tagged, const Columns& columns, const Console& console) {
  const std::vector<Index> kept = complete_rows(tagged.table, columns);
  const auto all = static_cast<Index>(tagged.groups.size());
  if (static_cast<Index>(kept.size()) == all) return;
  console.info(fmt::format("{} of {} rows have missing cells and are left out of the fit",
                           all - static_cast<Index>(kept.size()), all));
  keep_rows(tagged, kept);
  if (kept.empty()) {
    throw InvalidData(fmt::format("{}: every row has a missing cell; choose --missing auto.",
                                  tagged.table.source));
  }
}

ColumnOptions options_for(const GroupedInputFlags& flags, const TaggedTable& tagged) {
  ColumnOptions options = column_options(flags.choice);
  const std::vector<std::string> names = tagged.table.names();
  options.seed = flags.seed;
  options.features = expand_patterns(flags.features, names, tagged.table.source);
  options.drop = expand_patterns(flags.drop, names, tagged.table.source);
  for (const std::string& name : tagged.no_features) {
    if (!contains(options.drop, name)) options.drop.push_back(name);
  }
  return options;
}

// Groups in the order of their first rows, drawn or not.
NumberedGroups numbered(const TaggedTable& tagged) {
  return NumberedGroups(tagged.groups,
                        tagged.drawn ? tagged.drawn->groups : std::vector<std::string>());
}

// Which rows of the groups are fitted, if they were drawn.
std::optional<Pool> pool_of(const TaggedTable& tagged, const NumberedGroups& groups) {
  if (!tagged.drawn) return std::nullopt;
  Pool out;
  for (std::size_t m = 0; m < groups.names.size(); ++m) {
    const auto known =
        std::find(tagged.drawn->groups.begin(), tagged.drawn->groups.end(), groups.names[m]);
    out.sizes.push_back(
        tagged.drawn->sizes[static_cast<std::size_t>(known - tagged.drawn->groups.begin())]);
    auto& fitted = out.fitted.emplace_back();
    auto& next = out.next.emplace_back();
    for (std::size_t i = 0; i < groups.rows[m].size(); ++i) {
      const bool is_fitted = tagged.drawn->fitted[static_cast<std::size_t>(groups.rows[m][i])] != 0;
      (is_fitted ? fitted : next).push_back(static_cast<Index>(i));
    }
  }
  return out;
}

Columns columns_of(TaggedTable& tagged, const GroupedInputFlags& flags, const Console& console) {
  const ColumnOptions options = options_for(flags, tagged);
  const Workers workers(flags.threads);
  const auto find = [&] {
    const NumberedGroups groups = numbered(tagged);
    return conflux::find_columns(tagged.table, groups.of_row, groups.count(), options, workers);
  };
  Columns out = find();
  if (options.missing == MissingRule::kDrop) {
    const Columns of_all_rows = std::move(out);
    drop_incomplete(tagged, of_all_rows, console);
    out = find();
    take_missing_codes(out, of_all_rows);
  }
  if (options.repeats == Repeats::kKeep) {
    console.warn(
        "repeated values are kept: each group's become other numbers in the shared space, from "
        "which the group can be guessed");
  }
  return out;
}

// Rows of known features, missing ones as they are expected; `place` tells which group of the
// columns a name is.
std::vector<Matrix> known_coordinates(const Columns& columns, const Table& table,
                                      const NumberedGroups& groups, const Workers& workers,
                                      const std::function<Index(const std::string&)>& place) {
  const Matrix all = columns.coordinates(table, workers);
  std::vector<Matrix> out;
  for (std::size_t m = 0; m < groups.names.size(); ++m) {
    Matrix& part = out.emplace_back(all(groups.rows[m], Eigen::all));
    try {
      columns.fill_missing(Rows(part), place(groups.names[m]));
    } catch (const InvalidOption& error) {
      throw InvalidData(
          fmt::format("{}: {} A group that the model has not seen is added by conflux add-group.",
                      table.place(groups.rows[m].front()), error.what()));
    }
  }
  return out;
}

GroupedInput gathered(const GroupedInputFlags& flags, const TaggedTable& tagged,
                      const NumberedGroups& groups, std::vector<Matrix> rows,
                      std::vector<std::string> features) {
  GroupedInput out;
  out.group_column = flags.group;
  out.pool = pool_of(tagged, groups);
  for (std::size_t m = 0; m < groups.names.size(); ++m) {
    out.groups.add(groups.names[m], std::move(rows[m]));
  }
  out.groups.set_feature_names(std::move(features));
  if (flags.label.empty()) return out;
  const std::vector<std::string> all = labels_of(tagged.table, flags.label);
  std::vector<std::vector<std::string>> labels(groups.names.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    labels[static_cast<std::size_t>(groups.of_row[i])].push_back(all[i]);
  }
  set_labels(out.groups, labels);
  return out;
}

// Columns that stand for features may be called otherwise than the model calls them.
void give_names(Table& table, const std::vector<std::string>& features,
                const std::vector<std::string>& names) {
  std::vector<Index> places;
  for (const std::string& name : features) places.push_back(table.find(name));
  for (std::size_t j = 0; j < places.size(); ++j) table.columns[places[j]].name = names[j];
}

std::vector<std::string> categories_among(const std::vector<std::string>& features,
                                          const Columns& columns) {
  std::vector<std::string> out;
  for (std::size_t j = 0; j < features.size(); ++j) {
    if (columns.features[j].category()) out.push_back(features[j]);
  }
  return out;
}

GroupedInput with_columns(GroupedInput out, Columns columns, const NumberedGroups& groups,
                          const Console& console) {
  warn_about_data(columns, groups.names, shown_on(console));
  out.groups.set_feature_names(columns.feature_names());
  out.groups.set_measured(measured_scales(columns));
  out.columns = std::move(columns);
  return out;
}

GroupedInputFlags in_memory(GroupedInputFlags flags) {
  flags.stay_on_disk = {};
  return flags;
}

GroupedInput groups_of_table(const GroupedInputFlags& given, const Console& console,
                             const Model* model) {
  refuse_several_readers(given);
  GroupedInputFlags flags = given;
  const ColumnOptions options = column_options(flags.choice);
  for (const auto& [name, word] : options.as) {
    if (word == "category") flags.text.push_back(name);
  }
  if (model != nullptr) flags.text = categories_among(flags.features, model->columns);
  // Keys keep their spelling: 007 is not 7.
  const std::string& key = model != nullptr ? model->columns.key : options.key;
  if (!key.empty()) flags.text.push_back(key);
  const bool large = model == nullptr && may_be_spooled(flags);
  TaggedTable tagged = read_tagged(large ? flags_of_pool(flags) : flags, console);
  if (model != nullptr) give_names(tagged.table, flags.features, model->columns.feature_names());
  Columns columns = model != nullptr ? model->columns : columns_of(tagged, flags, console);
  const NumberedGroups groups = numbered(tagged);
  const Workers workers(flags.threads);
  if (large) {
    GroupedInput out;
    const auto rows = [&](const Table& block) { return columns.coordinates(block, workers); };
    const auto dim = static_cast<Index>(columns.features.size());
    if (spool_groups(flags, tagged, groups, RowSource::kTables, dim, rows, console, out)) {
      return with_columns(std::move(out), std::move(columns), groups, console);
    }
    if (tagged.drawn) return groups_of_table(in_memory(given), console, model);
  }
  // A model knows its groups by their names; what is fitted now has them in this order.
  const auto place = [&](const std::string& name) -> Index {
    if (model != nullptr) return model->flow.group_index(name);
    return std::find(groups.names.begin(), groups.names.end(), name) - groups.names.begin();
  };
  const auto as_read = [&] {
    return known_coordinates(columns, tagged.table, groups, workers, place);
  };
  std::string digest;
  if (model == nullptr && !columns.gaps.empty()) {
    digest =
        data_digest(gathered(flags, tagged, groups, as_read(), columns.feature_names()).groups);
  }
  std::vector<Matrix> rows =
      model != nullptr
          ? as_read()
          : coordinates_by_group(columns, tagged.table, groups.of_row, groups.count(), workers);
  GroupedInput out = gathered(flags, tagged, groups, std::move(rows), columns.feature_names());
  out.digest_when_read = std::move(digest);
  out.things = find_things(tagged.table, columns, groups.rows);
  return with_columns(std::move(out), std::move(columns), groups, console);
}

// Features of arrays are coordinates: no column of theirs means anything but itself.
GroupedInput groups_of_arrays(const GroupedInputFlags& flags, const Console& console) {
  GroupedInput mapped;
  if (map_groups(flags, mapped)) return mapped;
  refuse_several_readers(flags);
  const bool large = may_be_spooled(flags);
  TaggedTable tagged = read_tagged(large ? flags_of_pool(flags) : flags, console);
  if (tagged.table.extras) {
    for (const auto& [name, why] : tagged.table.extras->carried) {
      if (!contains(flags.features, name)) tagged.no_features.push_back(name);
    }
  }
  const ColumnOptions options = options_for(flags, tagged);
  const std::vector<std::string> features = feature_names(
      tagged.table.schema(), {.group = "", .features = options.features, .drop = options.drop},
      tagged.table.source);
  const NumberedGroups groups = numbered(tagged);
  if (large) {
    GroupedInput out;
    const auto rows = [&](const Table& block) { return features_of(block, features); };
    const auto dim = static_cast<Index>(features.size());
    if (spool_groups(flags, tagged, groups, RowSource::kArrays, dim, rows, console, out)) {
      out.groups.set_feature_names(features);
      return out;
    }
    if (tagged.drawn) return groups_of_arrays(in_memory(flags), console);
  }
  const Matrix all = features_of(tagged.table, features);
  std::vector<Matrix> rows;
  for (const std::vector<Index>& own : groups.rows) rows.emplace_back(all(own, Eigen::all));
  return gathered(flags, tagged, groups, std::move(rows), features);
}

bool are_arrays(const GroupedInputFlags& flags) {
  return std::all_of(flags.paths.begin(), flags.paths.end(), [&](const std::string& path) {
    const std::string format = table_format(path, {.format = flags.table.format});
    return format == "npy" || format == "npz" || format == "mat" || format == "idx" ||
           format == "pictures";
  });
}

// A single table tells its groups by a column.
std::string group_column_of(const GroupedInputFlags& flags) {
  const std::string& path = flags.paths.front();
  // Standard input can be read once, so its column must be the usual one.
  if (path == "-") return kDefaultGroup;
  std::vector<std::string> names = names_in(path, flags);
  if (!flags.meta.empty()) {
    const TableSchema more = MetaReader(flags.meta, {}, 1).schema();
    // A list beside the rows is there to tell something, and groups come first.
    if (more.size() == 1 && more.front().name != flags.label) return more.front().name;
    for (const ColumnInfo& column : more) names.push_back(column.name);
  }
  if (contains(names, kDefaultGroup)) return kDefaultGroup;
  throw InvalidOption(fmt::format(
      "{}: which column tells the groups? Name it with --group, or give one file per group, "
      "or a table that tells it (--meta). The columns are {}.",
      path, names_text(names)));
}

}  // namespace

NumberedGroups::NumberedGroups(const std::vector<std::string>& groups,
                               const std::vector<std::string>& order) {
  std::unordered_map<std::string, Index> known;
  const std::set<std::string> there(groups.begin(), groups.end());
  for (const std::string& name : order) {
    if (!there.contains(name)) continue;
    known.emplace(name, count());
    names.push_back(name);
    rows.emplace_back();
  }
  for (const std::string& name : groups) {
    const auto [found, is_new] = known.try_emplace(name, count());
    if (is_new) {
      names.push_back(name);
      rows.emplace_back();
    }
    rows[static_cast<std::size_t>(found->second)].push_back(static_cast<Index>(of_row.size()));
    of_row.push_back(found->second);
  }
}

GroupedInput read_groups(const GroupedInputFlags& given, const Console& console,
                         const Model* model) {
  GroupedInputFlags flags = given;
  flags.components = model == nullptr ? find_components(flags.pca, flags, flags.seed, console)
                                      : components_of(*model);
  // Other numbers beside components, say of a joined table, are no features unless they are named.
  if (flags.components && flags.features.empty()) flags.features = flags.components->names();
  if (flags.group.empty() && flags.paths.size() == 1) {
    do_together(readers(flags), [&] { flags.group = group_column_of(flags); });
  }
  if (model == nullptr) refuse_group_as_label(flags);
  const bool plain =
      model != nullptr ? model->columns.empty() : flags.choice.empty() && are_arrays(flags);
  GroupedInput out =
      plain ? groups_of_arrays(flags, console) : groups_of_table(flags, console, model);
  if (flags.components) out.components = *flags.components;
  return out;
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

}  // namespace conflux::app
