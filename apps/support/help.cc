#include "support/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace conflux::app {

namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kLeftColumn = 34;
constexpr const char* kExitCodes =
    "exit codes: 0 done, 1 failed, 2 wrong usage, 3 bad data, 4 rows not exact";

std::vector<const Flag*> flags_of(const Verb& verb, bool positional, bool expert) {
  std::vector<const Flag*> out;
  for (const Flag& flag : verb.flags) {
    if (flag.shown == Shown::kNever || flag.positional() != positional) continue;
    if (flag.shown == Shown::kToExperts && !expert) continue;
    out.push_back(&flag);
  }
  std::stable_partition(out.begin(), out.end(),
                        [](const Flag* flag) { return flag->shown != Shown::kLast; });
  return out;
}

// "-o, --output FILE"
std::string left_side(const Flag& flag) {
  if (flag.positional()) return flag.names;
  std::vector<std::string> names = flag.short_names();
  // Without a short name the long one stands below the other long ones.
  std::string out = names.empty() ? "    " : "";
  for (const std::string& name : flag.long_names()) names.push_back(name);
  out += fmt::format("{}", fmt::join(names, ", "));
  return flag.value.empty() ? out : out + " " + flag.value;
}

std::string wrapped(const std::string& text, std::size_t indent) {
  std::istringstream words(text);
  std::string out;
  std::size_t column = indent;
  for (std::string word; words >> word;) {
    if (column > indent && column + 1 + word.size() > kWidth) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

// Choices that do not fit on a line go on below the first of them.
std::string broken(const std::string& left) {
  const std::size_t bar = left.find('|');
  if (left.size() <= kWidth || bar == std::string::npos) return left;
  const std::size_t cut = left.rfind('|', kWidth - 1) + 1;
  const std::size_t indent = left.rfind(' ', bar) + 1;
  return left.substr(0, cut) + "\n" + broken(std::string(indent, ' ') + left.substr(cut));
}

std::string entry(const std::string& left, const std::string& right) {
  std::string out = broken("  " + left);
  const std::size_t line = out.rfind('\n') + 1;  // 0 if there is one line only
  if (out.size() - line + 2 > kLeftColumn) {
    out += "\n" + std::string(kLeftColumn, ' ');
  } else {
    out.resize(line + kLeftColumn, ' ');
  }
  return out + wrapped(right, kLeftColumn) + "\n";
}

std::string usage(const Program& program, const Verb& verb) {
  std::string out = title_of(program, verb);
  for (const Flag* flag : flags_of(verb, true, true)) {
    out += " " + flag->names + (flag->takes_many() ? "..." : "");
  }
  for (const Flag* flag : flags_of(verb, false, true)) {
    if (!flag->required) continue;
    const std::vector<std::string> names = flag->short_names();
    out += " " + (names.empty() ? flag->name() : names.front()) + " " + flag->value;
  }
  return out + " [OPTIONS]";
}

// Characters that mean something to troff.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += std::string("\\&") + c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text;
}

std::string man_flags(const Verb& verb, bool positional) {
  std::string out;
  for (const Flag* flag : flags_of(verb, positional, true)) {
    const std::string left = left_side(*flag);
    out += ".TP\n.B " + escaped(left.substr(left.find_first_not_of(' '))) + "\n" +
           escaped(flag->help) + "\n";
  }
  return out;
}

std::string example_of(const Verb& verb) { return "example: " + verb.example; }

}  // namespace

std::string title_of(const Program& program, const Verb& verb) {
  return verb.name.empty() ? program.name : program.name + " " + verb.name;
}

std::string program_help(const Program& program) {
  std::string out = program.description + "\n\nusage: " + program.name + " VERB ...\n\n";
  for (const Verb& verb : program.verbs) out += entry(verb.name, verb.description);
  out += "\n";
  out += entry("-h, --help", "show this help; help VERB shows that of a verb");
  out += entry("    --version", "show the version");
  return out + "\n" + kExitCodes + "\n";
}

std::string verb_help(const Program& program, const Verb& verb, bool expert) {
  std::string out = verb.description + "\n\nusage: " + usage(program, verb) + "\n";
  const auto positional = flags_of(verb, true, expert);
  if (!positional.empty()) out += "\n";
  for (const Flag* flag : positional) out += entry(left_side(*flag), flag->help);
  out += "\n";
  for (const Flag* flag : flags_of(verb, false, expert)) out += entry(left_side(*flag), flag->help);
  return out + "\n" + example_of(verb) + "\n";
}

std::string man_page(const Program& program) {
  std::string out = ".TH " + upper_case(program.name) + " 1\n.SH NAME\n" + escaped(program.name) +
                    " \\- " + escaped(program.description) + "\n.SH SYNOPSIS\n";
  for (const Verb& verb : program.verbs) out += ".br\n" + escaped(usage(program, verb)) + "\n";
  for (const Verb& verb : program.verbs) {
    const std::string title = verb.name.empty() ? "OPTIONS" : upper_case(verb.name);
    out += ".SH " + escaped(title) + "\n" + escaped(verb.description) + "\n" +
           man_flags(verb, true) + man_flags(verb, false) + ".PP\n.nf\n" +
           escaped(example_of(verb)) + "\n.fi\n";
  }
  return out + ".SH EXIT STATUS\n" + escaped(kExitCodes) + "\n";
}

}  // namespace conflux::app
