#include "help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "conflux/core/index.h"

namespace conflux::app {

namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kLeftColumn = 34;

std::vector<const CLI::Option*> options_of(const CLI::App& app, bool positional, bool expert) {
  std::vector<const CLI::Option*> out;
  for (const CLI::Option* option : app.get_options()) {
    const bool hidden = option->get_group().empty();
    if (hidden || option->get_positional() != positional) continue;
    if (option->get_group() == kExpertGroup && !expert) continue;
    out.push_back(option);
  }
  std::stable_partition(out.begin(), out.end(), [](const CLI::Option* option) {
    return option->get_group() != kCommonGroup;
  });
  return out;
}

// "-o, --output FILE"
std::string left_side(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  std::string out = fmt::format("{}", fmt::join(names, ", "));
  // Without a short name the long one stands below the other long ones.
  if (option.get_snames().empty()) out = "    " + out;
  const std::string type = option.get_type_name();
  if (option.get_items_expected_max() > 0 && !type.empty()) out += " " + type;
  return out;
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

std::string entry(const std::string& left, const std::string& right) {
  std::string out = "  " + left;
  if (out.size() + 2 > kLeftColumn) {
    out += "\n" + std::string(kLeftColumn, ' ');
  } else {
    out.resize(kLeftColumn, ' ');
  }
  return out + wrapped(right, kLeftColumn) + "\n";
}

std::string usage(const CLI::App& app) {
  std::string out = app.get_parent() == nullptr ? "conflux" : "conflux " + app.get_name();
  if (app.get_parent() == nullptr) return out + " VERB ...";
  for (const CLI::Option* option : options_of(app, true, true)) {
    out += " " + option->get_name(true) + (option->get_items_expected_max() > 1 ? "..." : "");
  }
  for (const CLI::Option* option : options_of(app, false, true)) {
    if (!option->get_required()) continue;
    const bool has_short = !option->get_snames().empty();
    out += fmt::format(" {}{} {}", has_short ? "-" : "--",
                       has_short ? option->get_snames()[0] : option->get_lnames()[0],
                       option->get_type_name());
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

std::string man_options(const CLI::App& app, bool positional) {
  std::string out;
  for (const CLI::Option* option : options_of(app, positional, true)) {
    const std::string left = positional ? option->get_name(true) : left_side(*option);
    out += ".TP\n.B " + escaped(left.substr(left.find_first_not_of(' '))) + "\n" +
           escaped(option->get_description()) + "\n";
  }
  return out;
}

std::vector<const CLI::App*> verbs_of(const CLI::App& root) {
  std::vector<const CLI::App*> out;
  for (const CLI::App* verb : root.get_subcommands([](const CLI::App*) { return true; })) {
    out.push_back(verb);
  }
  return out;
}

}  // namespace

std::string help_text(const CLI::App& app, bool expert) {
  std::string out = app.get_description() + "\n\nusage: " + usage(app) + "\n";
  const auto positional = options_of(app, true, expert);
  const auto verbs = verbs_of(app);
  if (!verbs.empty()) out += "\n";
  for (const CLI::App* verb : verbs) out += entry(verb->get_name(), verb->get_description());
  if (!positional.empty()) out += "\n";
  for (const CLI::Option* option : positional) {
    out += entry(option->get_name(true), option->get_description());
  }
  out += "\n";
  for (const CLI::Option* option : options_of(app, false, expert)) {
    out += entry(left_side(*option), option->get_description());
  }
  if (!app.get_footer().empty()) out += "\n" + app.get_footer() + "\n";
  return out;
}

std::string man_page(const CLI::App& root) {
  std::string out = ".TH CONFLUX 1\n.SH NAME\nconflux \\- " + escaped(root.get_description()) +
                    "\n.SH SYNOPSIS\n";
  for (const CLI::App* verb : verbs_of(root)) out += ".br\n" + escaped(usage(*verb)) + "\n";
  for (const CLI::App* verb : verbs_of(root)) {
    std::string title = verb->get_name();
    std::transform(title.begin(), title.end(), title.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    out += ".SH " + escaped(title) + "\n" + escaped(verb->get_description()) + "\n" +
           man_options(*verb, true) + man_options(*verb, false);
    if (!verb->get_footer().empty()) {
      out += ".PP\n.nf\n" + escaped(verb->get_footer()) + "\n.fi\n";
    }
  }
  return out + ".SH EXIT STATUS\n" + escaped(root.get_footer()) + "\n";
}

std::string bash_completion(const CLI::App& root) {
  std::vector<std::string> names;
  std::string cases;
  for (const CLI::App* verb : verbs_of(root)) {
    names.push_back(verb->get_name());
    cases += fmt::format("    {}) options=\"{}\" ;;\n", verb->get_name(),
                         fmt::join(option_names(*verb), " "));
  }
  return fmt::format(
      "# bash completion of conflux\n"
      "_conflux() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" options=\"\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}  esac\n"
      "  if [ \"${{word:0:1}}\" = - ]; then\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}}\n"
      "complete -o filenames -F _conflux conflux\n",
      fmt::join(names, " "), cases);
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::Option* option : options_of(app, false, true)) {
    for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  }
  return out;
}

}  // namespace conflux::app
