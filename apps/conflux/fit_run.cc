#include "fit_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
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
#include "options/option_table.h"
#include "options/option_text.h"
#include "processes.h"
#include "record_json.h"
#include "report/terminal_picture.h"
#include "resumed_words.h"
#include "storage/record_json.h"
#include "support/interrupt.h"
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

// The options of the library, with their names, help and defaults.
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

// One map per marker on the arcsinh scale generalizes to donors that the fit has not seen; maps of
// combinations of markers learn which cells the control's donor has.
void use_cytometry(FitFlags& flags, const Console& console) {
  std::string& cofactor = flags.input.choice.arcsinh;
  if (cofactor.empty()) cofactor = "5";
  console.info(fmt::format("preset cytometry: arcsinh(x / {}){}", cofactor,
                           was_given(flags, "method") ? "" : ", one map per marker (--method nb)"));
}

// Warnings of a fit that are printed; the model keeps all.
constexpr std::size_t kMostWarnings = 3;

}  // namespace

std::vector<Flag> fit_flags(FitFlags& flags) {
  std::vector<Flag> out = {
      tables_flag(flags.input),
      group_flag(flags.input.group,
                 "column with the group of each row; a,b: each pair of values is a group"),
      label_flag(flags.input,
                 "class of each row (cell type, digit); a,b crosses two: rows are aligned within "
                 "it"),
      features_flag(flags.input.features,
                    "columns to align, say age,PC*,X1:X20 [all numbers and small categories]"),
      drop_flag(flags.input),
      keep_flag(flags.input),
      row_weights_flag(flags.input),
      {.names = "--fit-where",
       .value = "CONDITION",
       .help = "fit on these rows only, say type=control or year<1981",
       .target = &flags.input.where},
      {.names = "--preset",
       .value = "NAME",
       .help = "defaults of the options: auto, cytometry or paper [auto]",
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
        .help = "file to save the unfinished fit in",
        .target = &flags.checkpoint,
        .shown = Shown::kToExperts},
       {.names = "--every",
        .value = "N",
        .help = "layers between checkpoints [10]",
        .target = &flags.every,
        .least = 1,
        .shown = Shown::kToExperts},
       {.names = "--resume",
        .value = "FILE",
        .help = "continue from a checkpoint, which holds the options; same bits as without a stop",
        .target = &flags.resume,
        .shown = Shown::kToExperts},
       {.names = "--no-judge",
        .help = "do not score the finished model; saves time",
        .target = &flags.no_judge,
        .shown = Shown::kToExperts},
       {.names = "--max-memory",
        .value = "BYTES",
        .help = "refuse to start if more is needed, say 4G [what the machine has]",
        .target = &flags.max_memory,
        .shown = Shown::kToExperts}});
  add(input_flags(flags.input.table));
  return out;
}

std::vector<std::string> complete_fit(FitFlags& flags, std::vector<std::string> words,
                                      const std::vector<Flag>& known) {
  flags.words = with_resumed_words(std::move(words), known);
  return flags.words;
}

ResultFiles results_of_fit(const FitFlags& flags, bool force) {
  std::vector<std::string> inputs = files_read(flags.input);
  std::error_code ignored;
  const bool goes_on = std::filesystem::equivalent(flags.checkpoint, flags.resume, ignored);
  if (!goes_on) inputs.push_back(flags.resume);
  ResultFiles out(inputs, force);
  out.add(flags.checkpoint, FileKind::kModel);
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
  data_ = read_dataset(dataset_options(flags_.input), dataset_hooks(console));
  const GroupSet& groups = data_.groups;
  check_names(groups.names(), groups.feature_names());
  columns_ = data_.columns;
  // One process reads all rows for the digest.
  const bool looks = !in_place() || processes().rank() == 0;
  rows_digest_ = looks ? data_digest(groups) : "";
  if (in_place()) rows_digest_ = gather_texts({rows_digest_}, processes()).front().front();
  digest_ = checkpoint_digest(groups, rows_digest_);
  if (flags.unseen > 0) digest_ += fmt::format("-{}", flags.unseen);
  if (!flags.resume.empty()) earlier_ = load_checkpoint(flags.resume, digest_);
  options_ = chosen_options(flags_, groups.num_groups(), earlier_ ? &*earlier_ : nullptr);
  align_ = {.fit = options_,
            .unseen = flags_.unseen,
            .gate_by_labels = !flags_.input.label.empty() && !was_given(flags_, "gate") &&
                              flags_.preset != "paper" && !earlier_,
            .judge = !flags_.no_judge};
  options_ = options_for(data_, align_, shown_on(console));
  align_.fit = options_;
  align_.gate_by_labels = false;
  if (groups.num_groups() > 1 && data_.storage != RowStorage::kDisk) {
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

AlignHooks FitRun::hooks(std::optional<Fit>& finished) {
  AlignHooks out{.on_message = shown_on(console_),
                 .resume = earlier_ ? &*earlier_ : nullptr,
                 .processes = &processes(),
                 .digest = data_.digest_when_read.empty() ? rows_digest_ : data_.digest_when_read};
  // The use of the columns is printed once the options are known to suit them.
  out.on_progress = [this, &finished](const Fit& so_far) {
    show_columns_once();
    show_progress(so_far, console_);
    if (watch_) watch_->show(so_far.flow);
    if (flags_.checkpoint.empty() || processes().rank() > 0) return;
    const auto layers = static_cast<Index>(so_far.record.layers.size());
    finished = so_far;
    if (layers % flags_.every != 0) return;
    save_checkpoint(flags_.checkpoint, so_far, digest_, {{kCommand, command_text(flags_.words)}});
  };
  if (in_place()) out.on_layer = [](const LayerRecord&) { return !interrupted(); };
  out.on_judged = [this](const Flow& flow, const GroupSet& rows) {
    show_columns_once();
    if (console_.shows_progress()) picture_ = terminal_picture(flow, rows, options_.threads);
  };
  return out;
}

void FitRun::show_columns_once() {
  if (!std::exchange(columns_shown_, true)) show_columns(columns_, console_);
}

Aligned FitRun::run(const Work& work, const AlignHooks& hooks, const std::optional<Fit>& finished) {
  std::optional<Aligned> done;
  try {
    // Processes that fit together end after the same layer.
    std::optional<StopScope> scope;
    if (!in_place()) scope.emplace(interrupt_flag());
    done = work(std::move(data_), align_, hooks);
  } catch (const Stopped&) {
    if (!interrupted()) throw;
  }
  double ended = interrupted() ? 1 : 0;
  if (in_place()) processes().max(std::span(&ended, 1));
  if (ended > 0) end_early(finished);
  return *std::move(done);
}

Aligned FitRun::fit() {
  // The layers so far, which share their numbers with those of the fit: a signal may come in the
  // middle of a layer, and the finished ones are worth keeping.
  std::optional<Fit> finished;
  return run(fit_model, hooks(finished), finished);
}

Aligned FitRun::align(const std::string& to) {
  align_.to = to;
  std::optional<Fit> finished;
  AlignHooks watching = hooks(finished);
  watching.on_check = [this](const CheckReport& found) {
    for (const std::string& sentence : found.sentences) console_.info(sentence);
  };
  return run(conflux::align, watching, finished);
}

void FitRun::finish_watch(const Model& model) const {
  if (watch_) watch_->finish(model);
}

void tell_summary(const Model& model, const std::string& path, const FitFlags& flags,
                  const Console& console) {
  if (flags.no_judge) {
    console.info(
        "Not scored, as --no-judge asks: run conflux evaluate to see whether the groups still "
        "differ.");
    for (const std::string& sentence : model.record.ladder.sentences) console.info(sentence);
  }
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
          {"ladder",
           model.record.ladder.sentences.empty() ? Json() : ladder_to_json(model.record.ladder)},
          {"summary", summary_json(model.record)},
          {"warnings", model.record.warnings}};
}

}  // namespace conflux::app
