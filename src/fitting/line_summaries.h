// Quantile summaries of groups along lines: what quantile maps are fitted on.

#pragma once

#include <span>
#include <vector>

#include "conflux/comm/communicator.h"
#include "fitting/line_maps.h"
#include "fitting/line_values.h"
#include "univariate/quantiles.h"

namespace conflux {

/// Sorts a line in place, and masses with it.
QuantileSummary summarize_line(std::span<double> values, const std::vector<double>& masses,
                               Index capacity);
QuantileSummary summarize_line(std::span<float> values, const std::vector<double>& masses,
                               Index capacity);

// In the summaries below, entry k * groups + m is of line first + k.

/// Summaries of values that lie on several processes, equal to those of one process with all rows:
/// one process collects all values of a line and group, and broadcasts the summary.
std::vector<QuantileSummary> summarize_together(LineValues& lines, Index capacity,
                                                Communicator& comm, const Workers& workers);

/// Along features.
std::vector<QuantileSummary> summarize_features(const GroupSet& groups, const RowChoice& chosen,
                                                Index first, Index count, Index capacity,
                                                const Workers& workers);

/// Along lines that are read one by one; every thread holds one of one group.
template <class Scalar>
std::vector<QuantileSummary> summarize_read(const ReadLine<Scalar>& read_line,
                                            const GroupSet& groups, const RowChoice& chosen,
                                            Index first, Index count, Index capacity,
                                            const Workers& workers);

}  // namespace conflux
