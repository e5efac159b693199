// A report as a file, and a line that names it.

#pragma once

#include <string>
#include <vector>

#include "conflux/report/report.h"
#include "file_checks.h"
#include "fit_run.h"
#include "support/console.h"

namespace conflux::app {

/// --report, of verbs that fit.
Flag report_flag(std::string& path);

/// Before any work: throws InvalidOption when the tables can be read once only.
void add_report(ResultFiles& results, const std::string& path, const FitFlags& fit);

/// Reads the tables of a fit once more and reports on the model, unless `path` is empty.
void report_on_fit(const std::string& path, const Model& model, const std::string& model_path,
                   const FitRun& run, const FitFlags& fit, const Console& console);

/// Replaces the file as a whole.
void write_report(const std::string& path, const Report& report, double seconds,
                  const Console& console);

}  // namespace conflux::app
