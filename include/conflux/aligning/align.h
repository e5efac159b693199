// Aligns the groups of a dataset: compares them, fits one invertible map per group into a shared
// space, judges the result on rows that the fit has not seen, and returns the model.
//
//   Table table;
//   table.add("height", heights);   // std::vector<double>
//   table.add("day", days);         // std::vector<std::string>
//   const Aligned done = align(dataset_of(table, {.group = "day"}));
//   for (const std::string& sentence : done.model.record.summary.sentences) puts(sentence.c_str());
//   to_shared(done.model, table);
//
// The command, Python, C and R call these functions and nothing else: the same rows, options and
// seed give the same model and the same sentences in all of them.
//
// Cost: that of check(), of the fit, and of judging at most 10,000 rows. A dataset that is moved in
// gives its rows up, and they are not copied.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conflux/comparing/check.h"
#include "conflux/core/error.h"
#include "conflux/dataset/dataset.h"
#include "conflux/judging/judgement.h"
#include "conflux/model/model.h"
#include "conflux/training/fit.h"

namespace conflux {

struct AlignOptions {
  /// Method, layers, seed, threads and all other options of a fit.
  FitOptions fit = {};
  /// Fraction of each group that is held out of the fit as test rows, from 0 to below 1. 0: the
  /// validation rows of the fit are scored, which it also used for early stopping.
  double unseen = 0.2;
  /// Group that the judged rows are translated to; empty: they are judged in the shared space.
  std::string to = {};
  /// Whether a dataset with labels is aligned within them (Gating::kLabel). Ignored if `fit.gate`
  /// is set, and by methods without gates.
  bool gate_by_labels = true;
  /// Whether the model gets a summary of what it does to rows. Without, it moves rows in the same
  /// way.
  bool judge = true;
};

/// Callbacks and controls of align() and fit_model(). All are optional.
struct AlignHooks {
  MessageCallback on_message = {};
  /// Called with what check() has found, before the fit.
  std::function<void(const CheckReport&)> on_check = {};
  /// As in FitControl.
  std::function<void(const Fit& so_far)> on_progress = {};
  const Fit* resume = nullptr;
  /// Called after every layer; false ends the fit with the layers so far.
  LayerCallback on_layer = {};
  /// Called with the flow that was judged and the rows that judged it.
  std::function<void(const Flow&, const GroupSet&)> on_judged = {};
  /// Processes that fit together, each some rows of the dataset (RowStorage::kInPlace). Only the
  /// first of them judges.
  Communicator* processes = nullptr;
  /// digest_of() the dataset, if the caller has it already; saves computing it again.
  std::string digest = {};
};

struct Aligned {
  /// Maps of all groups, with the record of the fit. They leave every row where it is if the groups
  /// do not differ.
  Model model;
  /// The check before the fit. After fit_model() only its test, and only if the method asks it.
  CheckReport check;
  /// Unset if fewer than two groups could be judged, or nothing was fitted.
  std::optional<Judgement> judgement = std::nullopt;
  /// Test rows: rows of each group of the dataset that were held out of the fit; empty if none
  /// were.
  std::vector<std::vector<Index>> unseen_rows = {};
};

/// Groups that do not differ beyond chance are left as they are. Throws InvalidData or
/// InvalidOption with a sentence that says what to do.
Aligned align(Dataset data, const AlignOptions& options = {}, const AlignHooks& hooks = {});

/// The same without the check, as `conflux fit`. The method auto makes the test of check() and
/// leaves groups that do not differ as they are; other methods align them in any case.
Aligned fit_model(Dataset data, const AlignOptions& options = {}, const AlignHooks& hooks = {});

/// The options of a fit that align() uses for this dataset: with a gate if its labels ask for one.
FitOptions options_for(const Dataset& data, const AlignOptions& options,
                       const MessageCallback& on_message = {});

/// Reads one option of `conflux align` by its name: "seed", "method", "missing", "label", "drop",
/// "unseen", ... Throws InvalidOption for unknown names and words.
void set_option(DatasetOptions& data, AlignOptions& options, std::string_view name,
                const std::string& text);

/// Moves the rows of a table into the shared space. The table has the columns of the model and the
/// column of the groups.
void to_shared(const Model& model, Table& table, int threads = 0);

}  // namespace conflux
