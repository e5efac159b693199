#include "fitting/row_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conflux/core/error.h"
#include "kernels/product.h"
#include "options/automatic.h"
#include "options/option_table.h"

namespace conflux {

namespace {

constexpr Index kRowsOfProduct = 96;

std::uint64_t stream_number(Index group, const Communicator& comm) {
  return (static_cast<std::uint64_t>(comm.rank()) << 32) | static_cast<std::uint64_t>(group);
}

// `count` of the rows, which increase, in their own order, which is kind to the cache.
std::vector<Index> draw_in_order(const std::vector<Index>& rows, Index count, Stream stream) {
  if (count >= static_cast<Index>(rows.size())) return rows;
  std::vector<Index> drawn = draw_rows(rows, count, stream);
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

}  // namespace

std::vector<Index> draw_rows(const std::vector<Index>& rows, Index count, Stream stream) {
  std::vector<Index> order = stream.permutation(static_cast<Index>(rows.size()));
  order.resize(static_cast<std::size_t>(count));
  for (Index& i : order) i = rows[i];
  return order;
}

std::vector<Index> without(const std::vector<Index>& rows, const std::vector<Index>& taken) {
  std::vector<Index> out;
  out.reserve(rows.size() - taken.size());
  std::set_difference(rows.begin(), rows.end(), taken.begin(), taken.end(),
                      std::back_inserter(out));
  return out;
}

LayerRows choose_rows(const RowChoice& usable, const std::vector<Index>& group_sizes, Index layer,
                      const FitOptions& options, const Communicator& comm) {
  LayerRows out;
  out.usable = &usable;
  for (Index m = 0; m < static_cast<Index>(usable.size()); ++m) {
    const std::vector<Index>& rows = usable[m];
    const auto count = static_cast<Index>(rows.size());
    const std::uint64_t number = stream_number(m, comm);
    std::vector<Index> half_of_rows;
    // Odd counts round down on one process and up on the next, so that many small parts split well.
    const Index half = (count + comm.rank() % 2) / 2;
    if (options.split == Split::kFixedHalf) {
      half_of_rows.assign(rows.begin(), rows.begin() + half);
    }
    if (options.split == Split::kRandomHalf) {
      half_of_rows =
          draw_in_order(rows, half, Stream(options.seed, Purpose::kSplit, layer, number));
    }
    const bool cut = options.split != Split::kNone;
    if (cut) out.others.push_back(without(rows, half_of_rows));
    // This process's share of the rows that the search may look at.
    const double share = static_cast<double>(*options.search_rows) * static_cast<double>(count) /
                         static_cast<double>(group_sizes[m]);
    const auto limit = static_cast<Index>(std::ceil(std::min(share, static_cast<double>(count))));
    out.search.push_back(draw_in_order(cut ? half_of_rows : rows, limit,
                                       Stream(options.seed, Purpose::kSearchRows, layer, number)));
  }
  return out;
}

RowChoice draw_evidence(const RowChoice& usable, const std::vector<Index>& group_sizes,
                        std::uint64_t draw_name, const FitOptions& options,
                        const Communicator& comm) {
  RowChoice out;
  for (Index m = 0; m < static_cast<Index>(usable.size()); ++m) {
    const auto all = static_cast<double>(group_sizes[m]);
    const double share =
        std::min(automatic::kEvidenceShare, static_cast<double>(*options.search_rows) / all);
    const auto count = static_cast<Index>(std::ceil(share * static_cast<double>(usable[m].size())));
    out.push_back(draw_in_order(
        usable[m], count,
        Stream(options.seed, Purpose::kEvidence, draw_name, stream_number(m, comm) + 2)));
  }
  return out;
}

std::vector<Index> count_rows(const RowChoice& chosen, Communicator& comm) {
  std::vector<double> counts;
  for (const auto& rows : chosen) counts.push_back(static_cast<double>(rows.size()));
  comm.sum(counts);
  return {counts.begin(), counts.end()};
}

void check_rows(const GroupSet& groups, const LayerRows& rows, Split split, Communicator& comm) {
  const std::vector<Index> search = count_rows(rows.search, comm);
  const std::vector<Index> maps = count_rows(rows.maps(), comm);
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (search[m] > 0 && maps[m] > 0) continue;
    throw InvalidOption(fmt::format(
        "split is {} but group {} (\"{}\") has too few rows to cut; choose none, or give it more "
        "rows.",
        name_of(split), m, groups[m].name));
  }
}

Matrix project_rows(const Group& group, const std::vector<Index>& chosen, const Matrix& columns,
                    const Workers& workers) {
  Matrix out(static_cast<Index>(chosen.size()), columns.cols());
  const std::vector<double> w = kernels::padded(columns);
  const Index width = kernels::padded_width<double>(columns.cols());
  workers.for_each_block(out.rows(), kRowsOfProduct, [&](Index begin, Index end) {
    thread_local Matrix rows;
    thread_local Matrix projections;
    rows.resize(end - begin, columns.rows());
    projections.resize(end - begin, width);
    for (Index i = begin; i < end; ++i) {
      group.rows.copy_row(chosen[i], rows.row(i - begin).data());
    }
    kernels::project(rows.data(), rows.cols(), rows.rows(), rows.cols(), w.data(), width,
                     projections.data());
    out.middleRows(begin, end - begin) = projections.leftCols(columns.cols());
  });
  return out;
}

}  // namespace conflux
