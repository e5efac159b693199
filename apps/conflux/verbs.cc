#include "verbs.h"

#include <cstdio>

#include "conflux/core/error.h"
#include "core/nearest_name.h"
#include "help.h"

namespace conflux::app {

namespace {

// CLI11 would only say that an argument was not expected.
void refuse_unknown(const CLI::App& verb) {
  for (const std::string& word : verb.remaining()) {
    if (word.size() > 1 && word[0] == '-') {
      const std::string name = word.substr(0, word.find('='));
      throw InvalidOption(unknown_name("option", name, option_names(verb)));
    }
  }
  if (!verb.remaining().empty()) {
    throw InvalidOption("\"" + verb.remaining().front() +
                        "\" is one argument too many; see conflux " + verb.get_name() + " --help.");
  }
}

}  // namespace

CLI::App* add_verb(CLI::App& root, Console& console, const std::string& name,
                   const std::string& description, const std::string& example,
                   std::function<void()> run) {
  CLI::App* verb = root.add_subcommand(name, description);
  verb->footer("example: " + example);
  verb->set_help_flag();
  verb->option_defaults()->group(kCommonGroup);
  verb->allow_extras();
  verb->add_flag_function(
      "-q,--quiet", [&](auto) { console.verbosity = -1; }, "say nothing but warnings and errors");
  verb->add_flag_function(
      "-v,--verbose", [&](auto) { console.verbosity = 1; }, "say what happens, step by step");
  verb->add_option_function<std::string>(
          "--log-format",
          [&](const std::string& format) {
            console.format = format == "json" ? LogFormat::kJson : LogFormat::kText;
          },
          "how logs on standard error look")
      ->type_name("text|json")
      ->check(quiet(CLI::IsMember({"text", "json"})));
  verb->add_flag("--json")->description("print a summary as JSON on standard output");
  verb->add_flag_callback(
      "-h,--help",
      [verb] {
        std::fputs(help_text(*verb, false).c_str(), stdout);
        throw CLI::Success();
      },
      "show this help; --help-all also shows options for experts");
  verb->add_flag_callback(
          "--help-all",
          [verb] {
            std::fputs(help_text(*verb, true).c_str(), stdout);
            throw CLI::Success();
          },
          "")
      ->group("");
  verb->option_defaults()->group("Options");
  verb->callback([verb, run = std::move(run)] {
    refuse_unknown(*verb);
    run();
  });
  return verb;
}

bool wants_json(const CLI::App& verb) { return verb.count("--json") > 0; }

void print_json(const Json& json) {
  std::printf("%s\n", json.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

}  // namespace conflux::app
