// A fit from the tables of a command line: read, fit, judge, with progress, checkpoints and
// signals.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conflux/judging/judged_fit.h"
#include "conflux/training/model.h"
#include "core/disk_scratch.h"
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
  /// Share of each group that is kept from the fit and judges it.
  double unseen = 0;
  /// Options of the library that were given, by name.
  std::vector<std::pair<std::string, std::string>> given;
  /// The verb and the command line, for who goes on from a checkpoint.
  std::string verb = "fit";
  std::vector<std::string> words;
  /// For who watches.
  WatchFlags watch;
};

/// Everything that a fit can be told, but not where its results go.
std::vector<Flag> fit_flags(FitFlags& flags);

/// The words of the command line; those of --resume alone are completed from the checkpoint.
std::vector<std::string> complete_fit(FitFlags& flags, std::vector<std::string> words);

/// Tables that a fit reads or goes on from, and no result may replace.
std::vector<std::string> inputs_of_fit(const FitFlags& flags);

class FitRun {
 public:
  /// Reads the tables. Signals are caught from here on.
  FitRun(const FitFlags& flags, const Console& console);

  const GroupSet& groups() const { return input_.groups; }
  const Columns& columns() const { return input_.columns; }
  /// Null unless there are several rows of one thing.
  const RowsOfThings* things() const { return input_.subjects ? &*input_.subjects : nullptr; }
  /// The seed and the threads that everything uses.
  const FitOptions& options() const { return options_; }

  /// Gives the rows away. Rows are judged as rows of the group `to`, or in the shared space.
  Model fit(const std::string& to = {}, bool known_to_differ = false);
  /// A model that leaves every row where it is.
  Model leave();
  /// Shows who watches the whole way of some rows.
  void finish_watch(const Model& model) const;
  /// Whether all processes must fit together, each its rows.
  bool in_place() const { return input_.storage == RowStorage::kInPlace; }
  /// What fit() did to one feature, in block letters; empty unless a person watches.
  const std::vector<std::string>& picture() const { return picture_; }

 private:
  Fit fit_with_checkpoints(RowsToJudge& rows, bool known_to_differ);
  /// Keeps the finished layers, if there are any and somewhere to keep them.
  [[noreturn]] void end_early(const std::optional<Fit>& finished) const;
  Model model_of(Fit fit);

  FitFlags flags_;
  const Console& console_;
  Dataset input_;
  std::vector<std::string> features_;
  std::string digest_;
  std::optional<Fit> earlier_;
  FitOptions options_;
  std::vector<std::string> picture_;
  std::optional<FitWatch> watch_;
};

/// What a fit did, for people: the sentences of its summary, then warnings. `path` is where the
/// model is; empty: nowhere.
void tell_summary(const Model& model, const std::string& path, const Console& console);
/// The same for programs.
Json fit_json(const Model& model, const std::string& path);

}  // namespace conflux::app
