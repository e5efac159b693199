#include "dataset/column_file.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "conflux/core/error.h"
#include "files/json.h"
#include "files/whole_file.h"

namespace conflux {

namespace {

[[noreturn]] void refuse_file(const std::string& path, const std::string& what) {
  throw InvalidData(fmt::format(
      "{}: {}; conflux check --write-columns writes a file to start from.", path, what));
}

std::string support_word(const Interval& support) {
  if (support == Interval{}) return "any";
  if (support == Interval{0, Interval{}.high}) return "positive";
  if (support == Interval{0, 1}) return "unit";
  return fmt::format("{}:{}", std::isinf(support.low) ? "" : fmt::format("{}", support.low),
                     std::isinf(support.high) ? "" : fmt::format("{}", support.high));
}

}  // namespace

void read_column_file(const std::string& path, ColumnOptions& options) {
  const Bytes bytes = read_whole_file(path);
  const auto json =
      Json::parse(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  if (!json || !json->is_object()) refuse_file(path, "this is no JSON object with columns");
  for (const Json::Member& member : json->members()) {
    if (member.value.is_text()) {
      options.as.emplace_back(member.name, member.value.text());
      continue;
    }
    if (!member.value.is_object()) {
      refuse_file(path, fmt::format("column \"{}\" is neither a word nor an object", member.name));
    }
    for (const Json::Member& word : member.value.members()) {
      if (!word.value.is_text() || (word.name != "as" && word.name != "support")) {
        refuse_file(path, fmt::format("column \"{}\": \"{}\" is not \"as\" or \"support\" with a "
                                      "word",
                                      member.name, word.name));
      }
      (word.name == "as" ? options.as : options.support)
          .emplace_back(member.name, word.value.text());
    }
  }
}

std::string column_file_text(const Columns& columns) {
  Json out = Json::object();
  for (const Feature& feature : columns.features) {
    const std::vector<std::string> words = {"number", "whole", "repeated", "category"};
    const std::string& word = words[static_cast<std::size_t>(feature.kind)];
    Json entry = {
        {"as", feature.cofactor > 0 ? fmt::format("arcsinh:{}", feature.cofactor) : word}};
    if (!feature.category()) entry["support"] = support_word(feature.support);
    out[feature.name] = entry;
  }
  for (const CarriedColumn& column : columns.carried) out[column.name] = Json{{"as", "ignore"}};
  return out.dump(2) + "\n";
}

}  // namespace conflux
