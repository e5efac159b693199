#include "dataset/array_group_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "conflux/core/error.h"
#include "dataset/group_names.h"
#include "dataset/joined_table.h"
#include "dataset/labels.h"
#include "dataset/name_patterns.h"
#include "dataset/table_files.h"

namespace conflux {

namespace {

std::vector<std::string> columns_of(const DatasetOptions& options) {
  std::vector<std::string> out = listed_names(options.group);
  for (const std::string& label : label_columns(options.label)) out.push_back(label);
  return out;
}

// Positions of names in the order in which they come up.
class Codes {
 public:
  std::size_t of(const std::string& name) {
    return known_.try_emplace(name, known_.size()).first->second;
  }

 private:
  std::unordered_map<std::string, std::size_t> known_;
};

class Lister {
 public:
  Lister(const DatasetOptions& options, std::shared_ptr<const ArrayFiles> files)
      : options_(options), files_(std::move(files)) {}

  void add(const Table& block) {
    const std::vector<std::string> names = groups_from_columns(block, options_.group);
    const std::vector<std::string> labels =
        options_.label.empty() ? std::vector<std::string>() : labels_of_rows(block, options_.label);
    for (std::size_t i = 0; i < names.size() && row_ < files_->rows(); ++i, ++row_) {
      const std::size_t m = group_of(names[i]);
      out_.groups[m].add(row_, row_ + 1);
      if (!labels.empty()) out_.labels[m].push_back(label_of(labels[i]));
    }
  }

  ArrayGroupList finish() { return std::move(out_); }

 private:
  std::size_t group_of(const std::string& name) {
    const std::size_t told = told_.of(name);
    if (told < place_of_.size()) return place_of_[told];
    // Two names may become one.
    const std::string own = renamed(name, options_.rename);
    const std::size_t m = groups_.of(own);
    place_of_.push_back(m);
    if (m == out_.groups.size()) {
      out_.groups.emplace_back(own, files_);
      if (!options_.label.empty()) out_.labels.emplace_back();
    }
    return m;
  }

  Index label_of(const std::string& label) {
    if (label.empty()) return -1;
    const std::size_t code = labels_.of(label);
    if (code == out_.label_names.size()) out_.label_names.push_back(label);
    return static_cast<Index>(code);
  }

  const DatasetOptions& options_;
  std::shared_ptr<const ArrayFiles> files_;
  Codes told_, groups_, labels_;
  std::vector<std::size_t> place_of_;
  ArrayGroupList out_;
  Index row_ = 0;
};

}  // namespace

bool tells_groups(const DatasetOptions& options, Index columns_of_arrays) {
  const std::vector<std::string> wanted = columns_of(options);
  for (Index j = 0; j < columns_of_arrays; ++j) {
    if (std::find(wanted.begin(), wanted.end(), fmt::format("c{}", j)) != wanted.end())
      return false;
  }
  return true;
}

ArrayGroupList list_array_groups(const DatasetOptions& options,
                                 const std::shared_ptr<const ArrayFiles>& files) {
  JoinedTableReader reader(options.meta, {.text = columns_of(options)}, options.threads);
  Lister lister(options, files);
  Index rows = 0;
  for (Table block; reader.read(block, kRowsOfABlock);) {
    lister.add(block);
    rows += block.num_rows();
  }
  if (rows != files->rows()) {
    const std::string whose = files->count() == 1
                                  ? files->path(0) + " has"
                                  : fmt::format("the {} arrays have", files->count());
    throw InvalidData(
        fmt::format("{} has {} rows and {} {}; give both the same rows, in the same "
                    "order.",
                    options.meta, rows, whose, files->rows()));
  }
  ArrayGroupList out = lister.finish();
  refuse_single_rows(out.groups.size(), static_cast<std::size_t>(rows), options.meta,
                     options.group);
  return out;
}

}  // namespace conflux
