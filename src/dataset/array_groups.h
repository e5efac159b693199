// Groups whose rows lie in mapped arrays: each file is a group or a part of one, or a list tells
// the group of each row.
//
// Rows are numbered through all files. A group remembers where runs of neighboring rows begin, so
// that groups that lie together cost nothing, and others 16 bytes for each run.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conflux/core/group_set.h"
#include "core/row_list.h"
#include "tables/npy.h"

namespace conflux {

/// Arrays of numbers with the same columns, as one.
class ArrayFiles {
 public:
  ArrayFiles(std::vector<MappedNpy> files, std::vector<std::string> paths);

  Index cols() const { return files_.front().cols(); }
  Index rows() const { return begins_.back(); }
  std::size_t count() const { return files_.size(); }
  const MappedNpy& operator[](std::size_t file) const { return files_[file]; }
  const std::string& path(std::size_t file) const { return paths_[file]; }
  /// The first row of a file among all rows; that of the file after the last is rows().
  Index begin(std::size_t file) const { return begins_[file]; }
  std::size_t file_of(Index row) const;

 private:
  std::vector<MappedNpy> files_;
  std::vector<std::string> paths_;
  std::vector<Index> begins_;
};

class ArrayGroup {
 public:
  ArrayGroup(std::string name, std::shared_ptr<const ArrayFiles> files)
      : name_(std::move(name)), files_(std::move(files)) {}

  /// Rows of one file that come next, as numbered through all files.
  void add(Index begin, Index end);

  const std::string& name() const { return name_; }
  Index rows() const { return rows_; }
  Index cols() const { return files_->cols(); }
  /// Whether all rows are in single precision.
  bool single() const { return single_; }
  /// All rows, if they lie together.
  std::optional<SampleRows> view() const;
  /// The file that holds these rows and no others.
  const MappedNpy* own_file() const;
  /// The files that have rows of this group.
  std::vector<MappedNpy> files() const;

  /// Some rows, which increase. Throws InvalidData that names group `m`, file, row and column of a
  /// number that is none.
  template <class T>
  MatrixOf<T> read(const RowList& positions, Index m) const;
  /// The same for rows `begin` to `end`, a part at a time, with the place of its first row.
  template <class T>
  void read(Index begin, Index end, Index m,
            const std::function<void(Index at, const MatrixOf<T>& part)>& use) const;

 private:
  struct Run {
    Index first;  // its place in the group
    Index row;    // among the rows of all files
  };

  /// Gives the rows of one file after the other to `use`, a few at a time.
  template <class T, class Use>
  void read_parts(RowList::const_iterator next, Index count, Index m, const Use& use) const;
  template <class T>
  void check(const MatrixOf<T>& part, const std::vector<Index>& positions, Index m) const;
  Index row_at(std::size_t run, Index position) const {
    return runs_[run].row + position - runs_[run].first;
  }

  std::string name_;
  std::shared_ptr<const ArrayFiles> files_;
  std::vector<Run> runs_;
  Index rows_ = 0;
  bool single_ = true;
};

}  // namespace conflux
