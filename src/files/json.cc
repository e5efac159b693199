#include "files/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "conflux/core/error.h"
#include "conflux/core/index.h"

namespace conflux {

namespace {

using Library = nlohmann::ordered_json;

// A model of 10,000 layers has about a million values.
constexpr Index kMostValues = 20'000'000;
// Deep enough for every file, and too shallow to exhaust the stack.
constexpr int kGreatestDepth = 100;

// Builds a value from what the library's reader reports, and refuses what parse_json() does not
// allow as soon as it comes.
class Builder : public nlohmann::json_sax<Library> {
 public:
  Builder(int max_depth, const std::string& name) : max_depth_(max_depth), name_(name) {}

  Json result() { return std::move(root_); }

  bool null() override { return put({}); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& key) override {
    if (!open_.back().keys.insert(key).second) {
      throw InvalidData(fmt::format("{} names \"{}\" twice; the file is damaged.", name_, key));
    }
    open_.back().key = std::move(key);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const Library::exception& error) override {
    throw InvalidData(fmt::format("{} is no JSON ({}); the file is damaged.", name_, error.what()));
  }

 private:
  // An object or a list whose end has not come yet; lists have no keys.
  struct Open {
    Json value;
    std::string key = {};
    std::unordered_set<std::string> keys = {};
  };

  void count() {
    if (++values_ <= kMostValues) return;
    throw InvalidData(
        fmt::format("{} has more than {} values, more than any model; the file is "
                    "damaged.",
                    name_, kMostValues));
  }

  bool put(Json value) {
    count();
    return place(std::move(value));
  }

  bool place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().value.is_array()) {
      open_.back().value.push_back(std::move(value));
    } else {
      open_.back().value.add(std::move(open_.back().key), std::move(value));
    }
    return true;
  }

  bool open(Json value) {
    if (static_cast<int>(open_.size()) >= max_depth_) {
      throw InvalidData(name_ + " is nested too deeply; the file is damaged.");
    }
    count();
    open_.push_back({std::move(value)});
    return true;
  }

  bool close() {
    Json value = std::move(open_.back().value);
    open_.pop_back();
    return place(std::move(value));
  }

  int max_depth_;
  const std::string& name_;
  Json root_;
  std::vector<Open> open_;
  Index values_ = 0;
};

}  // namespace

/// Values of ours as those of the library, which writes them.
struct JsonText {
  static Library to_library(const Json& json) {
    if (const auto* items = std::get_if<Json::Array>(&json.value_)) {
      Library::array_t out;
      for (const Json& item : *items) out.push_back(to_library(item));
      return out;
    }
    if (const auto* members = std::get_if<Json::Object>(&json.value_)) {
      // As a vector: the library's own way to add a member looks at all those before it.
      Library::object_t out;
      for (const auto& [name, value] : *members) {
        static_cast<Library::object_t::Container&>(out).emplace_back(name, to_library(value));
      }
      return out;
    }
    return std::visit(
        [](const auto& value) -> Library {
          if constexpr (std::is_constructible_v<Library, decltype(value)>) return value;
          return nullptr;
        },
        json.value_);
  }
};

Json::Json() : value_(nullptr) {}
Json::Json(std::nullptr_t) : value_(nullptr) {}
Json::Json(double number) : value_(number) {}
Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}
Json::Json(const char* text) : value_(std::string(text)) {}
Json::Json(std::initializer_list<Member> members) : value_(Object(members)) {}
Json::Json(const std::map<std::string, std::string>& members) : value_(Object()) {
  for (const auto& [name, text] : members) add(name, text);
}

Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

Json Json::array(Array items) {
  Json out;
  out.value_ = std::move(items);
  return out;
}

Json Json::object() {
  Json out;
  out.value_ = Object();
  return out;
}

bool Json::operator==(const Json& other) const {
  return JsonText::to_library(*this) == JsonText::to_library(other);
}

Json& Json::operator[](std::string_view name) {
  if (is_null()) value_ = Object();
  auto* members = std::get_if<Object>(&value_);
  if (members == nullptr) throw Error("a JSON value has no member \"" + std::string(name) + "\".");
  for (Member& member : *members) {
    if (member.name == name) return member.value;
  }
  return members->emplace_back(Member{std::string(name), {}}).value;
}

void Json::add(std::string name, Json value) {
  if (is_null()) value_ = Object();
  std::get<Object>(value_).push_back({std::move(name), std::move(value)});
}

const Json* Json::find(std::string_view name) const {
  const auto* members = std::get_if<Object>(&value_);
  if (members == nullptr) return nullptr;
  const auto found = std::find_if(members->begin(), members->end(),
                                  [&](const Member& member) { return member.name == name; });
  return found == members->end() ? nullptr : &found->value;
}

const Json& Json::at(std::string_view name) const {
  const Json* found = find(name);
  if (found == nullptr) throw Error("a JSON value has no member \"" + std::string(name) + "\".");
  return *found;
}

void Json::erase(std::string_view name) {
  if (auto* members = std::get_if<Object>(&value_)) {
    std::erase_if(*members, [&](const Member& member) { return member.name == name; });
  }
}

void Json::update(const Json& other) {
  if (other.is_null()) return;
  for (const auto& [name, value] : std::get<Object>(other.value_)) (*this)[name] = value;
}

void Json::push_back(Json item) {
  if (is_null()) value_ = Array();
  std::get<Array>(value_).push_back(std::move(item));
}

const Json::Object& Json::members() const {
  const auto* members = std::get_if<Object>(&value_);
  if (members == nullptr) throw Error("a JSON value is no object.");
  return *members;
}

const Json::Array& Json::items() const {
  const auto* items = std::get_if<Array>(&value_);
  if (items == nullptr) throw Error("a JSON value is no array.");
  return *items;
}

bool Json::boolean() const {
  if (const auto* value = std::get_if<bool>(&value_)) return *value;
  throw Error("a JSON value is neither true nor false.");
}

double Json::number() const {
  if (const auto* number = std::get_if<double>(&value_)) return *number;
  return is_count() ? static_cast<double>(count()) : static_cast<double>(whole());
}

std::int64_t Json::whole() const {
  if (const auto* number = std::get_if<std::int64_t>(&value_)) return *number;
  return static_cast<std::int64_t>(count());
}

std::uint64_t Json::count() const {
  if (const auto* number = std::get_if<std::uint64_t>(&value_)) return *number;
  throw Error("a JSON value is no whole number.");
}

const std::string& Json::text() const {
  if (const auto* text = std::get_if<std::string>(&value_)) return *text;
  throw Error("a JSON value is no text.");
}

std::vector<double> Json::numbers() const {
  std::vector<double> out;
  for (const Json& item : items()) out.push_back(item.number());
  return out;
}

std::string Json::dump(int indent) const {
  return JsonText::to_library(*this).dump(indent, ' ', false, Library::error_handler_t::replace);
}

std::optional<Json> Json::parse(std::string_view text) try {
  return parse_json(text, kGreatestDepth, "the text");
} catch (const InvalidData&) {
  return std::nullopt;
}

Json parse_json(std::string_view text, int max_depth, const std::string& name) {
  Builder builder(max_depth, name);
  Library::sax_parse(text.begin(), text.end(), &builder);
  return builder.result();
}

std::string to_text(const Json& json) {
  try {
    return JsonText::to_library(json).dump();
  } catch (const Library::exception&) {
    throw InvalidData(
        "a name of a group or a feature is not valid UTF-8, which model files are written in; "
        "rename it, or convert the data to UTF-8.");
  }
}

}  // namespace conflux
