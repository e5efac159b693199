#include "resumed_words.h"

#include <algorithm>
#include <map>

#include "conflux/storage/checkpoint.h"
#include "files/json.h"
#include "support/command_line.h"

namespace conflux::app {

namespace {

std::vector<std::string> words_of_checkpoint(const std::string& path) {
  const std::map<std::string, std::string> known = checkpoint_metadata(path);
  const auto command = known.find(kCommand);
  if (command == known.end()) return {};
  const auto earlier = Json::parse(command->second);
  std::vector<std::string> out;
  if (!earlier) return out;
  for (const Json& word : earlier->items()) out.push_back(word.text());
  return out;
}

}  // namespace

std::vector<std::string> with_resumed_words(std::vector<std::string> words,
                                            const std::vector<Flag>& flags) {
  const std::vector<GivenFlag> now = parse_words(flags, words);
  std::string checkpoint;
  for (const GivenFlag& each : now) {
    // If tables are given, nothing is taken from the checkpoint.
    if (each.flag->positional()) return words;
    if (each.flag->name() == "--resume") checkpoint = each.words.front();
  }
  if (checkpoint.empty()) return words;
  std::vector<std::string> arguments = {"--"};
  const std::vector<std::string> earlier = words_of_checkpoint(checkpoint);
  for (const GivenFlag& each : parse_words(flags, earlier)) {
    const bool again = std::any_of(now.begin(), now.end(),
                                   [&](const GivenFlag& other) { return other.flag == each.flag; });
    if (again) continue;
    if (each.flag->is_switch()) words.push_back(each.flag->name());
    for (const std::string& word : each.words) {
      each.flag->positional() ? arguments.push_back(word)
                              : words.push_back(each.flag->name() + "=" + word);
    }
  }
  if (arguments.size() > 1) words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

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

}  // namespace conflux::app
