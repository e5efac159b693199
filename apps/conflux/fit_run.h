// A fit from the tables of a command line: read, fit, judge, with progress, checkpoints and
// signals.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conflux/aligning/align.h"
#include "conflux/model/model.h"
#include "core/disk_scratch.h"
#include "file_checks.h"
#include "fit_watch.h"
#include "grouped_input.h"
#include "support/console.h"
#include "support/flag.h"

namespace conflux::app {

struct FitFlags {
  GroupedInputFlags input;
  std::string preset = "auto";
  std::string checkpoint;
  Index every = 10;
  std::string resume;
  std::string max_memory;
  bool force = false;
  /// Fraction of each group that is held out of the fit as test rows.
  double unseen = 0;
  /// Skips the judgement of the finished fit.
  bool no_judge = false;
  /// Options of the library that were given, by name.
  std::vector<std::pair<std::string, std::string>> given;
  /// The verb and the command line, which a checkpoint keeps for --resume.
  std::string verb = "fit";
  std::vector<std::string> words;
  /// Output for a page that watches the fit.
  WatchFlags watch;
};

/// All flags of a fit, but not those of its outputs.
std::vector<Flag> fit_flags(FitFlags& flags);

/// The words of the command line; --resume without tables adds what the checkpoint was called with
/// and is not given anew.
std::vector<std::string> complete_fit(FitFlags& flags, std::vector<std::string> words,
                                      const std::vector<Flag>& known);

/// The files that a fit reads, and its checkpoint, which may be the one that it goes on from.
ResultFiles results_of_fit(const FitFlags& flags, bool force);

class FitRun {
 public:
  /// Reads the tables. Signals are caught from here on.
  FitRun(const FitFlags& flags, const Console& console);

  /// The seed and the threads that everything uses.
  const FitOptions& options() const { return options_; }

  /// Fits; gives the rows away.
  Aligned fit();
  /// Checks, shows what was found, and fits unless there is nothing to align; gives the rows away.
  /// Rows are judged as rows of the group `to`, or in the shared space.
  Aligned align(const std::string& to);
  /// Writes the whole paths of some rows for a page that watches.
  void finish_watch(const Model& model) const;
  /// Whether all processes must fit together, each its rows.
  bool in_place() const { return data_.storage == RowStorage::kInPlace; }
  /// One feature before and after, in block letters; empty unless standard error is a terminal.
  const std::vector<std::string>& picture() const { return picture_; }

 private:
  using Work = std::function<Aligned(Dataset, const AlignOptions&, const AlignHooks&)>;

  /// Ends early if there was a signal.
  Aligned run(const Work& work, const AlignHooks& hooks, const std::optional<Fit>& finished);
  AlignHooks hooks(std::optional<Fit>& finished);
  void show_columns_once();
  /// Keeps the finished layers, if there are any and somewhere to keep them.
  [[noreturn]] void end_early(const std::optional<Fit>& finished) const;

  FitFlags flags_;
  const Console& console_;
  Dataset data_;
  Columns columns_;
  bool columns_shown_ = false;
  std::string rows_digest_;
  /// The same, for checkpoints: with the fraction that is held out.
  std::string digest_;
  std::optional<Fit> earlier_;
  FitOptions options_;
  AlignOptions align_;
  std::vector<std::string> picture_;
  std::optional<FitWatch> watch_;
};

/// Prints the sentences of the summary, then warnings. `path` is the file of the model; empty:
/// none.
void tell_summary(const Model& model, const std::string& path, const FitFlags& flags,
                  const Console& console);
/// The same for programs.
Json fit_json(const Model& model, const std::string& path);

}  // namespace conflux::app
