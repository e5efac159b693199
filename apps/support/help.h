// Help and manual page, both from the verbs and flags of a program.

#pragma once

#include <string>

#include "support/verb.h"

namespace conflux::app {

/// The verb as it is typed: "conflux fit".
std::string title_of(const Program& program, const Verb& verb);

/// The verbs of a program.
std::string program_help(const Program& program);

/// One verb; `expert` also shows flags for experts.
std::string verb_help(const Program& program, const Verb& verb, bool expert);

/// The manual page in man(7) format.
std::string man_page(const Program& program);

}  // namespace conflux::app
