#include "fitting/row_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

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

// `count` of `size` places, in their own order, which is kind to the cache.
std::vector<Index> draw_places(Index size, Index count, Stream stream) {
  std::vector<Index> drawn = stream.start_of_permutation(size, std::min(count, size));
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

std::vector<Index> first_places(Index count) {
  std::vector<Index> out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

}  // namespace

RowPlaces place_rows(const RowChoice& usable, Communicator& comm) {
  std::vector<double> own;
  for (const RowList& rows : usable) own.push_back(static_cast<double>(rows.size()));
  const std::vector<double> all = comm.gather(own);
  RowPlaces out{.sizes = std::vector<Index>(own.size(), 0),
                .before = std::vector<Index>(own.size(), 0)};
  for (Index rank = 0; rank < comm.size(); ++rank) {
    Index on_rank = 0;
    for (std::size_t m = 0; m < own.size(); ++m) {
      const auto rows = static_cast<Index>(all[static_cast<std::size_t>(rank) * own.size() + m]);
      out.sizes[m] += rows;
      if (rank < comm.rank()) out.before[m] += rows;
      on_rank += rows;
    }
    out.most = std::max(out.most, on_rank);
  }
  return out;
}

std::vector<Index> own_rows(const std::vector<Index>& places, Index group, const RowChoice& usable,
                            const RowPlaces& all) {
  const RowList& rows = usable[group];
  std::vector<Index> out;
  for (const Index place : places) {
    const Index here = place - all.before[group];
    if (here >= 0 && here < static_cast<Index>(rows.size())) out.push_back(rows[here]);
  }
  return out;
}

LayerRows choose_rows(const RowChoice& usable, const RowPlaces& places, Index layer,
                      const FitOptions& options) {
  LayerRows out;
  out.usable = &usable;
  for (Index m = 0; m < static_cast<Index>(usable.size()); ++m) {
    const Index size = places.sizes[m];
    const auto number = static_cast<std::uint64_t>(m);
    const Index limit = std::min(*options.search_rows, size);
    Stream draw(options.seed, Purpose::kSearchRows, layer, number);
    if (options.split == Split::kNone) {
      // A list of all rows is not made where all are looked at.
      out.search.push_back(
          limit == size ? usable[m]
                        : RowList(own_rows(draw_places(size, limit, draw), m, usable, places)));
      continue;
    }
    const std::vector<Index> half =
        options.split == Split::kFixedHalf
            ? first_places(size / 2)
            : draw_places(size, size / 2, Stream(options.seed, Purpose::kSplit, layer, number));
    out.others.push_back(usable[m].without(own_rows(half, m, usable, places)));
    std::vector<Index> drawn = half;
    if (limit < static_cast<Index>(half.size())) {
      drawn = draw_places(static_cast<Index>(half.size()), limit, draw);
      for (Index& i : drawn) i = half[i];
    }
    out.search.push_back(own_rows(drawn, m, usable, places));
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
    std::vector<Index> drawn = draw_places(
        static_cast<Index>(usable[m].size()), count,
        Stream(options.seed, Purpose::kEvidence, draw_name, stream_number(m, comm) + 2));
    for (Index& i : drawn) i = usable[m][i];
    out.push_back(std::move(drawn));
  }
  return out;
}

std::vector<Index> count_rows(const RowChoice& chosen, Communicator& comm) {
  std::vector<double> counts;
  for (const auto& rows : chosen) counts.push_back(static_cast<double>(rows.size()));
  comm.sum(counts);
  return {counts.begin(), counts.end()};
}

void check_split(const std::vector<std::string>& names, const RowPlaces& places, Split split) {
  if (split == Split::kNone) return;
  for (std::size_t m = 0; m < names.size(); ++m) {
    if (places.sizes[m] > 1) continue;
    throw InvalidOption(fmt::format(
        "split is {} but group {} (\"{}\") has too few rows to cut; choose none, or give it more "
        "rows.",
        name_of(split), m, names[m]));
  }
}

Matrix project_rows(const Group& group, const RowList& chosen, const Matrix& columns,
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
