#include "resumed_words.h"

#include <algorithm>
#include <map>

#include "conflux/storage/checkpoint.h"
#include "files/json.h"

namespace conflux::app {

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
