// conflux: a table in, an aligned table and a reusable model out.

#include <set>

#include "processes.h"
#include "support/program.h"
#include "verbs.h"

int main(int argc, char** argv) {
  using namespace conflux::app;
  Program program{
      .name = "conflux",
      .description =
          "aligns groups of samples (batches, donors, sensors) by invertible maps into a shared "
          "space",
      .version = CONFLUX_VERSION,
      .verbs = {align_verb(), check_verb(), fit_verb(), transform_verb(), inverse_verb(),
                translate_verb(), add_group_verb(), evaluate_verb(), report_verb(), serve_verb(),
                info_verb(), generate_verb(), convert_verb(), reproduce_verb()}};
  const std::set<std::string> shared = {"fit", "transform", "inverse", "translate", "evaluate"};
  for (Verb& verb : program.verbs) {
    if (shared.contains(verb.name) || !verb.run) continue;
    verb.run = [name = verb.name, run = verb.run](const Console& console) {
      refuse_several_processes(name);
      run(console);
    };
  }
  const int code = run_program(program, argc, argv);
  leave_processes();
  return code;
}
