#include "dataset/table_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "core/stopwatch.h"
#include "dataset/messages.h"
#include "tables/sparse_rows.h"

namespace conflux {

namespace {

constexpr Index kUsualCount = 50;
// More columns than this are rather aligned through their principal components.
constexpr std::size_t kWide = 200;

bool is_wide(const DatasetOptions& options) {
  // A named array is read as it is.
  if (!options.table.array.empty() || options.paths.front() == "-") return false;
  const auto reader = open_sparse(options.paths.front(), reading_options(options, ""));
  return reader && reader->measured() && reader->features().size() > kWide;
}

}  // namespace

TableOptions reading_options(const DatasetOptions& options, const std::string& group) {
  TableOptions out = options.table;
  out.numeric.reset();
  out.text.clear();
  out.group = group;
  out.threads = options.threads;
  return out;
}

std::shared_ptr<const Components> find_components(const DatasetOptions& options,
                                                  const MessageCallback& on_message) {
  const Index count = options.components;
  const bool normalized = options.normalization != Normalization::kNone;
  if (count == 0 && normalized) {
    throw InvalidOption(
        "--normalize is a step before components, and --pca 0 takes none; leave out one of them.");
  }
  if (count == 0 || (count < 0 && !normalized && !is_wide(options))) return nullptr;
  TableOptions table = reading_options(options, "");
  if (table.use_rep.empty()) table.use_rep = "X";
  show_progress(on_message, "principal components");
  const Stopwatch watch;
  auto out = std::make_shared<Components>(fit_components(options.paths,
                                                         {.count = count < 0 ? kUsualCount : count,
                                                          .or_fewer = count < 0,
                                                          .normalization = options.normalization,
                                                          .seed = options.seed},
                                                         table));
  inform(on_message, fmt::format("the features are {}{}", out->describe(),
                                 count < 0 ? "; --pca 0 takes genes themselves" : ""));
  detail(on_message, fmt::format("components in {:.2f} s", watch.seconds()));
  if (out->of_counts && !normalized) {
    warn(on_message,
         "all numbers are whole, like counts, whose first components are mostly sequencing depth; "
         "add --normalize log1p-cp10k");
  }
  return out;
}

std::unique_ptr<TableReader> open_rows(const std::string& path, const TableOptions& options,
                                       const Components* components) {
  if (components != nullptr && !components->empty()) {
    if (auto projected = open_projected(path, options, *components)) return projected;
  }
  return open_table(path, options);
}

TableSchema schema_of(const std::string& path, const TableFiles& files) {
  TableOptions options = reading_options(files.options, files.options.group);
  options.numeric.emplace();
  return open_rows(path, options, files.components.get())->schema();
}

bool has_column(const TableSchema& schema, const std::string& name) {
  return std::any_of(schema.begin(), schema.end(),
                     [&](const ColumnInfo& column) { return column.name == name; });
}

void keep_columns_of(const TableSchema& schema, std::vector<std::string>& names) {
  std::erase_if(names, [&](const std::string& name) { return !has_column(schema, name); });
}

}  // namespace conflux
