#include "support/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <system_error>

#include "conflux/core/error.h"
#include "core/nearest_name.h"
#include "support/command_line.h"
#include "support/completion.h"
#include "support/help.h"
#include "support/interrupt.h"

namespace conflux::app {

namespace {

// A file that is opened later must not become descriptor 1 or 2: messages would be written into it.
void open_missing_descriptors() {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (::fcntl(number, F_GETFD) == -1 && errno == EBADF) {
      ::open("/dev/null", number == STDIN_FILENO ? O_RDONLY : O_WRONLY);
    }
  }
}

// OpenBLAS starts threads of its own before main, which we never use. Each asks for 128 MB, under
// `ulimit -v` again and again without end, and the program cannot end before they do. Only a new
// start can leave them out.
void leave_out_threads_of_openblas(char** argv) {
  const char* const kThreads = "OPENBLAS_NUM_THREADS";
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  if (std::getenv(kThreads) != nullptr || ::setenv(kThreads, "1", 1) != 0) return;
  ::execv("/proc/self/exe", argv);  // comes back only if that is impossible
}

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

// Results that did not arrive are an error, even if everything else went well.
int with_output_flushed(int code, const Console& console) {
  const bool lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (!lost || (code != kDone && code != kNotExact)) return code;
  console.error(
      fmt::format("standard output cannot be written: {}; the results there are not complete.",
                  std::generic_category().message(errno)));
  return kFailed;
}

/// Flags that every verb has.
struct CommonFlags {
  bool help = false;
  bool expert_help = false;
};

std::vector<Flag> common_flags(CommonFlags& flags, Console& console) {
  std::vector<Flag> out = {
      {.names = "-q,--quiet",
       .help = "print warnings and errors only",
       .target = [&console](const std::string&) { console.verbosity = -1; }},
      {.names = "-v,--verbose",
       .help = "print each step",
       .target = [&console](const std::string&) { console.verbosity = 1; }},
      {.names = "--log-format",
       .value = "text|json",
       .help = "format of messages on standard error",
       .target =
           [&console](const std::string& format) {
             console.format = format == "json" ? LogFormat::kJson : LogFormat::kText;
           },
       .choices = {"text", "json"},
       .shown = Shown::kToExperts},
      {.names = "--json",
       .help = "print a summary as JSON on standard output",
       .target = &console.json},
      {.names = "-h,--help",
       .help = "show this help; --help-all also shows options for experts",
       .target = &flags.help},
      {.names = "--help-all", .target = &flags.expert_help, .shown = Shown::kNever},
  };
  for (Flag& flag : out) {
    if (flag.shown == Shown::kAlways) flag.shown = Shown::kLast;
  }
  return out;
}

bool given(const std::vector<GivenFlag>& flags, const bool* target) {
  return std::any_of(flags.begin(), flags.end(), [&](const GivenFlag& each) {
    const auto* switched = std::get_if<bool*>(&each.flag->target);
    return switched != nullptr && *switched == target;
  });
}

void check_required(const Verb& verb, const std::vector<GivenFlag>& found) {
  for (const Flag& flag : verb.flags) {
    if (flag.required && std::none_of(found.begin(), found.end(),
                                      [&](const GivenFlag& each) { return each.flag == &flag; })) {
      throw InvalidOption(flag.name() + " is required");
    }
  }
}

// Messages about the command line as a whole end with the command that prints its help.
std::string with_remedy(const std::string& message, const std::string& title) {
  const bool complete = message.ends_with(".") || message.ends_with("?");
  return complete ? message : message + "; see " + title + " --help.";
}

int run_verb(const Program& program, Verb verb, const std::vector<std::string>& words,
             Console& console) {
  if (verb.run_words) return verb.run_words(words);
  CommonFlags common;
  verb.add(common_flags(common, console));
  try {
    const std::vector<GivenFlag> found =
        parse_words(verb.flags, verb.complete ? verb.complete(words, verb.flags) : words);
    const bool expert = given(found, &common.expert_help);
    if (expert || given(found, &common.help)) {
      print(verb_help(program, verb, expert));
      return kDone;
    }
    check_required(verb, found);
    for (const GivenFlag& each : found) store(*each.flag, each.words);
  } catch (const InvalidOption& error) {
    throw InvalidOption(with_remedy(error.what(), title_of(program, verb)));
  }
  verb.run(console);
  console.finish_progress();
  return kDone;
}

// A verb as it is shown in help: with the flags that all verbs have.
Program with_common_flags(Program program, Console& console) {
  static CommonFlags unused;
  for (Verb& verb : program.verbs) {
    if (!verb.run_words) verb.add(common_flags(unused, console));
  }
  return program;
}

const Verb& find_verb(const Program& program, const std::string& name) {
  std::vector<std::string> names;
  for (const Verb& verb : program.verbs) {
    if (verb.name == name) return verb;
    names.push_back(verb.name);
  }
  throw InvalidOption(unknown_name("verb", name, names));
}

int run_words(const Program& program, std::vector<std::string> words, Console& console) {
  if (words.empty() && !program.single()) {
    throw InvalidOption("which verb? See " + program.name + " --help.");
  }
  const std::string first = words.empty() ? "" : words.front();
  if (first == "--version") {
    print(program.name + " " + program.version + "\n");
  } else if (first == "--man") {
    print(man_page(with_common_flags(program, console)));
  } else if (first == "--bash-completion") {
    print(bash_completion(with_common_flags(program, console)));
  } else if (first == "--zsh-completion") {
    print(zsh_completion(with_common_flags(program, console)));
  } else if (first == "--fish-completion") {
    print(fish_completion(with_common_flags(program, console)));
  } else if (program.single()) {
    return run_verb(program, program.verbs.front(), words, console);
  } else if (first == "-h" || first == "--help" || (first == "help" && words.size() == 1)) {
    print(program_help(program));
  } else if (first.starts_with("-")) {
    throw InvalidOption(unknown_name("option", first, {"--help", "--version"}));
  } else {
    const Verb& verb = find_verb(program, first == "help" ? words[1] : first);
    words.erase(words.begin());
    if (first == "help") words = {"--help"};
    return run_verb(program, verb, words, console);
  }
  return kDone;
}

int run_caught(const Program& program, const std::vector<std::string>& words, Console& console) {
  try {
    return run_words(program, words, console);
  } catch (const Interrupted& error) {
    console.error(error.what());
    end_as_interrupted();
  } catch (const InvalidOption& error) {
    console.error(error.what());
    return kWrongUsage;
  } catch (const InvalidData& error) {
    console.error(error.what());
    return kBadData;
  } catch (const NotExact&) {
    return kNotExact;
  } catch (const std::bad_alloc&) {
    console.error("out of memory; give fewer rows or features, or use --max-memory to be warned.");
    return kFailed;
  } catch (const std::exception& error) {
    console.error(error.what());
    return kFailed;
  }
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) {
  leave_out_threads_of_openblas(argv);
  open_missing_descriptors();
  catch_crashes();
  Console console;
  console.program = program.name;
  const int code = run_caught(program, std::vector<std::string>(argv + 1, argv + argc), console);
  return with_output_flushed(code, console);
}

}  // namespace conflux::app
