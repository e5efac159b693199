#include "options/option_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <type_traits>

#include "conflux/core/error.h"
#include "core/nearest_name.h"
#include "options/option_table.h"

namespace conflux {

namespace {

constexpr std::string_view kUnset = "auto";

/// How values of one type are read, shown and described.
template <class T>
struct Spelling;

template <class T>
requires std::is_arithmetic_v<T>
struct Spelling<T> {
  static std::string values() { return std::is_integral_v<T> ? "N" : "X"; }
  static std::string show(T value) { return fmt::format("{}", value); }
  static bool read(std::string_view text, T& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  }
};

template <>
struct Spelling<bool> {
  static std::string values() { return "on|off"; }
  static std::string show(bool value) { return value ? "on" : "off"; }
  static bool read(std::string_view text, bool& value) {
    value = text == "on";
    return value || text == "off";
  }
};

template <class Enum>
requires std::is_enum_v<Enum>
struct Spelling<Enum> {
  static std::string values() {
    std::vector<std::string_view> names;
    names.reserve(std::size(EnumNames<Enum>::kNames));
    for (const auto& [each, name] : EnumNames<Enum>::kNames) names.push_back(name);
    return fmt::format("{}", fmt::join(names, "|"));
  }
  static std::string show(Enum value) { return std::string(name_of(value)); }
  static bool read(std::string_view text, Enum& value) {
    for (const auto& [each, name] : EnumNames<Enum>::kNames) {
      if (name != text) continue;
      value = each;
      return true;
    }
    return false;
  }
};

template <class T>
struct Spelling<std::optional<T>> {
  static std::string values() { return Spelling<T>::values() + "|" + std::string(kUnset); }
  static std::string show(const std::optional<T>& value) {
    return value ? Spelling<T>::show(*value) : std::string(kUnset);
  }
  static bool read(std::string_view text, std::optional<T>& value) {
    value.reset();
    return text == kUnset || Spelling<T>::read(text, value.emplace());
  }
};

template <>
struct Spelling<GroupWeights> {
  static std::string values() { return "uniform|size|LIST"; }
  static std::string show(const GroupWeights& value) { return to_text(value); }
  static bool read(std::string_view text, GroupWeights& value) {
    try {
      value = parse_group_weights(text);
    } catch (const InvalidOption&) {
      return false;
    }
    return true;
  }
};

template <>
struct Spelling<RowLimit> {
  static std::string values() { return "N|all"; }
  static std::string show(RowLimit value) {
    return value.all() ? "all" : fmt::format("{}", value.rows);
  }
  static bool read(std::string_view text, RowLimit& value) {
    value = RowLimit();
    return text == "all" || Spelling<Index>::read(text, value.rows);
  }
};

std::string allowed(const std::string& values) {
  const std::string or_unset = values.ends_with(kUnset) ? fmt::format(" or {}", kUnset) : "";
  if (values.starts_with("N|all")) return "a whole number, all" + or_unset;
  if (values.starts_with("N")) return "a whole number" + or_unset;
  if (values.starts_with("X")) return "a number" + or_unset;
  return "one of " + values;
}

std::string_view none_of(const OptionInfo& info) {
  return info.texts.substr(0, info.texts.find('|'));
}

template <class T>
std::string values_of(const OptionInfo& info, const T&) {
  if constexpr (std::is_same_v<T, std::string>) {
    return std::string(info.texts);
  } else {
    return Spelling<T>::values();
  }
}

template <class T>
std::string show(const OptionInfo& info, const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return value.empty() ? std::string(none_of(info)) : value;
  } else {
    return Spelling<T>::show(value);
  }
}

template <class T>
bool read(const OptionInfo& info, std::string_view text, T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    value = text == none_of(info) ? "" : text;
    return !text.empty();
  } else {
    return Spelling<T>::read(text, value);
  }
}

class Setter {
 public:
  Setter(std::string_view name, std::string_view text) : name_(name), text_(text) {}

  template <class T>
  void operator()(const OptionInfo& info, T& value) {
    names_.emplace_back(info.name);
    if (info.name != name_) return;
    found_ = true;
    if (read(info, text_, value)) return;
    throw InvalidOption(
        fmt::format("{} is \"{}\"; give {}.", name_, text_, allowed(values_of(info, value))));
  }

  void check_found() const {
    if (!found_) throw InvalidOption(unknown_name("option", name_, names_));
  }

 private:
  std::string_view name_;
  std::string_view text_;
  std::vector<std::string> names_ = {};
  bool found_ = false;
};

}  // namespace

void set_option(FitOptions& options, std::string_view name, std::string_view text) {
  FitOptions changed = options;
  Setter setter(name, text);
  visit_options(changed, setter);
  setter.check_found();
  validate(changed);
  options = std::move(changed);
}

std::vector<OptionText> option_texts(const FitOptions& options) {
  std::vector<OptionText> out;
  visit_options(options, [&](const OptionInfo& info, const auto& value) {
    out.push_back({.name = std::string(info.name),
                   .help = info.help,
                   .value = show(info, value),
                   .values = values_of(info, value),
                   .unset = info.unset,
                   .expert = info.expert,
                   .used_by = info.used_by});
  });
  return out;
}

}  // namespace conflux
