// conflux fit: learns the maps.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "conflux/core/error.h"
#include "conflux/options/option_text.h"
#include "conflux/storage/checkpoint.h"
#include "conflux/storage/model_file.h"
#include "conflux/training/memory.h"
#include "core/nearest_name.h"
#include "core/stop.h"
#include "file_checks.h"
#include "grouped_input.h"
#include "record_json.h"
#include "support/interrupt.h"
#include "verbs.h"

namespace conflux::app {

namespace {

struct FitFlags {
  GroupedInputFlags input;
  std::string output;
  std::string preset = "auto";
  std::string checkpoint;
  Index every = 10;
  std::string resume;
  std::string max_memory;
  bool force = false;
  /// Options of the library that were given, by name.
  std::vector<std::pair<std::string, std::string>> given;
  /// The command line, for who goes on from a checkpoint.
  std::vector<std::string> words;
};

constexpr const char* kCommand = "command";

// --resume FILE, perhaps with switches, is all that a fit needs to go on: the checkpoint knows the
// command line it came from.
std::vector<std::string> with_resumed_words(std::vector<std::string> words) {
  std::string checkpoint;
  const std::vector<std::string> switches = {"-q",        "--quiet", "-v",
                                             "--verbose", "--json",  "--force"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--resume" && i + 1 < words.size()) {
      checkpoint = words[++i];
    } else if (words[i].starts_with("--resume=")) {
      checkpoint = words[i].substr(std::string("--resume=").size());
    } else if (std::find(switches.begin(), switches.end(), words[i]) == switches.end()) {
      return words;
    }
  }
  if (checkpoint.empty()) return words;
  const std::map<std::string, std::string> known = checkpoint_metadata(checkpoint);
  const auto command = known.find(kCommand);
  if (command == known.end()) return words;
  const auto earlier = Json::parse(command->second);
  if (!earlier) return words;
  for (const Json& word : earlier->items()) words.push_back(word.text());
  return words;
}

// Without --resume and what it names, which is said anew.
std::string command_text(const std::vector<std::string>& words) {
  Json out = Json::array();
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--resume") {
      ++i;
    } else if (!words[i].starts_with("--resume=")) {
      out.push_back(words[i]);
    }
  }
  return out.dump();
}

std::string flag_of(std::string name) {
  for (char& c : name) c = c == '_' ? '-' : c;
  return name;
}

// The options of the library, which knows their names, texts and defaults.
std::vector<Flag> library_flags(FitFlags& flags) {
  std::vector<Flag> out;
  for (const OptionText& option : option_texts({})) {
    if (option.name == "scale") continue;  // belongs to the columns of tables
    const std::string& shown = option.unset.empty() ? option.value : option.unset;
    const std::string name = "--" + flag_of(option.name);
    out.push_back({.names = option.name == "threads" ? "-j," + name : name,
                   .value = option.values,
                   .help = option.help + " [" + shown + "]",
                   .target = [&flags, key = option.name](
                                 const std::string& text) { flags.given.emplace_back(key, text); },
                   .shown = option.expert ? Shown::kToExperts : Shown::kAlways});
  }
  return out;
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
  }
  for (const auto& [name, text] : flags.given) set_option(options, name, text);
  return options;
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

// Keeps the finished layers, if there are any and somewhere to keep them.
[[noreturn]] void end_early(const std::optional<Fit>& finished, const FitFlags& flags,
                            const std::string& digest) {
  if (flags.checkpoint.empty()) {
    throw Interrupted("interrupted; no model was written (--checkpoint keeps the work).");
  }
  if (!finished) throw Interrupted("interrupted before the first layer; nothing was written.");
  save_checkpoint(flags.checkpoint, *finished, digest, {{kCommand, command_text(flags.words)}});
  throw Interrupted(
      fmt::format("interrupted; go on with conflux fit --resume {}.", flags.checkpoint));
}

Fit fit_with_checkpoints(GroupSet groups, const Columns& columns, const FitFlags& flags,
                         const FitOptions& options, const Fit* earlier, const std::string& digest,
                         const Console& console) {
  // The layers so far, which share their numbers with those of the fit: a signal may come in the
  // middle of a layer, and the finished ones are worth keeping.
  std::optional<Fit> finished;
  FitControl control;
  control.resume = earlier;
  // What the columns are used as is said as soon as the options have turned out to suit them.
  bool shown = false;
  control.on_progress = [&](const Fit& so_far) {
    if (!std::exchange(shown, true)) show_columns(columns, console);
    show_progress(so_far, console);
    if (flags.checkpoint.empty()) return;
    const auto layers = static_cast<Index>(so_far.record.layers.size());
    finished = so_far;
    if (layers % flags.every != 0) return;
    save_checkpoint(flags.checkpoint, so_far, digest, {{kCommand, command_text(flags.words)}});
  };
  SelfCommunicator comm;
  std::optional<Fit> fit;
  try {
    const StopScope scope(interrupt_flag());
    fit = fit_flow(std::move(groups), options, comm, {}, control);
  } catch (const Stopped&) {
    if (!interrupted()) throw;
  }
  if (interrupted()) end_early(finished, flags, digest);
  if (!shown) show_columns(columns, console);
  return *std::move(fit);
}

Json summary_of(const Model& model, const std::string& output) {
  Json sizes;
  for (Index m = 0; m < model.flow.num_groups(); ++m) {
    sizes[model.flow.group_names()[m]] = model.record.group_sizes[m];
  }
  return {{"model", output},
          {"method", name_of(model.record.options.method)},
          {"groups", sizes},
          {"features", model.flow.dim()},
          {"layers", model.record.layers.size()},
          {"dropped_layers", model.record.dropped_layers.size()},
          {"speed", speed_json(model.record)},
          {"warnings", model.record.warnings}};
}

// Many groups may share a trouble; the model keeps every sentence.
constexpr std::size_t kMostWarnings = 3;

void warn_about(const std::vector<std::string>& warnings, const std::string& model,
                const Console& console) {
  const std::size_t shown = std::min(warnings.size(), kMostWarnings);
  for (std::size_t i = 0; i < shown; ++i) console.warn(warnings[i]);
  if (warnings.size() > shown) {
    console.warn(
        fmt::format("{} more warnings; conflux info {} shows all", warnings.size() - shown, model));
  }
}

// The one figure that everybody understands, before and after, and why the fit ended.
void tell_guesses(const FitRecord& record, const Console& console) {
  if (!record.guesses.empty()) {
    const GuessRecord& before = record.guesses.front();
    const GuessRecord& after = record.guesses.back();
    console.info(fmt::format(
        "whose row is it? guessed with an AUC of {:.3f} before and {:.3f} after, on rows that the "
        "maps were not fitted on (0.5 is a coin, chance ends at {:.3f})",
        before.auc, after.auc, after.by_chance));
  }
  if (!record.stop.empty()) console.info(record.stop);
}

// A checkpoint may replace the one that the fit goes on from.
void check_files(const FitFlags& flags) {
  std::vector<std::string> inputs = flags.input.paths;
  check_output(flags.checkpoint, FileKind::kModel, inputs, flags.force);
  if (!flags.resume.empty()) inputs.push_back(flags.resume);
  check_output(flags.output, FileKind::kModel, inputs, flags.force);
}

void run_fit(const FitFlags& given, const Console& console) {
  FitFlags flags = given;
  check_files(flags);
  FitOptions parsed;
  for (const auto& [name, text] : flags.given) {
    if (name == "threads" || name == "seed") set_option(parsed, name, text);
  }
  flags.input.threads = parsed.threads;
  flags.input.seed = parsed.seed;
  if (!flags.max_memory.empty()) flags.input.max_memory = bytes_from_text(flags.max_memory);
  GroupedInput input = read_groups(flags.input, console);
  GroupSet& groups = input.groups;
  check_names(groups.names(), groups.feature_names());
  const Index num_rows = groups.num_samples();
  const std::vector<std::string> features = groups.feature_names();
  check_memory(memory_of_fit(num_rows, groups.dim(), groups[0].rows.single()),
               bytes_from_text(flags.max_memory));

  const std::string digest = data_digest(groups);
  std::optional<Fit> earlier;
  if (!flags.resume.empty()) earlier = load_checkpoint(flags.resume, digest);
  const Fit* resumed = earlier ? &*earlier : nullptr;
  const FitOptions options = chosen_options(flags, groups.num_groups(), resumed);
  if (groups.num_groups() > 1) {
    check_memory(memory_needed(shape_of(groups), groups[0].rows.single(), options),
                 bytes_from_text(flags.max_memory));
  }
  catch_interrupts();
  Fit fit = fit_with_checkpoints(std::move(groups), input.columns, flags, options, resumed, digest,
                                 console);

  Model model{.flow = std::move(fit.flow), .record = std::move(fit.record)};
  model.feature_names = features;
  model.group_column = input.group_column;
  model.label_column = flags.input.label;
  model.columns = std::move(input.columns);
  model.metadata["data_digest"] = digest;
  save_model(flags.output, model);
  warn_about(model.record.warnings, flags.output, console);
  console.info(
      fmt::format("{}: {} layers for {} groups of {} features, fitted on {} rows in {:.2f} s",
                  flags.output, model.record.layers.size(), model.flow.num_groups(),
                  model.flow.dim(), num_rows, model.record.seconds));
  tell_guesses(model.record, console);
  if (console.json) print_json(summary_of(model, flags.output));
}

}  // namespace

Verb fit_verb() {
  const auto flags = std::make_shared<FitFlags>();
  Verb verb{.name = "fit",
            .description = "learn one invertible map per group into a shared space",
            .example = "conflux fit cells.csv --group batch --label cell_type -o cells.conflux",
            .run = [flags](const Console& console) { run_fit(*flags, console); }};
  verb.add({tables_flag(flags->input),
            {.names = "-o,--output",
             .value = "MODEL",
             .help = "model file to write",
             .target = &flags->output,
             .required = true},
            group_flag(flags->input.group, "column that tells the groups; a,b crosses two"),
            label_flag(flags->input, "column that is carried along, never a feature"),
            features_flag(flags->input.features,
                          "columns to align; also PC*, or PC1:PC20 [all that can be]"),
            drop_flag(flags->input),
            {.names = "--fit-where",
             .value = "COLUMN=VALUE",
             .help = "fit on these rows only, say controls; the model serves all",
             .target = &flags->input.where},
            {.names = "--preset",
             .value = "auto|paper",
             .help = "where options start from: ours, or the paper's [auto]",
             .target = &flags->preset,
             .choices = {"auto", "paper"}}});
  verb.add(column_choice_flags(flags->input.choice));
  verb.add(join_flags(flags->input));
  verb.add(library_flags(*flags));
  verb.add({{.names = "--checkpoint",
             .value = "FILE",
             .help = "keep the unfinished fit in this file",
             .target = &flags->checkpoint},
            {.names = "--every",
             .value = "N",
             .help = "layers between checkpoints [10]",
             .target = &flags->every,
             .least = 1,
             .shown = Shown::kToExperts},
            {.names = "--resume",
             .value = "FILE",
             .help = "go on from a checkpoint; needs nothing else: same bits",
             .target = &flags->resume},
            {.names = "--max-memory",
             .value = "BYTES",
             .help = "refuse to start if more is needed, say 4G [what the machine has]",
             .target = &flags->max_memory,
             .shown = Shown::kToExperts},
            force_flag(flags->force)});
  verb.add(input_flags(flags->input.table));
  verb.complete = [flags](std::vector<std::string> words) {
    flags->words = with_resumed_words(std::move(words));
    return flags->words;
  };
  return verb;
}

}  // namespace conflux::app
