#include "support/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace conflux::app {

namespace {

std::vector<const Flag*> completed_flags(const Verb& verb) {
  std::vector<const Flag*> out;
  for (const Flag& flag : verb.flags) {
    if (!flag.positional() && flag.shown != Shown::kNever) out.push_back(&flag);
  }
  return out;
}

// Names with their dashes.
std::string long_names(const Verb& verb) {
  std::vector<std::string> out;
  for (const Flag* flag : completed_flags(verb)) {
    for (const std::string& name : flag->long_names()) out.push_back(name);
  }
  return fmt::format("{}", fmt::join(out, " "));
}

std::string function_of(const Program& program) {
  std::string out = "_" + program.name;
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

// Help as one word of a shell, in single quotes; the characters in `marked` get a backslash.
std::string quoted(const std::string& text, const std::string& marked = "") {
  std::string out = "'";
  for (const char c : text) {
    if (marked.find(c) != marked.npos) out += '\\';
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out + "'";
}

std::string zsh_arguments(const Verb& verb) {
  std::string out;
  for (const Flag* flag : completed_flags(verb)) {
    std::vector<std::string> names = flag->short_names();
    for (const std::string& name : flag->long_names()) names.push_back(name);
    for (const std::string& name : names) {
      const std::string help = quoted(flag->help, "[]:\\");
      std::string value;
      if (!flag->is_switch()) {
        value = flag->choices.empty() ? ":value:_files"
                                      : fmt::format(":value:({})", fmt::join(flag->choices, " "));
      }
      out += fmt::format(" \\\n      '{}['{}']{}'", name, help, value);
    }
  }
  return fmt::format("_arguments -S '*:file:_files'{}", out);
}

std::string fish_lines(const Program& program, const Verb& verb) {
  const std::string when =
      verb.name.empty() ? "" : fmt::format(" -n '__fish_seen_subcommand_from {}'", verb.name);
  std::string out;
  for (const Flag* flag : completed_flags(verb)) {
    std::string names;
    for (const std::string& name : flag->short_names()) names += " -s " + name.substr(1);
    for (const std::string& name : flag->long_names()) names += " -l " + name.substr(2);
    std::string value = flag->is_switch() ? "" : " -r";
    if (!flag->choices.empty()) value += fmt::format(" -f -a '{}'", fmt::join(flag->choices, " "));
    out += fmt::format("complete -c {}{}{}{} -d {}\n", program.name, when, names, value,
                       quoted(flag->help));
  }
  return out;
}

}  // namespace

std::string bash_completion(const Program& program) {
  const std::string function = function_of(program);
  std::string choose;
  if (program.single()) {
    choose = fmt::format("  options=\"{}\"\n", long_names(program.verbs.front()));
  } else {
    std::vector<std::string> names;
    std::string cases;
    for (const Verb& verb : program.verbs) {
      names.push_back(verb.name);
      cases += fmt::format("    {}) options=\"{}\" ;;\n", verb.name, long_names(verb));
    }
    choose = fmt::format(
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "    COMPREPLY=($(compgen -W \"{} help --help --version\" -- \"$word\"))\n"
        "    return\n"
        "  fi\n"
        "  case \"${{COMP_WORDS[1]}}\" in\n{}  esac\n",
        fmt::join(names, " "), cases);
  }
  return fmt::format(
      "# bash completion of {}\n"
      "{}() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" options=\"\"\n"
      "{}"
      "  if [ \"${{word:0:1}}\" = - ]; then\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}}\n"
      "complete -o filenames -F {} {}\n",
      program.name, function, choose, function, program.name);
}

std::string zsh_completion(const Program& program) {
  std::string body;
  if (program.single()) {
    body = "  " + zsh_arguments(program.verbs.front()) + "\n";
  } else {
    std::string verbs, cases;
    for (const Verb& verb : program.verbs) {
      verbs += fmt::format("    {}\n", quoted(verb.name + ":" + verb.description));
      cases += fmt::format("    {}) {} ;;\n", verb.name, zsh_arguments(verb));
    }
    body = fmt::format(
        "  local -a verbs\n  verbs=(\n{}  )\n"
        "  if (( CURRENT == 2 )); then\n    _describe verb verbs\n    return\n  fi\n"
        "  local verb=$words[2]\n  shift words\n  (( CURRENT-- ))\n"
        "  case $verb in\n{}  esac\n",
        verbs, cases);
  }
  const std::string function = function_of(program);
  return fmt::format("#compdef {}\n{}() {{\n{}}}\n{} \"$@\"\n", program.name, function, body,
                     function);
}

std::string fish_completion(const Program& program) {
  std::string out = fmt::format("# fish completion of {}\n", program.name);
  for (const Verb& verb : program.verbs) {
    if (!verb.name.empty()) {
      out += fmt::format("complete -c {} -n __fish_use_subcommand -f -a {} -d {}\n", program.name,
                         verb.name, quoted(verb.description));
    }
    out += fish_lines(program, verb);
  }
  return out;
}

}  // namespace conflux::app
