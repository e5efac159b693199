// Checks of the files that a verb will write, before it works: no work is lost, no file is harmed.

#pragma once

#include <string>
#include <vector>

#include "conflux/core/group_set.h"
#include "files/file_kind.h"
#include "support/flag.h"

namespace conflux::app {

/// The files that a command reads and those that it will write. Every result of every verb is added
/// here before anything is written.
class ResultFiles {
 public:
  /// `inputs` are all files that the command reads: tables (standard input, too), what stands
  /// beside them, models, checkpoints, files of --meta and --columns. Empty names are none.
  ResultFiles(std::vector<std::string> inputs, bool force);

  /// Throws InvalidOption when `path` is one of the inputs or of the results so far (also by
  /// another name or a link), lies in a folder that is an input, or would replace a file of another
  /// kind and there is no --force; Error when its folder does not exist or cannot be written.
  /// "", - and devices are no files.
  void add(const std::string& path, FileKind kind);
  /// A folder of pictures, which may be there.
  void add_folder(const std::string& path);

 private:
  void refuse_inputs(const std::string& path) const;

  std::vector<std::string> inputs_;
  std::vector<std::string> results_;
  bool force_;
};

/// Throws InvalidOption when the table stands where the model belongs and the other way round.
void check_model_comes_first(const std::string& model, const std::string& table);

/// Throws InvalidData when a model file could not hold the names: they must be UTF-8.
void check_names(const std::vector<std::string>& groups, const std::vector<std::string>& features);

/// --force
Flag force_flag(bool& force);

}  // namespace conflux::app
