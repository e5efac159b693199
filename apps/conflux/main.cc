// conflux: a table in, an aligned table and a reusable model out.

#include <CLI/CLI.hpp>
#include <cstdio>

#include "conflux/core/error.h"
#include "core/nearest_name.h"
#include "help.h"
#include "interrupt.h"
#include "verbs.h"

namespace {

using namespace conflux;
using namespace conflux::app;

enum ExitCode { kDone = 0, kFailed = 1, kWrongUsage = 2, kBadData = 3 };

void add_root_options(CLI::App& root) {
  root.set_help_flag();
  const auto prints = [&root](const std::string& name, const std::string& help,
                              std::string (*text)(const CLI::App&)) {
    return root.add_flag_callback(
        name,
        [&root, text] {
          std::fputs(text(root).c_str(), stdout);
          throw CLI::Success();
        },
        help);
  };
  prints("-h,--help", "show this help", [](const CLI::App& app) { return help_text(app, false); });
  prints("--version", "show the version",
         [](const CLI::App&) { return std::string("conflux " CONFLUX_VERSION "\n"); });
  prints("--man", "", man_page)->group("");
  prints("--bash-completion", "", bash_completion)->group("");
  root.footer("exit codes: 0 done, 1 failed, 2 wrong usage, 3 bad data");
}

// Before CLI11 sees the words: it would call an unknown verb an unexpected argument.
void check_verb(const CLI::App& root, int argc, char** argv) {
  if (argc < 2) throw InvalidOption("which verb? See conflux --help.");
  const std::string word = argv[1];
  if (word.starts_with("-")) return;
  std::vector<std::string> verbs;
  for (const CLI::App* verb : root.get_subcommands([](const CLI::App*) { return true; })) {
    verbs.push_back(verb->get_name());
  }
  if (std::find(verbs.begin(), verbs.end(), word) == verbs.end()) {
    throw InvalidOption(unknown_name("verb", word, verbs));
  }
}

int run(int argc, char** argv, Console& console) {
  CLI::App root("aligns groups of samples by invertible maps into a shared space");
  add_check(root, console);
  add_fit(root, console);
  add_transform(root, console);
  add_inverse(root, console);
  add_translate(root, console);
  add_add_group(root, console);
  add_evaluate(root, console);
  add_info(root, console);
  add_generate(root, console);
  add_convert(root, console);
  add_reproduce(root, console);
  add_root_options(root);
  try {
    check_verb(root, argc, argv);
    root.parse(argc, argv);
    return kDone;
  } catch (const CLI::Success&) {
    return kDone;
  } catch (const CLI::ParseError& error) {
    const std::string verb = argc > 1 ? std::string(" ") + argv[1] : "";
    console.error(std::string(error.what()) + "; see conflux" + verb + " --help.");
    return kWrongUsage;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Console console;
  try {
    return run(argc, argv, console);
  } catch (const Interrupted& error) {
    console.error(error.what());
    end_as_interrupted();
  } catch (const InvalidOption& error) {
    console.error(error.what());
    return kWrongUsage;
  } catch (const InvalidData& error) {
    console.error(error.what());
    return kBadData;
  } catch (const std::bad_alloc&) {
    console.error("out of memory; give fewer rows or features, or use --max-memory to be warned.");
    return kFailed;
  } catch (const std::exception& error) {
    console.error(error.what());
    return kFailed;
  }
}
