// A JSON value of our own, so that only json.cc includes the large library that reads and writes
// the text.
//
//   Json summary = {{"rows", 3}, {"groups", names}};
//   summary["seconds"] = 0.5;
//   std::string text = summary.dump();
//
// Objects keep the order in which their members were added.

#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace conflux {

class Json {
 public:
  struct Member;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;

  /// null
  Json();
  Json(std::nullptr_t);
  Json(double number);
  Json(std::string text);
  Json(std::string_view text);
  Json(const char* text);
  Json(std::initializer_list<Member> members);
  Json(const std::map<std::string, std::string>& members);
  template <std::integral Whole>
  Json(Whole number) : Json(from_whole(number)) {}
  /// null when it is unset.
  template <typename Value>
  Json(const std::optional<Value>& value) {
    if (value) *this = Json(*value);
  }
  template <typename Value>
  Json(const std::vector<Value>& values) : Json(array()) {
    for (const Value& value : values) push_back(value);
  }

  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  static Json array(Array items = {});
  static Json object();

  bool is_null() const { return is<std::nullptr_t>(); }
  bool is_object() const { return is<Object>(); }
  bool is_array() const { return is<Array>(); }
  bool is_text() const { return is<std::string>(); }
  bool is_boolean() const { return is<bool>(); }
  bool is_number() const { return is_whole() || is<double>(); }
  bool is_whole() const { return is_count() || is<std::int64_t>(); }
  /// A whole number that was not written with a sign.
  bool is_count() const { return is<std::uint64_t>(); }
  /// Numbers are compared by their values, objects member by member in order.
  bool operator==(const Json& other) const;

  /// The member of an object, which is added when it is not there; null becomes an object.
  Json& operator[](std::string_view name);
  /// Throws Error when the object has no such member.
  const Json& at(std::string_view name) const;
  /// Null when there is no such member.
  const Json* find(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  void erase(std::string_view name);
  /// Adds a member that the object does not have yet, without looking for it: long objects are
  /// built in linear time. Null becomes an object.
  void add(std::string name, Json value);
  /// Adds the members of another object, replacing those of the same name.
  void update(const Json& other);

  /// Null becomes an array.
  void push_back(Json item);
  /// The items of an array. Throws Error when this is none.
  const Array& items() const;
  /// The members of an object in their order. Throws Error when this is none.
  const Object& members() const;
  std::size_t size() const { return items().size(); }
  const Json& operator[](std::size_t position) const { return items().at(position); }

  /// Throw Error when this is something else. A number that is too large for the type wraps.
  bool boolean() const;
  double number() const;
  std::int64_t whole() const;
  std::uint64_t count() const;
  const std::string& text() const;
  std::vector<double> numbers() const;

  /// On one line, or indented. Bytes that are not UTF-8 are replaced: JSON may not hold them.
  std::string dump(int indent = -1) const;
  /// Unset when the text is no JSON.
  static std::optional<Json> parse(std::string_view text);

 private:
  friend struct JsonText;

  template <std::integral Whole>
  static Json from_whole(Whole number);
  template <class Type>
  bool is() const {
    return std::holds_alternative<Type>(value_);
  }

  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array,
               Object>
      value_;
};

struct Json::Member {
  std::string name;
  Json value;
};

// Here and not above, because clang assigns to the variant only when it knows all its types.
template <std::integral Whole>
Json Json::from_whole(Whole number) {
  Json out;
  if constexpr (std::same_as<Whole, bool>) {
    out.value_ = number;
  } else if constexpr (std::unsigned_integral<Whole>) {
    out.value_ = static_cast<std::uint64_t>(number);
  } else {
    out.value_ = static_cast<std::int64_t>(number);
  }
  return out;
}

/// Parses untrusted text: objects without repeated keys, nested at most `max_depth` deep. Throws
/// InvalidData with the `name` of the text.
Json parse_json(std::string_view text, int max_depth, const std::string& name);

/// Compact text. Throws InvalidData when a string is not UTF-8.
std::string to_text(const Json& json);

}  // namespace conflux
