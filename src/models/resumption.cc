#include "models/resumption.h"

#include <fmt/format.h>

#include <string_view>
#include <type_traits>
#include <utility>

#include "conflux/core/error.h"

namespace conflux {

namespace {

// Every option as text, by name.
struct OptionTexts {
  std::vector<std::pair<std::string_view, std::string>> texts = {};

  template <class T>
  void operator()(const OptionInfo& info, const T& value) {
    texts.emplace_back(info.name, text(value));
  }

  template <class T>
  static std::string text(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      return std::string(name_of(value));
    } else {
      return fmt::format("{}", value);
    }
  }
  template <class T>
  static std::string text(const std::optional<T>& value) {
    return value ? text(*value) : "unset";
  }
  static std::string text(const GroupWeights& weights) { return to_text(weights); }
  static std::string text(const std::string& value) { return "\"" + value + "\""; }
};

}  // namespace

void check_same_options(const FitOptions& earlier, const FitOptions& now) {
  OptionTexts before;
  OptionTexts after;
  visit_options(earlier, before);
  visit_options(now, after);
  for (std::size_t i = 0; i < before.texts.size(); ++i) {
    const auto& [name, text] = before.texts[i];
    if (name == "threads" || text == after.texts[i].second) continue;
    throw InvalidOption(fmt::format(
        "{} is {} but the fit to resume from had {}; give it the same options, or start anew.",
        name, after.texts[i].second, text));
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
