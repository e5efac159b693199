// Runs a program: takes its command line apart, calls the verb, and turns errors into messages and
// exit codes.

#pragma once

#include "support/verb.h"

namespace conflux::app {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUsage = 2, kBadData = 3 };

/// Everything that main() does.
int run_program(const Program& program, int argc, char** argv);

}  // namespace conflux::app
