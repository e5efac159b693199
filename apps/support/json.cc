#include "support/json.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "conflux/core/error.h"

namespace conflux::app {

using Library = nlohmann::ordered_json;

/// Values of ours as those of the library, and back.
struct JsonText {
  static Library to_library(const Json& json) {
    if (const auto* items = std::get_if<Json::Array>(&json.value_)) {
      Library out = Library::array();
      for (const Json& item : *items) out.push_back(to_library(item));
      return out;
    }
    if (const auto* members = std::get_if<Json::Object>(&json.value_)) {
      Library out = Library::object();
      for (const auto& [name, value] : *members) out[name] = to_library(value);
      return out;
    }
    return std::visit(
        [](const auto& value) -> Library {
          if constexpr (std::is_constructible_v<Library, decltype(value)>) return value;
          return nullptr;
        },
        json.value_);
  }

  static Json from_library(const Library& library) {
    if (library.is_object()) {
      Json out = Json::object();
      for (const auto& [name, value] : library.items()) out[name] = from_library(value);
      return out;
    }
    if (library.is_array()) {
      Json out = Json::array();
      for (const Library& item : library) out.push_back(from_library(item));
      return out;
    }
    if (library.is_string()) return library.get<std::string>();
    if (library.is_boolean()) return library.get<bool>();
    if (library.is_number_unsigned()) return library.get<std::uint64_t>();
    if (library.is_number_integer()) return library.get<std::int64_t>();
    if (library.is_number()) return library.get<double>();
    return nullptr;
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
  for (const auto& [name, text] : members) (*this)[name] = text;
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

bool Json::is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
bool Json::is_object() const { return std::holds_alternative<Object>(value_); }
bool Json::is_text() const { return std::holds_alternative<std::string>(value_); }

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

double Json::number() const {
  if (const auto* number = std::get_if<double>(&value_)) return *number;
  return static_cast<double>(whole());
}

std::int64_t Json::whole() const {
  if (const auto* number = std::get_if<std::int64_t>(&value_)) return *number;
  if (const auto* number = std::get_if<std::uint64_t>(&value_)) {
    return static_cast<std::int64_t>(*number);
  }
  throw Error("a JSON value is no number.");
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

std::optional<Json> Json::parse(std::string_view text) {
  const Library parsed = Library::parse(text, nullptr, false);
  if (parsed.is_discarded()) return std::nullopt;
  return JsonText::from_library(parsed);
}

void print_json(const Json& json) { std::printf("%s\n", json.dump(2).c_str()); }

}  // namespace conflux::app
