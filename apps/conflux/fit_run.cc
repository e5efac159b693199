#include "fit_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "comm/agreement.h"
#include "conflux/core/error.h"
#include "conflux/storage/checkpoint.h"
#include "conflux/storage/model_file.h"
#include "core/stop.h"
#include "dataset/memory_limit.h"
#include "dataset/row_pieces.h"
#include "file_checks.h"
#include "matching/matching.h"
#include "options/option_table.h"
#include "options/option_text.h"
#include "processes.h"
#include "record_json.h"
#include "resumed_words.h"
#include "support/interrupt.h"
#include "terminal_picture.h"
#include "training/memory.h"
#include "training/pool_draw.h"

namespace conflux::app {

namespace {

std::string flag_of(std::string name) {
  for (char& c : name) c = c == '_' ? '-' : c;
  return name;
}

// Few tables hold images as rows, and the help has to fit on a screen.
bool is_rare(const OptionText& option) { return option.expert || option.name == "image"; }

// The options of the library, which knows their names, texts and defaults.
std::vector<Flag> library_flags(FitFlags& flags) {
  std::vector<Flag> out;
  for (const OptionText& option : option_texts({})) {
    const std::string& shown = option.unset.empty() ? option.value : option.unset;
    const std::string name = "--" + flag_of(option.name);
    out.push_back({.names = option.name == "threads" ? "-j," + name : name,
                   .value = option.values,
                   .help = option.help + " [" + shown + "]",
                   .target = [&flags, key = option.name](
                                 const std::string& text) { flags.given.emplace_back(key, text); },
                   .shown = is_rare(option) ? Shown::kToExperts : Shown::kAlways});
  }
  return out;
}

bool was_given(const FitFlags& flags, std::string_view option) {
  return std::any_of(flags.given.begin(), flags.given.end(),
                     [&](const auto& each) { return each.first == option; });
}

/// The given options over those of the preset, or of the fit that is resumed.
FitOptions chosen_options(const FitFlags& flags, Index num_groups, const Fit* earlier) {
  FitOptions options;
  if (earlier != nullptr) {
    options = earlier->record.options;
  } else if (flags.preset == "paper") {
    for (const auto& [name, text] : flags.given) {
      if (name == "method") set_option(options, name, text);
    }
    options = paper_options(options.method, num_groups);
  } else if (flags.preset == "cytometry") {
    options.method = Method::kNb;
  }
  for (const auto& [name, text] : flags.given) set_option(options, name, text);
  return options;
}

// Before the tables are read, as most of them need not be kept.
RowLimit fit_rows_of(const FitFlags& flags) {
  const FitOptions options = chosen_options(flags, 2, nullptr);
  return rows_to_fit(options);
}

DataShape shape_of(const GroupSet& groups) {
  DataShape out{.dim = groups.dim(), .group_names = groups.names()};
  for (Index m = 0; m < groups.num_groups(); ++m) out.group_sizes.push_back(groups[m].rows.rows());
  return out;
}

void show_progress(const Fit& fit, const Console& console) {
  const LayerRecord& layer = fit.record.layers.back();
  const auto done = static_cast<Index>(fit.record.layers.size());
  const Index total = *fit.record.options.layers;
  const double rate = static_cast<double>(done) / fit.record.seconds;
  const std::string values =
      fmt::format("spread {:.4g} -> {:.4g}{}", layer.spread_before, layer.spread_after,
                  layer.held_out ? fmt::format("  held out {:.4g}", *layer.held_out) : "");
  console.detail(fmt::format("layer {}/{}: {}, {}, {} steps, {:.2f} s", done, total, layer.kind,
                             values, layer.steps, layer.seconds),
                 {{"event", "layer"}, {"layers", total}, {"record", layer_json(layer)}});
  console.progress(fmt::format("layer {}/{}  {}  {:.1f} layers/s  {:.0f} s left", done, total,
                               values, rate, static_cast<double>(total - done) / rate));
}

// Labels that a user names are not to be mixed, unless he says so.
void protect_labels(FitOptions& options, const FitFlags& flags, const GroupSet& groups,
                    const Console& console) {
  if (flags.input.label.empty() || was_given(flags, "gate") || flags.preset == "paper") return;
  if ((kGatedMethods & only(options.method)) == 0) return;
  if (groups.label_names().empty()) {
    console.info(fmt::format(
        "no row has a \"{}\", so the fit goes on as without --label; fill in some of its cells",
        flags.input.label));
    return;
  }
  options.gate = Gating::kLabel;
  if (known_labels(groups).in_part) {
    console.info(fmt::format(
        "labels in part: rows with a \"{}\" steer which kinds of rows are aligned with each other "
        "(--gate none aligns whole groups)",
        flags.input.label));
    return;
  }
  console.info(fmt::format(
      "labels are protected: rows are aligned with rows of the same \"{}\" (--gate none "
      "aligns whole groups)",
      flags.input.label));
}

// Controls teach how a cytometer sees a marker, but not which cells another donor has: one map per
// marker, in the scale that cytometrists look at, serves donors that the fit has not seen.
void use_cytometry(FitFlags& flags, const Console& console) {
  std::string& cofactor = flags.input.choice.arcsinh;
  if (cofactor.empty()) cofactor = "5";
  console.info(fmt::format("preset cytometry: arcsinh(x / {}){}", cofactor,
                           was_given(flags, "method") ? "" : ", one map per marker (--method nb)"));
}

// Many groups may share a trouble; the model keeps every sentence.
constexpr std::size_t kMostWarnings = 3;

}  // namespace

std::vector<Flag> fit_flags(FitFlags& flags) {
  std::vector<Flag> out = {
      tables_flag(flags.input),
      group_flag(flags.input.group, "column that tells the groups; a,b crosses two"),
      label_flag(flags.input, "what rows show; only rows of one label are made alike"),
      features_flag(flags.input.features,
                    "columns to align; also PC*, or PC1:PC20 [all that can be]"),
      drop_flag(flags.input),
      {.names = "--fit-where",
       .value = "CONDITION",
       .help = "fit on these rows only, say type=control or year<1981",
       .target = &flags.input.where},
      {.names = "--preset",
       .value = "NAME",
       .help = "where options start from: auto, cytometry or paper [auto]",
       .target = &flags.preset,
       .choices = {"auto", "cytometry", "paper"}}};
  const auto add = [&](std::vector<Flag> more) {
    out.insert(out.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  };
  add(component_flags(flags.input.pca));
  add(column_choice_flags(flags.input.choice));
  add(join_flags(flags.input));
  add(library_flags(flags));
  add({{.names = "--checkpoint",
        .value = "FILE",
        .help = "keep the unfinished fit in this file",
        .target = &flags.checkpoint},
       {.names = "--every",
        .value = "N",
        .help = "layers between checkpoints [10]",
        .target = &flags.every,
        .least = 1,
        .shown = Shown::kToExperts},
       {.names = "--resume",
        .value = "FILE",
        .help = "go on from a checkpoint; needs nothing else: same bits",
        .target = &flags.resume},
       {.names = "--max-memory",
        .value = "BYTES",
        .help = "refuse to start if more is needed, say 4G [what the machine has]",
        .target = &flags.max_memory,
        .shown = Shown::kToExperts}});
  add(input_flags(flags.input.table));
  return out;
}

std::vector<std::string> complete_fit(FitFlags& flags, std::vector<std::string> words) {
  flags.words = with_resumed_words(std::move(words));
  return flags.words;
}

std::vector<std::string> inputs_of_fit(const FitFlags& flags) {
  std::vector<std::string> out = flags.input.paths;
  if (!flags.input.meta.empty()) out.push_back(flags.input.meta);
  if (!flags.resume.empty()) out.push_back(flags.resume);
  return out;
}

FitRun::FitRun(const FitFlags& flags, const Console& console) : flags_(flags), console_(console) {
  FitOptions parsed;
  for (const auto& [name, text] : flags.given) {
    if (name == "threads" || name == "seed") set_option(parsed, name, text);
  }
  if (flags.preset == "cytometry") use_cytometry(flags_, console);
  flags_.input.fit_rows = fit_rows_of(flags_);
  flags_.input.fit_in_place = rows_can_stay(chosen_options(flags_, 2, nullptr));
  flags_.input.threads = parsed.threads;
  flags_.input.seed = parsed.seed;
  if (!flags.max_memory.empty()) flags_.input.max_memory = bytes_from_text(flags.max_memory);
  // Rows that are set aside are copied.
  if (flags.unseen == 0) flags_.input.fit_on_disk = chosen_options(flags_, 2, nullptr);
  input_ = read_dataset(dataset_options(flags_.input), dataset_hooks(console));
  const GroupSet& groups = input_.groups;
  check_names(groups.names(), groups.feature_names());
  features_ = groups.feature_names();
  // One process looks at all rows.
  const bool looks = !in_place() || processes().rank() == 0;
  digest_ = looks ? data_digest(groups) : "";
  if (in_place()) digest_ = gather_texts({digest_}, processes()).front().front();
  if (flags.unseen > 0) digest_ += fmt::format("-{}", flags.unseen);
  if (!flags.resume.empty()) earlier_ = load_checkpoint(flags.resume, digest_);
  options_ = chosen_options(flags_, groups.num_groups(), earlier_ ? &*earlier_ : nullptr);
  if (!earlier_) protect_labels(options_, flags_, groups, console);
  if (groups.num_groups() > 1 && input_.storage != RowStorage::kDisk) {
    DataShape shape = shape_of(groups);
    if (in_place()) shape = largest_share(std::move(shape), processes());
    check_memory(memory_needed(shape, groups[0].rows.single(), options_),
                 bytes_from_text(flags.max_memory));
  }
  if (flags.watch.wanted()) watch_.emplace(flags.watch, groups, options_.seed, options_.threads);
  catch_interrupts();
}

void FitRun::end_early(const std::optional<Fit>& finished) const {
  if (flags_.checkpoint.empty()) {
    throw Interrupted("interrupted; no model was written (--checkpoint keeps the work).");
  }
  if (!finished) throw Interrupted("interrupted before the first layer; nothing was written.");
  save_checkpoint(flags_.checkpoint, *finished, digest_, {{kCommand, command_text(flags_.words)}});
  throw Interrupted(fmt::format("interrupted; go on with conflux {} --resume {}.", flags_.verb,
                                flags_.checkpoint));
}

Fit FitRun::fit_with_checkpoints(RowsToJudge& rows, bool known_to_differ) {
  // The layers so far, which share their numbers with those of the fit: a signal may come in the
  // middle of a layer, and the finished ones are worth keeping.
  std::optional<Fit> finished;
  FitControl control = rows.control();
  control.resume = earlier_ ? &*earlier_ : nullptr;
  control.known_to_differ = known_to_differ;
  control.gaps = input_.columns.gaps;
  control.scratch = input_.storage == RowStorage::kDisk ? input_.scratch.get() : nullptr;
  // What the columns are used as is said as soon as the options have turned out to suit them.
  bool shown = false;
  control.on_progress = [&](const Fit& so_far) {
    if (!std::exchange(shown, true)) show_columns(input_.columns, console_);
    show_progress(so_far, console_);
    if (watch_) watch_->show(so_far.flow);
    if (flags_.checkpoint.empty() || processes().rank() > 0) return;
    const auto layers = static_cast<Index>(so_far.record.layers.size());
    finished = so_far;
    if (layers % flags_.every != 0) return;
    save_checkpoint(flags_.checkpoint, so_far, digest_, {{kCommand, command_text(flags_.words)}});
  };
  control.on_pass = [&](Index done, Index most) {
    console_.progress(fmt::format("networks: pass {} of {} at most", done, most));
  };
  SelfCommunicator alone;
  std::optional<Fit> fit;
  try {
    if (in_place()) {
      // All end after the same layer.
      double ended = 0;
      fit = fit_flow(
          share_of(rows.fitted, processes()), rows.options, processes(),
          [](const LayerRecord&) { return !interrupted(); }, control);
      ended = interrupted() ? 1 : 0;
      processes().max(std::span(&ended, 1));
      if (ended > 0) end_early(finished);
      return *std::move(fit);
    }
    const StopScope scope(interrupt_flag());
    fit = fit_flow(std::move(rows.fitted), rows.options, alone, {}, control);
  } catch (const Stopped&) {
    if (!interrupted()) throw;
  }
  if (interrupted()) end_early(finished);
  if (!shown) show_columns(input_.columns, console_);
  return *std::move(fit);
}

Model FitRun::model_of(Fit fit) {
  Model model{.flow = std::move(fit.flow), .record = std::move(fit.record)};
  model.feature_names = features_;
  model.group_column = input_.group_column;
  model.label_column = flags_.input.label;
  model.columns = input_.columns;
  model.components = input_.components;
  // By this a later reader knows the rows of the fit.
  model.metadata["data_digest"] =
      input_.digest_when_read.empty() ? digest_ : input_.digest_when_read;
  return model;
}

Model FitRun::fit(const std::string& to, bool known_to_differ) {
  RowsToJudge rows = choose_rows_to_judge(std::move(input_.groups), flags_.unseen, options_,
                                          input_.pool ? &*input_.pool : nullptr);
  Fit fit = fit_with_checkpoints(rows, known_to_differ);
  if (processes().rank() > 0) return model_of(std::move(fit));
  try {
    const StopScope scope(interrupt_flag());
    console_.progress("judging");
    judge_fit(fit, rows, to);
    if (console_.shows_progress()) {
      picture_ =
          terminal_picture(fit.judged ? *fit.judged : fit.flow, rows.judged, options_.threads);
    }
  } catch (const Stopped&) {
    if (!interrupted()) throw;
  }
  if (interrupted()) end_early(fit);
  return model_of(std::move(fit));
}

void FitRun::finish_watch(const Model& model) const {
  if (watch_) watch_->finish(model);
}

Model FitRun::leave() {
  Fit fit = fit_that_leaves(input_.groups, options_);
  if (input_.pool && !input_.pool->whole()) fit.record.given_sizes = input_.pool->sizes;
  return model_of(std::move(fit));
}

void tell_summary(const Model& model, const std::string& path, const Console& console) {
  for (const std::string& sentence : model.record.summary.sentences) console.info(sentence);
  const std::vector<std::string>& warnings = model.record.warnings;
  const std::size_t shown = std::min(warnings.size(), kMostWarnings);
  for (std::size_t i = 0; i < shown; ++i) console.warn(warnings[i]);
  if (warnings.size() > shown) {
    console.warn(fmt::format("{} more warnings{}", warnings.size() - shown,
                             path.empty() ? "" : "; conflux info " + path + " shows all"));
  }
}

Json fit_json(const Model& model, const std::string& path) {
  Json sizes;
  for (Index m = 0; m < model.flow.num_groups(); ++m) {
    sizes[model.flow.group_names()[m]] = model.record.group_sizes[m];
  }
  return {{"model", path},
          {"method", name_of(model.record.options.method)},
          {"groups", sizes},
          {"features", model.flow.dim()},
          {"layers", model.record.layers.size()},
          {"dropped_layers", model.record.dropped_layers.size()},
          {"speed", speed_json(model.record)},
          {"summary", summary_json(model.record)},
          {"warnings", model.record.warnings}};
}

}  // namespace conflux::app
