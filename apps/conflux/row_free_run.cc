#include "row_free_run.h"

#include <fmt/format.h>

#include <numeric>

#include "comm/agreement.h"
#include "conflux/core/error.h"
#include "conflux/storage/checkpoint.h"
#include "dataset/group_names.h"
#include "options/option_text.h"
#include "processes.h"
#include "tables/npy.h"
#include "training/row_free.h"

namespace conflux::app {

namespace {

void refuse_other_flags(const FitFlags& flags) {
  const GroupedInputFlags& input = flags.input;
  const bool plain = input.group.empty() && input.label.empty() && input.where.empty() &&
                     input.meta.empty() && input.features.empty() && input.drop.empty() &&
                     input.choice.empty() && flags.checkpoint.empty() && flags.resume.empty() &&
                     flags.preset == "auto";
  if (plain) return;
  throw InvalidOption(
      "--share summaries fits .npy files, one for each group, without column choices, checkpoints "
      "or presets; leave these flags out.");
}

void check_search_steps(Index steps) {
  if (steps <= kRowFreeSteps) return;
  throw InvalidOption(fmt::format(
      "search_steps is {}; with --share summaries a layer has at most {}, which is {} exchanges. "
      "Choose more layers (--layers) instead.",
      steps, kRowFreeSteps, kMostExchanges));
}

GroupSet read_own_groups(const GroupedInputFlags& flags) {
  GroupSet out;
  for (const std::string& path : flags.paths) {
    const MappedNpy file = map_npy(path);
    std::vector<Index> all(static_cast<std::size_t>(file.rows()));
    std::iota(all.begin(), all.end(), Index{0});
    const std::string name = renamed(stem_of(path), flags.rename);
    if (file.holds<float>()) {
      out.add(name, Matrix(file.read_rows<float>(all).cast<double>()));
    } else {
      out.add(name, file.read_rows<double>(all));
    }
  }
  std::vector<std::string> features;
  for (Index j = 0; j < out.dim(); ++j) features.push_back(fmt::format("c{}", j));
  out.set_feature_names(features);
  return out;
}

}  // namespace

Model fit_row_free_groups(const FitFlags& flags) {
  Communicator& comm = processes();
  GroupSet mine;
  FitOptions options;
  do_together(comm, [&] {
    refuse_other_flags(flags);
    for (const auto& [name, text] : flags.given) {
      set_option(options, name, text);
      if (name == "search_steps") check_search_steps(options.search_steps);
    }
    mine = read_own_groups(flags.input);
  });
  Model out;
  out.feature_names = mine.feature_names();
  out.metadata["data_digest"] = data_digest(mine);
  Fit fit = fit_row_free(std::move(mine), options, comm);
  out.flow = std::move(fit.flow);
  out.record = std::move(fit.record);
  return out;
}

}  // namespace conflux::app
