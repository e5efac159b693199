#include "training/resumption.h"

#include <fmt/format.h>

#include "comm/agreement.h"
#include "conflux/core/error.h"
#include "options/option_text.h"

namespace conflux {

namespace {

[[noreturn]] void refuse(const OptionText& now, const OptionText& before) {
  throw InvalidOption(fmt::format(
      "{} is {} but the fit to resume from had {}; give it the same options, or start anew.",
      now.name, now.value, before.value));
}

}  // namespace

void check_same_options(const FitOptions& earlier, const FitOptions& now) {
  const std::vector<OptionText> before = option_texts(earlier);
  const std::vector<OptionText> after = option_texts(now);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].name != "threads" && before[i].value != after[i].value) {
      refuse(after[i], before[i]);
    }
  }
}

FitOptions options_to_resume(const FitOptions& earlier, const FitOptions& requested) {
  const std::vector<OptionText> defaults = option_texts(FitOptions{});
  const std::vector<OptionText> asked = option_texts(requested);
  const std::vector<OptionText> before = option_texts(earlier);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    // The goal has led to the method that the earlier fit had.
    const bool kept = asked[i].name == "threads" || asked[i].name == "goal";
    const bool given = !kept && asked[i].value != defaults[i].value;
    if (given && asked[i].value != before[i].value) refuse(asked[i], before[i]);
  }
  FitOptions out = earlier;
  out.threads = requested.threads;
  return out;
}

void check_same_requests(const FitOptions& options, Communicator& comm) {
  std::vector<std::string> names, values;
  for (const OptionText& option : option_texts(options)) {
    if (option.name == "threads") continue;
    names.push_back(option.name);
    values.push_back(option.value);
  }
  const auto all = gather_texts(values, comm);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (all[rank][i] == all[0][i]) continue;
      throw InvalidOption(fmt::format(
          "{} is {} on process {} but {} on process 0; give all processes the same options.",
          names[i], all[rank][i], rank, all[0][i]));
    }
  }
}

void check_same_groups(const Fit& earlier, const Fit& now) {
  if (earlier.flow.group_names() == now.flow.group_names() &&
      earlier.flow.dim() == now.flow.dim() &&
      earlier.record.group_sizes == now.record.group_sizes) {
    return;
  }
  throw InvalidData(
      "the fit to resume from had other groups, features or numbers of rows; give it the same "
      "data, or start anew.");
}

}  // namespace conflux
