// The verbs of the command, each in a file of its own, and their order in help.

#pragma once

#include "support/verb.h"

namespace conflux::app {

Verb align_verb();
Verb check_verb();
Verb fit_verb();
Verb transform_verb();
Verb inverse_verb();
Verb translate_verb();
Verb add_group_verb();
Verb evaluate_verb();
Verb report_verb();
Verb serve_verb();
Verb info_verb();
Verb generate_verb();
Verb convert_verb();
Verb reproduce_verb();

}  // namespace conflux::app
