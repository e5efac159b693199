// The columns of a table that a model needs, and tables read for a model.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "conflux/components/components.h"
#include "conflux/core/error.h"
#include "conflux/model/model.h"
#include "conflux/tables/table.h"
#include "dataset/joined_table.h"

namespace conflux {

/// Columns that a caller chooses; empty: those of the model.
struct ModelColumnChoice {
  /// Column that tells the groups, or several with commas.
  std::string group = {};
  std::vector<std::string> features = {};
  /// All rows are of this group; no column is needed.
  std::string from = {};
  /// OLD=NEW: names of groups in files, and in the model.
  std::vector<std::string> rename = {};
  /// A table with more columns of the same rows; see joined_table.h.
  std::string meta = {};
  std::string meta_key = {};
};

struct ModelColumns {
  std::vector<std::string> features;
  /// Column that tells the group, or several with commas; empty when all rows are of group `from`.
  std::string group;
  /// The group of all rows if no column tells it.
  std::string from = {};
};

/// Components of a model, or nothing. The model must outlive them.
std::shared_ptr<const Components> components_of(const Model& model);

/// Columns of text files that can be features of the model.
std::vector<std::string> feature_columns(const Model& model, const ModelColumnChoice& choice);

/// Finds features by name, or by place in files that have no names. `needs_group` asks for a column
/// of groups, or a file that is called like a group. Throws InvalidOption with the nearest name and
/// what to do.
ModelColumns find_model_columns(const TableSchema& schema, const std::string& path,
                                const Model& model, const ModelColumnChoice& choice,
                                bool needs_group);

struct ReadingFor {
  /// Whether the table holds rows of the shared space, where all features are numbers.
  bool shared = false;
  bool needs_group = true;
  /// Rows of files that come before this one, if a joined table has theirs, too, in their order.
  Index rows_before = 0;
};

/// How a table with features of the model is opened: which columns are numbers.
TableOptions options_for_model(const Model& model, TableOptions table,
                               const ModelColumnChoice& choice);

/// A table in blocks, with the groups of its rows.
class ModelReader {
 public:
  ModelReader(std::string path, const Model& model, const TableOptions& table,
              const ModelColumnChoice& choice, const ReadingFor& purpose);

  const TableSchema& schema() const { return schema_; }
  const ModelColumns& columns() const { return columns_; }
  /// How the file was understood; see TableReader::notes().
  std::vector<std::string> notes() const { return reader_->notes(); }
  bool read(Table& block, Index max_rows) const;
  /// Positions among the groups of the model; -1 if unknown or not needed.
  std::vector<Index> groups_of(const Table& block) const;
  /// Genes of the last block and their components; nothing when the features were measured.
  const ProjectedReader* projected() const { return projected_; }
  /// Takes the columns of the joined table off again, for formats that are copies of the input.
  void drop_joined(Table& block) const;
  /// After the last file: throws InvalidData when rows of a joined table are left over.
  void check_end() const;
  /// Warns once about categories that the fit has not seen, which are left as they are, and about
  /// unknown cells of covariates, which are replaced by the mean of the group.
  void warn_about_new_categories(const MessageCallback& on_message) const;

 private:
  void count_new_categories(const Table& block) const;

  std::string path_;
  const Model& model_;
  const ModelColumnChoice& choice_;
  ReadingFor purpose_;
  void join_columns();

  std::unique_ptr<TableReader> reader_;
  const ProjectedReader* projected_ = nullptr;
  std::unique_ptr<JoinedTable> meta_;
  TableSchema schema_;
  ModelColumns columns_;
  mutable Index rows_ = 0;
  mutable std::map<std::string, Index> new_categories_;
  mutable std::map<std::string, Index> unknown_covariates_;
  mutable std::map<std::string, Index> far_covariates_;
};

}  // namespace conflux
