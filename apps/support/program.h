// Runs a program: takes its command line apart, calls the verb, and turns errors into messages and
// exit codes.

#pragma once

#include <exception>

#include "support/verb.h"

namespace conflux::app {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUsage = 2, kBadData = 3, kNotExact = 4 };

/// Thrown by a verb when all is written, but some rows of it do not come back exactly, which it has
/// said.
class NotExact : public std::exception {};

/// Everything that main() does.
int run_program(const Program& program, int argc, char** argv);

}  // namespace conflux::app
