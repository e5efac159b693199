// A dataset: named groups of rows with the same features, ready for check(), a fit or an alignment,
// and what the columns of the table mean from which they were made.
//
//   Table table;                                   // from a program
//   table.add("weight", weights);
//   table.add("site", sites);
//   const Dataset data = dataset_of(table, {.group = "site"});
//
//   const Dataset cells = read_dataset({.paths = {"cells.csv"}, .group = "batch"});   // from files
//
// Rows of a table become coordinates: see conflux/columns/columns.h. The same table gives the same
// dataset, to the bit, whether it is read from a file or comes from memory.

#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conflux/columns/columns.h"
#include "conflux/columns/find_columns.h"
#include "conflux/comm/communicator.h"
#include "conflux/components/components.h"
#include "conflux/core/error.h"
#include "conflux/core/group_set.h"
#include "conflux/options/options.h"
#include "conflux/tables/table.h"
#include "conflux/training/fit.h"

namespace conflux {

class DiskScratch;

/// How a dataset is made from tables. Only `paths` must be set to read files; nothing must be set
/// for tables in memory.
struct DatasetOptions {
  /// Files to read. With `group` they are parts of one table; without it each file is a group that
  /// is called like the file, or the only file has a column "group". "-" is standard input.
  /// Ignored for tables in memory.
  std::vector<std::string> paths = {};
  /// How files are read: format, header, delimiter, array. Its fields `numeric`, `text`, `group`
  /// and `threads` are ignored: they follow from the options below. Ignored for tables in memory.
  TableOptions table = {};

  /// Column with the group of each row. Several, separated by commas, make one group of each
  /// combination of their values. Ignored if the caller gives the groups.
  std::string group = {};
  /// Column with the class of each row, such as cell type; empty: rows have no labels. Empty and
  /// missing cells mean that the label of the row is unknown.
  std::string label = {};
  /// Column with the weight of each row in the fit, finite and at least 0; empty: all rows count
  /// alike. Checks and judgements count every row once.
  std::string row_weights = {};
  /// Condition that a row must satisfy to be taken, say "year>=1961 and type=control"; empty: all
  /// rows are taken.
  std::string where = {};
  /// A file with more columns of the same rows, such as groups and labels of an array's rows. Rows
  /// are matched by position, or by `meta_key`. Empty: there is none. For files only.
  std::string meta = {};
  /// Column that matches rows to rows of `meta`; "barcode=cell_id" if it has another name there.
  std::string meta_key = {};
  /// Other names for groups, as OLD=NEW; one star on both sides stands for the same text.
  std::vector<std::string> rename = {};

  /// Which columns are features and what they mean. `features` and `drop` may be patterns: "PC*",
  /// "gene?", or "PC1:PC20". Its `seed` is ignored: `seed` below is used.
  ColumnOptions columns = {};
  /// Whether the numbers of array files (npy, npz, mat, idx, pictures) are coordinates as they are.
  /// If false, their columns are examined like those of tables, and `columns` applies. Ignored for
  /// tables in memory.
  bool arrays_are_coordinates = true;

  /// Principal components that become the features of sparse files (mtx, h5ad). 0: none. -1: 50 if
  /// there are more than 200 genes. Ignored for other files and tables in memory.
  Index components = -1;
  /// Normalization of counts before the components are computed.
  Normalization normalization = Normalization::kNone;

  /// Rows of each group that a fit takes at most, drawn by `seed`; large files are not kept whole
  /// then. The default takes all. Ignored in memory, where a fit draws (FitOptions::fit_rows).
  RowLimit fit_rows = {};
  /// Seed of the noise that spreads repeated values, of components and of drawn rows.
  std::uint64_t seed = 0;
  /// 0 uses every core. The dataset does not depend on it.
  int threads = 0;

  /// Bytes of memory that may be used; more throws InvalidData that says how many are needed. 0:
  /// no limit.
  double max_memory = 0;
  /// If set, all rows of files stay on disk when memory (`max_memory`, or that of the machine) is
  /// too small for a fit with these options. Unset: rows are read into memory.
  std::optional<FitOptions> fit_on_disk = {};
  /// Whether several processes may each fit a part of the rows where they are.
  bool fit_in_place = false;
  /// Whether rows are examined by one process and moved by none: rows of arrays stay in their
  /// files.
  bool read_only = false;
};

/// Receiver of messages, and the processes that share the work.
struct DatasetHooks {
  MessageCallback on_message = {};
  /// Processes that read together; null: this one reads alone.
  Communicator* processes = nullptr;
};

/// Where the rows of a dataset are.
enum class RowStorage {
  kMemory,   ///< in memory, or mapped from a file if they are only read
  kDisk,     ///< all rows, on disk; a fit walks through them with Dataset::scratch
  kInPlace,  ///< all rows of all processes, of which each process fits a part
};

/// A copied column from which the group of more rows can be predicted than the largest group has.
struct TellingCopy {
  std::string column = {};
  /// Shares of the rows.
  double told = 0;
  double by_chance = 0;
};

struct Dataset {
  /// Coordinates of the rows, group by group, with labels if the options ask for them. Missing
  /// cells are drawn from what is expected in their groups; `columns.gaps` names their features.
  GroupSet groups = {};
  /// Column of the groups; empty if each file is a group or the caller gave them.
  std::string group_column = {};
  /// Column of the labels; empty if there are none.
  std::string label_column = {};
  /// Types, units and scales of the table's columns; empty if the rows are coordinates already.
  Columns columns = {};
  /// The principal components, if these are the features; empty if the features were measured.
  Components components = {};
  /// Set if the table has several rows of one subject, say of a patient.
  std::optional<RowsOfSubjects> subjects = {};
  /// Which of the rows are fitted and which come next, if they were drawn; unset: all are fitted.
  std::optional<Pool> pool = {};
  /// Digest of the rows as a model of them reads them later, where it differs from that of
  /// `groups`: later readers fill missing cells with what is expected, and do not draw. See
  /// digest_of().
  std::string digest_when_read = {};
  /// For each group, the rows of the table that became its rows; set for tables in memory only.
  std::vector<std::vector<Index>> positions = {};
  /// Columns of the table beside the features, groups and labels from which the group can be
  /// predicted.
  std::vector<TellingCopy> telling = {};
  /// Rows with missing cells that were left out (MissingRule::kDrop).
  Index dropped_rows = 0;

  RowStorage storage = RowStorage::kMemory;
  /// Scratch files through which a fit moves rows that stay on disk; null otherwise.
  std::shared_ptr<DiskScratch> scratch = {};
  /// Keeps alive what `groups` borrows: mapped files and pieces of scratch.
  std::vector<std::shared_ptr<const void>> borrowed = {};
};

/// Reads the files of the options. Types of table columns are found, or given by
/// DatasetOptions::columns; arrays hold coordinates. Throws Error for a file that cannot be read,
/// InvalidData or InvalidOption with file, line or column and a remedy.
Dataset read_dataset(const DatasetOptions& options, const DatasetHooks& hooks = {});

/// The digest by which a model recognizes its training rows.
std::string digest_of(const Dataset& dataset);

/// Facts about the rows of a table beside their cells. Spans are empty or have one element per row,
/// and must live as long as the call.
struct RowTags {
  /// Groups in their order, and the position of each row's group among them.
  std::vector<std::string> group_names = {};
  std::span<const Index> groups = {};
  /// Labels, and the position of each row's label among them, or -1.
  std::vector<std::string> label_names = {};
  std::span<const Index> labels = {};
  /// Mass of each row; empty: all rows have the same.
  std::span<const double> masses = {};
};

/// A table in memory whose groups the caller gives; DatasetOptions::group and `label` are ignored.
/// Throws InvalidData or InvalidOption with the column or row and a remedy.
Dataset dataset_of(const Table& table, const RowTags& rows, const DatasetOptions& options = {},
                   const DatasetHooks& hooks = {});

/// The same with the name of each row's group. Groups are in the order of their first rows.
Dataset dataset_of_named_groups(const Table& table, const std::vector<std::string>& group_of_row,
                                const DatasetOptions& options = {}, const DatasetHooks& hooks = {});
/// The same. A template, so that braces are options and not names.
template <std::same_as<std::vector<std::string>> Names>
Dataset dataset_of(const Table& table, const Names& group_of_row,
                   const DatasetOptions& options = {}, const DatasetHooks& hooks = {}) {
  return dataset_of_named_groups(table, group_of_row, options, hooks);
}

/// The same with columns for groups and labels (DatasetOptions::group and `label`), as if the table
/// were read from a file.
Dataset dataset_of(const Table& table, const DatasetOptions& options,
                   const DatasetHooks& hooks = {});

}  // namespace conflux
