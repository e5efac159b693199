#include "storage/json_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "conflux/core/error.h"

namespace conflux {

Json parse_json(std::string_view text, int max_depth, const std::string& name) {
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > max_depth) throw InvalidData(name + " is nested too deeply; the file is damaged.");
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key &&
        !keys.back().insert(parsed.get<std::string>()).second) {
      throw InvalidData(fmt::format("{} names \"{}\" twice; the file is damaged.", name,
                                    parsed.get<std::string>()));
    }
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), watch);
  } catch (const Json::exception& error) {
    throw InvalidData(fmt::format("{} is no JSON ({}); the file is damaged.", name, error.what()));
  }
}

std::string to_text(const OrderedJson& json) {
  try {
    return json.dump();
  } catch (const OrderedJson::exception&) {
    throw InvalidData(
        "a name of a group or a feature is not valid UTF-8, which model files are written in; "
        "rename it, or convert the data to UTF-8.");
  }
}

}  // namespace conflux
