#include "slicing/search_sample.h"

#include <cmath>
#include <cstring>

#include "comm/agreement.h"
#include "core/disk_scratch.h"

namespace conflux {

namespace {

constexpr Index kRowsPerTask = 256;

template <class Scalar>
MatrixOf<Scalar> normalized_rows(const Group& group, const RowList& chosen,
                                 const CenterAndScale& common, std::span<const Index> features,
                                 const Workers& workers) {
  const Index dim = features.empty() ? group.rows.cols() : static_cast<Index>(features.size());
  MatrixOf<Scalar> out(static_cast<Index>(chosen.size()), dim);
  const double per_unit = 1 / common.scale;
  group.rows.visit([&](const auto& rows) {
    workers.for_each_block(out.rows(), kRowsPerTask, [&](Index begin, Index end) {
      auto next = chosen.from(begin);
      for (Index i = begin; i < end; ++i, ++next) {
        DiskScratch::look_at(*next);
        const auto* row = rows.row(*next);
        for (Index j = 0; j < dim; ++j) {
          const Index f = features.empty() ? j : features[static_cast<std::size_t>(j)];
          out(i, j) = static_cast<Scalar>((row[f] - common.center(f)) * per_unit);
        }
      }
    });
  });
  return out;
}

// Adds up f(row) of the chosen rows of all processes as one process would: group by group, in the
// order of the rows.
template <class F>
void add_in_order(const GroupSet& groups, std::span<const RowList> chosen,
                  const std::vector<double>& counts, std::span<double> sums, Communicator& comm,
                  F add) {
  std::vector<double> buffer;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (counts[m] == 0) continue;
    in_turn(comm, sums, [&] {
      for (const Index i : chosen[m]) {
        DiskScratch::look_at(i);
        add(m, Eigen::Map<const Vector>(groups[m].rows.row(i, buffer), groups.dim()));
      }
    });
  }
}

}  // namespace

std::vector<RowList> every_row(const GroupSet& groups) {
  std::vector<RowList> out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    out.push_back(RowList::all(groups[m].rows.rows()));
  }
  return out;
}

// A communicator carries doubles: of every group the number of rows, whether they have masses, the
// rows, and their masses.
GroupSet gather_groups(const GroupSet& groups, std::span<const RowList> chosen,
                       Communicator& comm) {
  const Index dim = groups.dim();
  std::vector<double> packed;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    packed.push_back(static_cast<double>(chosen[m].size()));
    packed.push_back(groups[m].masses.empty() ? 0 : 1);
    std::size_t at = packed.size();
    packed.resize(at + chosen[m].size() * static_cast<std::size_t>(dim));
    for (const Index i : chosen[m]) {
      DiskScratch::look_at(i);
      groups[m].rows.copy_row(i, packed.data() + at);
      at += static_cast<std::size_t>(dim);
    }
    if (groups[m].masses.empty()) continue;
    for (const Index i : chosen[m]) packed.push_back(groups[m].masses[i]);
  }
  const std::vector<double> all = comm.gather(packed);
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(groups.num_groups()));
  std::vector<std::vector<double>> masses(rows.size());
  for (auto at = all.begin(); at != all.end();) {
    for (Index m = 0; m < groups.num_groups(); ++m) {
      const auto count = static_cast<std::ptrdiff_t>(*at++);
      const bool weighted = *at++ > 0;
      rows[m].insert(rows[m].end(), at, at + count * dim);
      at += count * dim;
      if (!weighted) continue;
      masses[m].insert(masses[m].end(), at, at + count);
      at += count;
    }
  }
  GroupSet out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Index count = static_cast<Index>(rows[m].size()) / dim;
    out.add(groups[m].name, Matrix(Eigen::Map<const Matrix>(rows[m].data(), count, dim)),
            std::move(masses[m]));
  }
  return out;
}

// Means over the chosen rows of all processes; first of each group, then of the groups.
CenterAndScale common_center_and_scale(const GroupSet& groups, std::span<const RowList> chosen,
                                       std::span<const double> weights, Communicator& comm) {
  const Index dim = groups.dim();
  Vector center = Vector::Zero(dim);
  std::vector<double> counts;
  for (const auto& rows : chosen) counts.push_back(static_cast<double>(rows.size()));
  comm.sum(counts);
  add_in_order(groups, chosen, counts, std::span(center.data(), static_cast<std::size_t>(dim)),
               comm, [&](Index m, const auto& row) { center += (weights[m] / counts[m]) * row; });
  double variance = 0;
  add_in_order(groups, chosen, counts, std::span(&variance, 1), comm,
               [&](Index m, const auto& row) {
                 variance += (weights[m] / counts[m]) * (row - center).squaredNorm();
               });
  variance /= static_cast<double>(dim);
  return {std::move(center), variance > 0 ? std::sqrt(variance) : 1.0};
}

template <class Scalar>
Index SearchSample<Scalar>::num_samples() const {
  Index total = 0;
  for (const auto& group : rows) total += group.rows();
  return total;
}

template <class Scalar>
SearchSample<Scalar> gather_search_sample(const GroupSet& groups, std::span<const RowList> chosen,
                                          std::span<const double> weights, Communicator& comm,
                                          const Workers& workers, const CenterAndScale* common,
                                          std::span<const Index> features) {
  if (comm.size() > 1) {
    const GroupSet gathered = gather_groups(groups, chosen, comm);
    SelfCommunicator alone;
    return gather_search_sample<Scalar>(gathered, every_row(gathered), weights, alone, workers,
                                        common, features);
  }
  const CenterAndScale used =
      common != nullptr ? *common : common_center_and_scale(groups, chosen, weights, comm);
  SearchSample<Scalar> sample;
  sample.scale = used.scale;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    sample.rows.push_back(normalized_rows<Scalar>(groups[m], chosen[m], used, features, workers));
    auto& masses = sample.masses.emplace_back();
    if (groups[m].masses.empty()) continue;
    for (const Index i : chosen[m]) masses.push_back(groups[m].masses[i]);
  }
  return sample;
}

template struct SearchSample<float>;
template struct SearchSample<double>;
template SearchSample<float> gather_search_sample(const GroupSet&, std::span<const RowList>,
                                                  std::span<const double>, Communicator&,
                                                  const Workers&, const CenterAndScale*,
                                                  std::span<const Index>);
template SearchSample<double> gather_search_sample(const GroupSet&, std::span<const RowList>,
                                                   std::span<const double>, Communicator&,
                                                   const Workers&, const CenterAndScale*,
                                                   std::span<const Index>);

}  // namespace conflux
