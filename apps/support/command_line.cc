#include "support/command_line.h"

#include <CLI/CLI.hpp>

#include "conflux/core/error.h"
#include "core/nearest_name.h"

namespace conflux::app {

namespace {

// CLI11 would only say that an argument was not expected.
void refuse_unknown(const std::vector<std::string>& left, const std::vector<Flag>& flags) {
  std::vector<std::string> known;
  for (const Flag& flag : flags) {
    if (flag.shown == Shown::kNever) continue;
    for (const std::string& name : flag.long_names()) known.push_back(name);
  }
  for (const std::string& word : left) {
    if (word.size() > 1 && word[0] == '-') {
      throw InvalidOption(unknown_name("option", word.substr(0, word.find('=')), known));
    }
  }
  if (!left.empty()) {
    throw InvalidOption("\"" + left.front() + "\" is one argument too many");
  }
}

CLI::Option* add(CLI::App& app, const Flag& flag, std::vector<std::string>& words) {
  if (flag.is_switch()) return app.add_flag(flag.names);
  CLI::Option* option = app.add_option(flag.names, words);
  if (flag.positional() && flag.takes_many()) return option;
  option->expected(1);
  if (flag.takes_many()) option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return option->allow_extra_args(false);
}

}  // namespace

std::vector<GivenFlag> parse_words(const std::vector<Flag>& flags,
                                   const std::vector<std::string>& words) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<std::vector<std::string>> given(flags.size());
  std::vector<CLI::Option*> options;
  for (std::size_t i = 0; i < flags.size(); ++i) options.push_back(add(app, flags[i], given[i]));
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    throw InvalidOption(error.what());
  }
  std::vector<std::string> left = app.remaining();
  // CLI11 takes the words behind "--" as arguments, but also counts it as a word itself.
  std::erase(left, "--");
  refuse_unknown(left, flags);
  std::vector<GivenFlag> out;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (options[i]->count() > 0) out.push_back({&flags[i], std::move(given[i])});
  }
  return out;
}

}  // namespace conflux::app
