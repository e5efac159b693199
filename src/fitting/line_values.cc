#include "fitting/line_values.h"

#include <algorithm>

#include "core/disk_scratch.h"
#include "kernels/product.h"

namespace conflux {

namespace {

// Values held at a time, and lines that they may belong to; bounds memory when there are many rows
// or every coordinate is a line.
constexpr Index kValuesAtATime = Index{1} << 20;
constexpr Index kMostLinesAtATime = 32;
constexpr Index kRowsPerProjection = 96;

void read_coordinates(const Group& group, const std::vector<Index>& chosen, Index first,
                      Matrix& out, const Workers& workers) {
  workers.for_each_block(out.cols(), kRowsPerProjection, [&](Index begin, Index end) {
    DiskScratch::look(begin, end);
    group.rows.visit([&](const auto& rows) {
      for (Index i = begin; i < end; ++i) {
        const auto* row = rows.row(chosen[i]) + first;
        for (Index k = 0; k < out.rows(); ++k) out(k, i) = row[k];
      }
    });
  });
}

void project_rows(const Group& group, const std::vector<Index>& chosen, const Matrix& columns,
                  Matrix& out, const Workers& workers) {
  const Index dim = group.rows.cols();
  const Index width = kernels::padded_width<double>(columns.cols());
  const std::vector<double> w = kernels::padded(columns);
  workers.for_each_block(out.cols(), kRowsPerProjection, [&](Index begin, Index end) {
    thread_local std::vector<double> rows;
    thread_local std::vector<double> projections;
    const Index count = end - begin;
    rows.resize(static_cast<std::size_t>(count * dim));
    projections.resize(static_cast<std::size_t>(count * width));
    for (Index i = 0; i < count; ++i) {
      group.rows.copy_row(chosen[begin + i], rows.data() + i * dim);
    }
    kernels::project(rows.data(), dim, count, dim, w.data(), width, projections.data());
    for (Index k = 0; k < out.rows(); ++k) {
      for (Index i = 0; i < count; ++i) out(k, begin + i) = projections[i * width + k];
    }
  });
}

}  // namespace

LineValues read_lines(const GroupSet& groups, const RowChoice& chosen, const Frame* frame,
                      Index first, Index count, const Workers& workers) {
  LineValues lines;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    lines.values.emplace_back(count, static_cast<Index>(chosen[m].size()));
    lines.masses.push_back(chosen_masses(groups[m], chosen[m]));
    if (frame == nullptr) {
      read_coordinates(groups[m], chosen[m], first, lines.values[m], workers);
    } else {
      project_rows(groups[m], chosen[m], frame->columns().middleCols(first, count), lines.values[m],
                   workers);
    }
  }
  return lines;
}

Index lines_at_a_time(const RowChoice& chosen, const Workers& workers) {
  Index rows = 1;
  for (const auto& each : chosen) rows += static_cast<Index>(each.size());
  const auto groups = static_cast<Index>(chosen.size());
  return std::clamp(kValuesAtATime / rows, std::max<Index>(2, workers.threads() / groups),
                    kMostLinesAtATime);
}

}  // namespace conflux
