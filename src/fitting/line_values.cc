#include "fitting/line_values.h"

#include <algorithm>

#include "core/disk_scratch.h"
#include "kernels/product.h"

namespace conflux {

namespace {

// Values held at a time, and lines that they may belong to; bounds memory when there are many rows
// or every coordinate is a line.
constexpr Index kValuesAtATime = Index{1} << 20;
// More of them, 64 megabytes, are worth it where processes wait for each other.
constexpr Index kValuesToExchange = Index{1} << 23;
constexpr Index kRowsPerProjection = 96;

void project_rows(const Group& group, const RowList& chosen, const Matrix& columns, Matrix& out,
                  const Workers& workers) {
  const Index dim = group.rows.cols();
  const Index width = kernels::padded_width<double>(columns.cols());
  const std::vector<double> w = kernels::padded(columns);
  workers.for_each_block(out.cols(), kRowsPerProjection, [&](Index begin, Index end) {
    thread_local std::vector<double> rows;
    thread_local std::vector<double> projections;
    const Index count = end - begin;
    rows.resize(static_cast<std::size_t>(count * dim));
    projections.resize(static_cast<std::size_t>(count * width));
    DiskScratch::look(begin, end);
    auto next = chosen.from(begin);
    for (Index i = 0; i < count; ++i, ++next) group.rows.copy_row(*next, rows.data() + i * dim);
    kernels::project(rows.data(), dim, count, dim, w.data(), width, projections.data());
    for (Index k = 0; k < out.rows(); ++k) {
      for (Index i = 0; i < count; ++i) out(k, begin + i) = projections[i * width + k];
    }
  });
}

}  // namespace

template <class Scalar>
MatrixOf<Scalar> read_features(const Group& group, const RowList& chosen, Index first, Index count,
                               const Workers& workers) {
  MatrixOf<Scalar> out(count, static_cast<Index>(chosen.size()));
  workers.for_each_block(out.cols(), kRowsPerProjection, [&](Index begin, Index end) {
    DiskScratch::look(begin, end);
    group.rows.visit([&](const auto& rows) {
      auto next = chosen.from(begin);
      for (Index i = begin; i < end; ++i, ++next) {
        const auto* row = rows.row(*next) + first;
        for (Index k = 0; k < count; ++k) out(k, i) = static_cast<Scalar>(row[k]);
      }
    });
  });
  return out;
}

template MatrixOf<float> read_features(const Group&, const RowList&, Index, Index, const Workers&);
template MatrixOf<double> read_features(const Group&, const RowList&, Index, Index, const Workers&);

LineValues read_lines(const GroupSet& groups, const RowChoice& chosen, const Frame* frame,
                      Index first, Index count, const Workers& workers) {
  LineValues lines;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    lines.masses.push_back(chosen_masses(groups[m], chosen[m]));
    if (frame == nullptr) {
      lines.values.push_back(read_features<double>(groups[m], chosen[m], first, count, workers));
    } else {
      lines.values.emplace_back(count, static_cast<Index>(chosen[m].size()));
      project_rows(groups[m], chosen[m], frame->columns().middleCols(first, count), lines.values[m],
                   workers);
    }
  }
  return lines;
}

Index lines_of_group(Index rows, const Workers& workers) {
  return std::clamp(kValuesAtATime / std::max<Index>(rows, 1), Index{workers.threads()},
                    std::max<Index>(kMostLinesAtATime, workers.threads()));
}

Index lines_to_exchange(Index most_rows) {
  return std::clamp<Index>(kValuesToExchange / std::max<Index>(most_rows, 1), 1, kMostLinesAtATime);
}

Index lines_at_a_time(const RowChoice& chosen, const Workers& workers) {
  Index rows = 1;
  for (const auto& each : chosen) rows += static_cast<Index>(each.size());
  const auto groups = static_cast<Index>(chosen.size());
  return std::clamp(kValuesAtATime / rows, std::max<Index>(2, workers.threads() / groups),
                    kMostLinesAtATime);
}

}  // namespace conflux
