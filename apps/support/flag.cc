#include "support/flag.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "conflux/core/error.h"

namespace conflux::app {

namespace {

std::vector<std::string> names_with(const std::string& names, bool two_dashes) {
  std::vector<std::string> out = split_list(names);
  std::erase_if(out, [&](const std::string& name) {
    return !name.starts_with("-") || name.starts_with("--") != two_dashes;
  });
  return out;
}

// The allowed numbers in words: "a whole number of at least 1 and at most 9".
std::string allowed(const Flag& flag) {
  std::string out = "a whole number";
  const bool least = std::isfinite(flag.least);
  if (least) out += fmt::format(" of at least {:g}", flag.least);
  if (std::isfinite(flag.most) && flag.most < 1e15) {
    out += fmt::format("{} at most {:g}", least ? " and" : " of", flag.most);
  }
  return out;
}

template <typename Number>
void store_number(const Flag& flag, const std::string& word, Number& target) {
  Number number{};
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  const auto value = static_cast<double>(number);
  if (error != std::errc() || stop != end || value < flag.least || value > flag.most) {
    throw InvalidOption(fmt::format("{} is \"{}\"; give {}.", flag.name(), word, allowed(flag)));
  }
  target = number;
}

void check_choice(const Flag& flag, const std::string& word) {
  if (flag.choices.empty()) return;
  if (std::find(flag.choices.begin(), flag.choices.end(), word) != flag.choices.end()) return;
  throw InvalidOption(fmt::format("{} is \"{}\"; choose one of {}.", flag.name(), word,
                                  fmt::join(flag.choices, ", ")));
}

// Stores into each kind of target.
struct Storing {
  const Flag& flag;
  const std::vector<std::string>& words;
  const std::string last;

  void operator()(std::monostate) const {}
  void operator()(bool* target) const { *target = true; }
  void operator()(int* target) const { store_number(flag, last, *target); }
  void operator()(Index* target) const { store_number(flag, last, *target); }
  void operator()(std::uint64_t* target) const { store_number(flag, last, *target); }
  void operator()(std::string* target) const { *target = last; }
  void operator()(std::vector<std::string>* target) const {
    *target = flag.takes_many() ? words : split_list(last);
  }
  void operator()(const std::function<void(const std::string&)>& target) const { target(last); }
};

}  // namespace

std::vector<std::string> Flag::short_names() const { return names_with(names, false); }
std::vector<std::string> Flag::long_names() const { return names_with(names, true); }

std::string Flag::name() const {
  if (positional()) return names;
  const std::vector<std::string> all = long_names();
  return all.empty() ? names : all.front();
}

void store(const Flag& flag, const std::vector<std::string>& words) {
  for (const std::string& word : words) check_choice(flag, word);
  std::visit(Storing{flag, words, words.empty() ? "" : words.back()}, flag.target);
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    out.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return out;
}

Flag threads_flag(int& threads) {
  return {.names = "-j,--threads",
          .value = "N",
          .help = "threads to use; 0 uses every core [0]",
          .target = &threads,
          .least = 0,
          .most = 4096};
}

}  // namespace conflux::app
