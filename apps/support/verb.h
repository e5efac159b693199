// A verb of a program: what it is called, which flags it has, and what it does.

#pragma once

#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "support/console.h"
#include "support/flag.h"

namespace conflux::app {

struct Verb {
  /// Empty for a program without verbs.
  std::string name;
  std::string description;
  /// A whole command line.
  std::string example;
  /// Called when everything on the command line was understood and stored.
  std::function<void(const Console&)> run = {};
  /// Takes the words of the command line as they are, in place of `flags` and `run`.
  std::function<int(const std::vector<std::string>&)> run_words = {};
  std::vector<Flag> flags = {};
  /// May add words that an earlier call had, and remember them. Empty: they are taken as they are.
  std::function<std::vector<std::string>(std::vector<std::string>, const std::vector<Flag>&)>
      complete = {};

  void add(std::vector<Flag> more) {
    flags.insert(flags.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
  }
  void add(Flag flag) { flags.push_back(std::move(flag)); }
};

struct Program {
  std::string name;
  std::string description;
  std::string version;
  std::vector<Verb> verbs;

  /// One verb without a name: the program has flags of its own.
  bool single() const { return verbs.size() == 1 && verbs.front().name.empty(); }
};

}  // namespace conflux::app
