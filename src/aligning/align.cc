#include "conflux/aligning/align.h"

#include <fmt/format.h>

#include <utility>

#include "aligning/goal.h"
#include "columns/measured_scales.h"
#include "columns/plain_values.h"
#include "conflux/aligning/confounding.h"
#include "conflux/model/table_mover.h"
#include "conflux/storage/checkpoint.h"
#include "core/disk_scratch.h"
#include "dataset/group_names.h"
#include "dataset/row_pieces.h"
#include "judging/judged_fit.h"
#include "matching/known_labels.h"
#include "options/option_table.h"

namespace conflux {

namespace {

void send(const AlignHooks& hooks, MessageKind kind, std::string text) {
  if (hooks.on_message) hooks.on_message({kind, std::move(text)});
}

CheckOptions check_options(const Dataset& data, const FitOptions& fit) {
  return {.seed = fit.seed,
          .threads = fit.threads,
          .value_of = value_of(data.columns),
          .subjects = data.subjects ? &*data.subjects : nullptr};
}

// Covariates are no features.
std::vector<std::string> feature_names_of(const GroupSet& groups) {
  std::vector<std::string> out = groups.feature_names();
  if (!out.empty()) out.resize(static_cast<std::size_t>(groups.features()));
  return out;
}

// By this a later reader knows the rows of the fit. Whoever reads all rows does not meet those that
// were drawn here.
void add_digest(Model& model, const std::string& digest, const Dataset& data,
                const AlignOptions& options) {
  if (!model.record.given_sizes.empty() && !data.pool) return;
  model.metadata["data_digest"] = options.unseen > 0 && data.digest_when_read.empty()
                                      ? fmt::format("{}-{}", digest, options.unseen)
                                      : digest;
}

// One dataset on its way to a model.
class ModelFit {
 public:
  ModelFit(Dataset data, const AlignOptions& options, const AlignHooks& hooks)
      : options_(options),
        hooks_(hooks),
        feature_names_(feature_names_of(data.groups)),
        digest_(hooks.digest.empty() ? digest_of(data) : hooks.digest),
        data_(std::move(data)) {
    options_.fit = options_for(data_, options_, hooks_.on_message);
    choose_goal();
    confounding_ = find_confounding(data_, options_.fit.seed, options_.fit.threads);
    if (!confounding_.sentence.empty()) {
      send(hooks_, MessageKind::kInfo, confounding_.sentence);
    }
    if (may_be_plain()) prepare_plain();
  }

  CheckReport check() const {
    send(hooks_, MessageKind::kProgress, "looking for differences between the groups");
    return conflux::check(data_.groups, check_options(data_, options_.fit));
  }

  /// The test of check() where the method asks it.
  std::optional<CheckReport> test() const {
    if (method_info(options_.fit.method).then.empty() || shares_rows()) return std::nullopt;
    send(hooks_, MessageKind::kProgress, "looking for differences between the groups");
    return compare_groups(data_.groups, check_options(data_, options_.fit));
  }

  /// `may_leave`: rows are left alone if the judgement shows no clear gain. A fit without a
  /// judgement could not do so, and would be another one.
  void fit(std::optional<bool> groups_differ, bool may_leave, Aligned& out) {
    RowsToJudge rows = choose_rows_to_judge(std::move(data_.groups), options_.unseen, options_.fit,
                                            data_.pool ? &*data_.pool : nullptr);
    out.unseen_rows = rows.set_aside;
    // Methods that run on several processes are scored in the same way by any number of processes.
    if (options_.judge && !shares_rows() && options_.fit.method == Method::kAuto) {
      rows.crossed = cross_rows(rows.fitted, rows.options, options_.fit.seed);
      if (rows.crossed) rows.crossed->gaps = data_.columns.gaps;
    }
    if (may_leave) keep_for_leaving(rows);
    Fit fitted = run(rows, groups_differ);
    if (!goal_sentence_.empty() && fitted.record.ladder.sentences.empty()) {
      fitted.record.ladder.sentences = {goal_sentence_};
    }
    if (uses_values_) use_values(rows);
    if (options_.judge && is_first()) {
      send(hooks_, MessageKind::kProgress, "judging");
      out.judgement = judge_fit(fitted, rows, options_.to);
      // The ladder has compared what it chose with leaving rows alone.
      const bool compared = !fitted.record.ladder.rungs.empty();
      if (given_ && !compared && out.judgement && gains_nothing_clear(fitted, *out.judgement)) {
        leave(fitted, *out.judgement);
        out.judgement.reset();
      } else if (hooks_.on_judged) {
        hooks_.on_judged(fitted.judged ? *fitted.judged : fitted.flow, rows.judged);
      }
    }
    warn_of_copies(fitted.record);
    out.model = model_of(std::move(fitted));
  }

  /// Whether rows would be aligned within labels of which no two groups share one.
  bool shares_no_label() const {
    return options_.fit.gate == Gating::kLabel && !known_labels(data_.groups).in_part &&
           no_label_is_shared(data_.groups);
  }

  Model leave() {
    Fit left = fit_that_leaves(data_.groups, options_.fit);
    if (shares_no_label()) {
      left.record.summary.sentences = {
          "No label occurs in two groups: nothing can be aligned within labels, so every row stays "
          "where it is. Give labels that groups share, or align whole groups with --gate none."};
    }
    if (plain_) {
      use_values(data_.groups);
      keep_plain_columns();
    }
    if (data_.pool && !data_.pool->whole()) left.record.given_sizes = data_.pool->sizes;
    return model_of(std::move(left));
  }

 private:
  bool shares_rows() const { return data_.storage == RowStorage::kInPlace; }
  bool is_first() const { return hooks_.processes == nullptr || hooks_.processes->rank() == 0; }

  /// Measurements are aligned until rows of the same class meet; records and images until the group
  /// is hidden, or its prediction gets no harder.
  void choose_goal() {
    if (options_.fit.method != Method::kAuto || options_.fit.goal != Goal::kAuto) return;
    const std::string why = why_hide(data_);
    if (why.empty()) {
      options_.fit.goal = Goal::kTransfer;
    } else {
      goal_sentence_ = fmt::format(
          "Goal: the group shall be hard to predict, because {}. The goal transfer would compare "
          "corrections by held-out features.",
          why);
    }
  }

  void warn_of_copies(FitRecord& record) const {
    for (const TellingCopy& copy : data_.telling) {
      record.warnings.push_back(fmt::format(
          "column \"{}\" is copied unchanged and tells the group of {:.0f} % of the rows ({:.0f} % "
          "are of the largest group): only the {} aligned columns hide the group; drop the column "
          "from the output, or make its values coarser.",
          copy.column, 100 * copy.told, 100 * copy.by_chance, feature_names_.size()));
    }
  }

  /// The automatic fit leaves rows alone for which it gains nothing clear. Only rows that all judge
  /// can tell.
  void keep_for_leaving(const RowsToJudge& rows) {
    if (known_labels(rows.fitted).in_part) return;  // labels of some rows guide the matching
    const FitOptions& asked = options_.fit;
    if (!rows.crossed || asked.method != Method::kAuto || asked.layers || asked.strength) return;
    if (asked.amount < 1) return;  // a small gain is what was asked for
    if (hooks_.resume != nullptr) return;
    given_ = Given{.groups = rows.fitted, .columns = data_.columns};
  }

  void leave(Fit& fitted, const Judgement& judgement) {
    leave_alone(fitted, judgement);
    if (!plain_) return;
    data_.columns = given_->columns;
    use_values(given_->groups);
    keep_plain_columns();
  }

  Fit run(RowsToJudge& rows, std::optional<bool> groups_differ) {
    FitPlan plan = rows.plan();
    plan.on_progress = hooks_.on_progress;
    plan.resume = hooks_.resume;
    plan.gaps = data_.columns.gaps;
    plan.groups_differ = groups_differ;
    plan_values(plan, rows.fitted);
    // A rehearsal moves rows all the way.
    plan.rehearse = plan.rehearse && options_.judge && !rows.crossed && options_.fit.amount == 1;
    if (data_.storage == RowStorage::kDisk) plan.scratch = data_.scratch.get();
    SelfCommunicator alone;
    Communicator& comm = shares_rows() ? *hooks_.processes : alone;
    return fit_planned(shares_rows() ? share_of(rows.fitted, comm) : std::move(rows.fitted),
                       rows.options, comm, hooks_.on_layer, plan);
  }

  /// Whether a correction that at most shifts and scales features acts on values, without noise and
  /// scores. Rows with missing cells keep their coordinates.
  bool may_be_plain() const {
    const Method method = options_.fit.method;
    const bool ladder = method == Method::kAuto && options_.fit.goal == Goal::kTransfer;
    return (ladder || method == Method::kMeans || method == Method::kLocationScale) &&
           !data_.columns.empty() && data_.digest_when_read.empty() &&
           data_.storage == RowStorage::kMemory && hooks_.resume == nullptr;
  }

  /// The digest of the rows as values, by which later readers will know them.
  void prepare_plain() {
    Columns columns = with_plain_values(data_.columns);
    std::string digest =
        data_digest(data_.groups, [&](double* row) { make_plain(row, data_.columns, columns); });
    plain_ = {std::move(columns), std::move(digest)};
  }

  void use_values(GroupSet& fitted) {
    uses_values_ = true;
    fitted = plain_values_of(fitted, data_.columns, plain_->columns);
    expect_plain_values(plain_->columns, fitted);
  }

  void plan_values(FitPlan& plan, GroupSet& fitted) {
    if (!plain_) return;
    if (options_.fit.method != Method::kAuto) return use_values(fitted);
    plan.plain_values = [this](const GroupSet& rows, const std::vector<Index>& features) {
      return plain_values_of(rows, data_.columns, plain_->columns, features);
    };
    plan.on_linear_rung = [this](GroupSet& groups) { use_values(groups); };
  }

  /// The rows that judge, as the fitted ones are now.
  void use_values(RowsToJudge& rows) {
    rows.judged = plain_values_of(rows.judged, data_.columns, plain_->columns);
    rows.sampled = plain_values_of(rows.sampled, data_.columns, plain_->columns);
    if (rows.crossed) {
      for (auto* parts : {&rows.crossed->fitted, &rows.crossed->judged}) {
        for (GroupSet& part : *parts) part = plain_values_of(part, data_.columns, plain_->columns);
      }
    }
    keep_plain_columns();
  }

  void keep_plain_columns() {
    data_.columns = plain_->columns;
    digest_ = plain_->digest;
  }

  Model model_of(Fit fit) {
    Model out{.flow = std::move(fit.flow), .record = std::move(fit.record)};
    std::vector<std::string>& warnings = out.record.warnings;
    warnings.insert(warnings.begin(), confounding_.warnings.begin(), confounding_.warnings.end());
    out.feature_names = std::move(feature_names_);
    out.group_column = data_.group_column;
    out.label_column = data_.label_column;
    add_digest(out, digest_, data_, options_);
    out.columns = std::move(data_.columns);
    out.components = std::move(data_.components);
    return out;
  }

  AlignOptions options_;
  const AlignHooks& hooks_;
  std::vector<std::string> feature_names_;
  std::string digest_;
  std::string goal_sentence_;
  Confounding confounding_;
  Dataset data_;
  /// Columns with values as coordinates and the digest of the rows then; unset where the fit may
  /// not use them.
  struct PlainColumns {
    Columns columns;
    std::string digest;
  };
  std::optional<PlainColumns> plain_ = {};
  bool uses_values_ = false;
  /// Rows and options as given, kept in case the fit is taken back.
  struct Given {
    GroupSet groups;
    Columns columns;
  };
  std::optional<Given> given_ = {};
};

std::string label_message(const Dataset& data, const char* sentence) {
  return fmt::format(fmt::runtime(sentence),
                     data.label_column.empty() ? "label" : data.label_column);
}

// Covariates are the gate; a label counts if it is one of them.
FitOptions without_gate(const Dataset& data, FitOptions options,
                        const MessageCallback& on_message) {
  if (options.gate == Gating::kLabel || options.gate == Gating::kClusters) {
    throw InvalidOption(fmt::format(
        "gate is {}, but columns are kept, and no method does both; keep the label as well, or "
        "leave out the gate.",
        name_of(options.gate)));
  }
  if (!data.label_column.empty() && on_message) {
    on_message({MessageKind::kInfo, fmt::format("the label \"{0}\" is used for scores only; name "
                                                "it under keep, too, to preserve its effect",
                                                data.label_column)});
  }
  return options;
}

}  // namespace

FitOptions options_for(const Dataset& data, const AlignOptions& options,
                       const MessageCallback& on_message) {
  FitOptions out = options.fit;
  const bool labels = !data.groups.label_names().empty();
  if (data.groups.covariates() > 0) return without_gate(data, std::move(out), on_message);
  if (!options.gate_by_labels || out.gate != Gating::kAuto ||
      !(labels || !data.label_column.empty()))
    return out;
  if ((kGatedMethods & only(out.method)) == 0) return out;
  const auto inform = [&](const char* sentence) {
    if (on_message) on_message({MessageKind::kInfo, label_message(data, sentence)});
  };
  if (!labels) {
    inform("no row has a \"{}\", so the fit goes on as without --label; fill in some of its cells");
    return out;
  }
  out.gate = Gating::kLabel;
  inform(known_labels(data.groups).in_part
             ? "some rows have a \"{0}\": they are aligned within it where two groups have rows "
               "enough of it, and guide which clusters the other rows are aligned in (--gate none "
               "aligns whole groups)"
             : "rows are aligned within their \"{}\", each by maps of its own (--gate none aligns "
               "whole groups)");
  return out;
}

Aligned align(Dataset data, const AlignOptions& options, const AlignHooks& hooks) {
  if (data.groups.num_groups() > 1 && !options.to.empty()) data.groups.index_of(options.to);
  ModelFit work(std::move(data), options, hooks);
  Aligned out;
  out.check = work.check();
  if (hooks.on_check) hooks.on_check(out.check);
  if (out.check.differ && !work.shares_no_label()) {
    work.fit(true, true, out);
  } else {
    out.model = work.leave();
  }
  out.model.record.check = record_of(out.check);
  return out;
}

Aligned fit_model(Dataset data, const AlignOptions& options, const AlignHooks& hooks) {
  ModelFit work(std::move(data), options, hooks);
  Aligned out;
  std::optional<bool> differ;
  if (auto found = work.test()) {
    differ = found->differ;
    out.check = *std::move(found);
  }
  if (work.shares_no_label()) {
    out.model = work.leave();
  } else {
    work.fit(differ, false, out);
  }
  return out;
}

void to_shared(const Model& model, Table& table, int threads) {
  const Workers workers(threads);
  std::vector<Index> groups;
  for (const std::string& name : groups_from_columns(table, model.group_column)) {
    groups.push_back(model.flow.group_index(name));
  }
  TableMover(model, workers).transform(table, groups);
}

}  // namespace conflux
