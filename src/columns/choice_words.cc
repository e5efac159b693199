// The words of ColumnOptions, in one place for all front ends.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "conflux/columns/find_columns.h"
#include "conflux/core/error.h"

namespace conflux {

namespace {

template <class Value>
using Word = std::pair<std::string_view, Value>;

constexpr std::array<Word<ScaleChoice>, 4> kScaleWords = {{{"auto", ScaleChoice::kAuto},
                                                           {"standard", ScaleChoice::kStandard},
                                                           {"normal", ScaleChoice::kNormal},
                                                           {"none", ScaleChoice::kNone}}};
constexpr std::array<Word<Repeats>, 2> kRepeatsWords = {
    {{"spread", Repeats::kSpread}, {"keep", Repeats::kKeep}}};
constexpr std::array<Word<MissingRule>, 4> kMissingWords = {{{"auto", MissingRule::kAuto},
                                                             {"refuse", MissingRule::kRefuse},
                                                             {"drop", MissingRule::kDrop},
                                                             {"empty", MissingRule::kEmpty}}};

std::vector<std::string> names_in(const auto& words) {
  std::vector<std::string> out;
  out.reserve(std::size(words));
  for (const auto& [name, value] : words) out.emplace_back(name);
  return out;
}

void choose(auto& out, const auto& words, std::string_view name, std::string_view word) {
  for (const auto& [known, value] : words) {
    if (known != word) continue;
    out = value;
    return;
  }
  throw InvalidOption(
      fmt::format("{} is \"{}\"; choose one of {}.", name, word, fmt::join(names_in(words), ", ")));
}

}  // namespace

void set_column_choice(ColumnOptions& options, std::string_view name, std::string_view word) {
  if (name == "scale") return choose(options.scale, kScaleWords, name, word);
  if (name == "repeats") return choose(options.repeats, kRepeatsWords, name, word);
  if (name == "missing") return choose(options.missing, kMissingWords, name, word);
  throw InvalidOption(fmt::format("columns have no choice \"{}\".", name));
}

std::vector<std::string> column_choice_words(std::string_view name) {
  if (name == "scale") return names_in(kScaleWords);
  return name == "repeats" ? names_in(kRepeatsWords) : names_in(kMissingWords);
}

}  // namespace conflux
