// Completion for shells, from the verbs and flags of a program.

#pragma once

#include <string>

#include "support/verb.h"

namespace conflux::app {

std::string bash_completion(const Program& program);
std::string zsh_completion(const Program& program);
std::string fish_completion(const Program& program);

}  // namespace conflux::app
