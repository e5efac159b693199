// The figures of an experiment, drawn from its cells.

#pragma once

#include <string>
#include <vector>

#include "reproduce/published.h"
#include "reproduce/report.h"

namespace conflux::app {

struct Drawing {
  std::string file;
  std::string contents;
  std::string caption;
};

std::vector<Drawing> drawings_of(const Experiment& experiment,
                                 const std::vector<RowResult>& results);

/// A point of a curve over all runs: from 0 to 1, from 1 to 0, and the mean of both.
struct CurvePoint {
  Index layers = 0;
  Figure paper_wd[2], exact[2];
  Figure mean_wd, mean_exact;
};

std::vector<CurvePoint> mean_curve(const std::vector<Json>& cells);

}  // namespace conflux::app
